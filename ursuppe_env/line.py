"""How counts, times, and the values and words of others are said: in one line that any terminal can show."""

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


def counted(number: int, thing: str, things: str | None = None) -> str:
    """``1 game``, ``1,200 games``; ``things`` is the plural where it is not an ``s`` more."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def in_minutes(seconds: float) -> str:
    """A time in words, such as ``40 seconds``, ``4 minutes`` or ``1.6 hours``."""
    if seconds < 90:
        return counted(round(seconds), "second")
    return counted(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"
