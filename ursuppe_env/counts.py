"""Counts in words."""


def counted(number: int, thing: str, things: str | None = None) -> str:
    """``1 game``, ``1,200 games``; ``things`` is the plural where it is not an ``s`` more."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
