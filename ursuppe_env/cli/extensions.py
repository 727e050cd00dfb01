"""What other packages add by entry points: commands (``ursuppe.commands``), and figures (``ursuppe.measures``)."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import typer

from ursuppe_env.cli.line import in_one_line


def extensions(group: str) -> dict[str, Callable[..., Any]]:
    """The functions that are registered in a group, by name.

    One that cannot be loaded is left out with a warning on stderr: it must not take the others with it.
    """
    found = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            found[entry.name] = _function(entry.load())
        except Exception as error:  # whatever the modules of others raise when they are imported
            owner = entry.dist.name if entry.dist else "an unknown distribution"
            reason = in_one_line(f"{type(error).__name__}: {error}")
            typer.echo(f"ursuppe: warning: {entry.name} of {owner} ({group}) cannot be loaded: {reason}", err=True)
    return found


def _function(loaded: Any) -> Callable[..., Any]:
    if not callable(loaded):
        raise TypeError(f"{loaded!r} is no function")
    return loaded
