"""What is said of values and words that come from others: one line that any terminal can show."""

from typing import Any

_LONGEST = 600
_LONGEST_VALUE = 200


def in_one_line(text: str, longest: int = _LONGEST) -> str:
    """The text without line breaks and control characters, and without its middle if it is very long."""
    text = " ".join(text.split())
    if len(text) > longest:
        text = f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def quoted(value: Any) -> str:
    """A value as Python writes it; an array, too, is one short line."""
    return in_one_line(repr(value), _LONGEST_VALUE)
