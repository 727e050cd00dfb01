"""Counts in words."""


def counted(number: int, thing: str, things: str | None = None) -> str:
    """``1 game``, ``1,200 games``; ``things`` is the plural where it is not an ``s`` more."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def in_minutes(seconds: float) -> str:
    """A time in words, such as ``40 seconds``, ``4 minutes`` or ``1.6 hours``."""
    if seconds < 90:
        return counted(round(seconds), "second")
    return counted(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"
