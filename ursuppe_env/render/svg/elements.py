"""The few SVG elements that the pictures are made of.

Every function appends one element to its parent and returns it. Further attributes are given by keywords, with ``_``
for ``-`` in the names: ``stroke_width=2``, ``data_space=5``, ``class_="cube"``; numbers are rounded to 1/100 px.
"""

from functools import lru_cache
from xml.etree.ElementTree import Element, SubElement

from ursuppe_env.render.fonts import FAMILIES, fitted

Value = str | int | float

_KEPT = 4096  # texts of numbers and names of attributes: pictures have the same ones again and again


def picture(width: float, height: float, **attributes: Value) -> Element:
    """The outermost element, of this size in px; it grows and shrinks with its surroundings."""
    general: dict[str, Value] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": width,
        "height": height,
        "font_family": FAMILIES,
        "style": "max-width:100%;height:auto",
    }
    return Element("svg", _as_text({**general, **attributes}))


def group(parent: Element, **attributes: Value) -> Element:
    """A group; what is appended to it belongs together."""
    return SubElement(parent, "g", _as_text(attributes))


def rectangle(parent: Element, x: float, y: float, width: float, height: float, **attributes: Value) -> Element:
    """A rectangle from its upper left corner; ``rx`` rounds its corners."""
    return SubElement(parent, "rect", _as_text({"x": x, "y": y, "width": width, "height": height, **attributes}))


def circle(parent: Element, x: float, y: float, radius: float, **attributes: Value) -> Element:
    """A circle around a point."""
    return SubElement(parent, "circle", _as_text({"cx": x, "cy": y, "r": radius, **attributes}))


def path(parent: Element, commands: str, **attributes: Value) -> Element:
    """A path in SVG's own commands."""
    return SubElement(parent, "path", _as_text({"d": commands, **attributes}))


def line(parent: Element, x1: float, y1: float, x2: float, y2: float, **attributes: Value) -> Element:
    """A straight line."""
    return SubElement(parent, "line", _as_text({"x1": x1, "y1": y1, "x2": x2, "y2": y2, **attributes}))


def text(
    parent: Element,
    x: float,
    y: float,
    content: Value,
    *,
    size: float = 11,
    bold: bool = False,
    anchor: str = "start",
    width: float | None = None,
    **attributes: Value,
) -> Element:
    """A line of text on the base line y, made smaller where it would be wider than ``width``."""
    content = str(content)
    size = size if width is None else fitted(content, size, bold, width)
    attributes = {"x": x, "y": y, "font_size": size, **attributes}
    if bold:
        attributes["font_weight"] = "bold"
    if anchor != "start":
        attributes["text_anchor"] = anchor
    element = SubElement(parent, "text", _as_text(attributes))
    element.text = _printable(content)
    return element


def tooltip(parent: Element, content: str) -> None:
    """What is shown when the mouse rests on the parent, and read aloud to those who cannot see it."""
    SubElement(parent, "title").text = _printable(content)


def _printable(content: str) -> str:
    """XML has no room for control characters, not even escaped."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in content)


def placed(x: float, y: float, scale: float = 1, turn: float = 0) -> dict[str, Value]:
    """The attribute that moves an element's origin to a point, and perhaps turns it clockwise and scales it."""
    transform = f"translate({x:.5g} {y:.5g})"
    if turn:
        transform += f" rotate({turn:g})"
    if scale != 1:
        transform += f" scale({scale:.4g})"
    return {"transform": transform}


def _as_text(attributes: dict[str, Value]) -> dict[str, str]:
    return {_attribute(key): one if isinstance(one, str) else _number(float(one)) for key, one in attributes.items()}


@lru_cache(_KEPT)
def _attribute(name: str) -> str:
    """What a keyword is called in SVG."""
    return name.removesuffix("_").replace("_", "-")


@lru_cache(_KEPT)
def _number(value: float) -> str:
    return f"{round(value, 2):g}"
