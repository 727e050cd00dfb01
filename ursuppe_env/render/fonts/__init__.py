"""The fonts of the pictures, and how wide a text is in them.

A picture must look the same everywhere, and a machine without a screen often has no fonts at all: these come along.
They are DejaVu Sans (licence: ``LICENSE_DEJAVU``), cut down to the letters of Western languages and a few signs.
"""

from functools import cache, lru_cache
from pathlib import Path

from PIL import ImageFont

_FOLDER = Path(__file__).parent
_REGULAR, _BOLD = _FOLDER / "DejaVuSans.ttf", _FOLDER / "DejaVuSans-Bold.ttf"

FONT_FILES = (str(_REGULAR), str(_BOLD))
FAMILIES = "DejaVu Sans, Verdana, sans-serif"  # the second has the same widths
_MEASURED_AT = 100


@lru_cache(maxsize=4096)  # nearly all texts of a picture are in the next one, too
def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a line of text of this size, in px."""
    return _font(bold).getlength(text) * size / _MEASURED_AT


def fitted(text: str, size: float, bold: bool, width: float) -> float:
    """The size, or as much less as the text needs to be no wider than this."""
    return min(size, size * width / max(text_width(text, size, bold), 1))


def wrapped(text: str, size: float, width: float, most: int) -> list[str]:
    """The text in at most so many lines of this width; the last one ends in an ellipsis if it is longer."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > most:
        lines[most - 1 :] = [" ".join(lines[most - 1 :])]
    return [_shortened(line, size, width) for line in lines]


def _shortened(text: str, size: float, width: float) -> str:
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "…", size) > width:
        text = text[: -1 - len(text) // 10]
    return text.rstrip() + "…"


@cache
def _font(bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_BOLD if bold else _REGULAR, _MEASURED_AT, layout_engine=ImageFont.Layout.BASIC)
