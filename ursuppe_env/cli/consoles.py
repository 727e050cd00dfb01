"""Where tables are printed."""

from rich.console import Console

_WIDTH = 140  # where the output is no terminal


def tables_console() -> Console:
    """The terminal, or what is wide enough for tables."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(width=_WIDTH, highlight=False)
