"""The few SVG elements that the pictures are made of.

Every function appends one element to its parent and returns it. Further attributes are given by keywords, with ``_``
for ``-`` in the names: ``stroke_width=2``, ``data_space=5``, ``class_="cube"``; numbers are rounded to 1/100 px.
"""

from functools import lru_cache
from xml.sax.saxutils import escape

from ursuppe_env.render.fonts import FAMILIES, fitted

Value = str | int | float

_KEPT = 8192  # attributes and texts: pictures have the same ones again and again


class Element:
    """An element with its attributes, its text, and what is in it; the standard library takes twice as long for one."""

    __slots__ = ("_begin", "_children", "_tag", "text")

    def __init__(self, tag: str, attributes: dict[str, Value], parent: "Element | None" = None) -> None:
        self._tag, self.text = tag, ""
        self._begin = f"<{tag}{''.join([_attribute(name, value) for name, value in attributes.items()])}"
        self._children: list[Element] = []
        if parent is not None:
            parent._children.append(self)

    def set(self, name: str, value: str) -> None:
        """One more attribute."""
        self._begin += _attribute(name, value)

    def markup(self) -> str:
        """The element as SVG has it."""
        inside = self.text + "".join([child.markup() for child in self._children])
        return f"{self._begin}>{inside}</{self._tag}>" if inside else f"{self._begin} />"


def picture(width: float, height: float, **attributes: Value) -> Element:
    """The outermost element, of this size in px."""
    general: dict[str, Value] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": width,
        "height": height,
        "font_family": FAMILIES,
    }
    return Element("svg", {**general, **attributes})


def group(parent: Element, **attributes: Value) -> Element:
    """A group; what is appended to it belongs together."""
    return Element("g", attributes, parent)


def rectangle(parent: Element, x: float, y: float, width: float, height: float, **attributes: Value) -> Element:
    """A rectangle from its upper left corner; ``rx`` rounds its corners."""
    return Element("rect", {"x": x, "y": y, "width": width, "height": height, **attributes}, parent)


def circle(parent: Element, x: float, y: float, radius: float, **attributes: Value) -> Element:
    """A circle around a point."""
    return Element("circle", {"cx": x, "cy": y, "r": radius, **attributes}, parent)


def path(parent: Element, commands: str, **attributes: Value) -> Element:
    """A path in SVG's own commands."""
    return Element("path", {"d": commands, **attributes}, parent)


def line(parent: Element, x1: float, y1: float, x2: float, y2: float, **attributes: Value) -> Element:
    """A straight line."""
    return Element("line", {"x1": x1, "y1": y1, "x2": x2, "y2": y2, **attributes}, parent)


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
    element = Element("text", attributes, parent)
    element.text = _printable(content)
    return element


def tooltip(parent: Element, content: str) -> None:
    """What is shown when the mouse rests on the parent, and read aloud to those who cannot see it."""
    Element("title", {}, parent).text = _printable(content)


@lru_cache(_KEPT)
def _printable(content: str) -> str:
    """Escaped; control characters are replaced, as XML has no room for them."""
    return escape("".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in content))


def placed(x: float, y: float, scale: float = 1, turn: float = 0) -> dict[str, Value]:
    """The attribute that moves an element's origin to a point, and perhaps turns it clockwise and scales it."""
    transform = f"translate({x:.5g} {y:.5g})"
    if turn:
        transform += f" rotate({turn:g})"
    if scale != 1:
        transform += f" scale({scale:.4g})"
    return {"transform": transform}


@lru_cache(_KEPT)
def _attribute(name: str, value: Value) -> str:
    text = escape(value, {'"': "&quot;"}) if isinstance(value, str) else f"{round(float(value), 2):g}"
    return f' {name.removesuffix("_").replace("_", "-")}="{text}"'
