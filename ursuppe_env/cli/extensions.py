"""The commands that other packages add by entry points (``ursuppe.commands``)."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import typer

from ursuppe_env.extras import MissingExtraError
from ursuppe_env.line import in_one_line


class NotInstalled:
    """In place of a function of this package whose extra is not installed."""

    def __init__(self, error: MissingExtraError) -> None:
        self._error = error

    def __str__(self) -> str:
        return f"Not available: {self._error}"

    def __call__(self) -> None:
        """Say what is missing.

        Raises:
            MissingExtraError: always.
        """
        raise self._error


def extensions(group: str) -> dict[str, Callable[..., Any]]:
    """The functions that are registered in a group, by name.

    One that cannot be loaded is left out with a warning on stderr: it must not take the others with it. One that needs
    an extra that is not installed is ``NotInstalled``.
    """
    found: dict[str, Callable[..., Any]] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            loaded = entry.load()
            if not callable(loaded):
                raise TypeError(f"{loaded!r} is no function")
            found[entry.name] = loaded
        except MissingExtraError as error:
            found[entry.name] = NotInstalled(error)
        except Exception as error:  # whatever the modules of others raise when they are imported
            owner = entry.dist.name if entry.dist else "an unknown distribution"
            reason = in_one_line(f"{type(error).__name__}: {error}")
            typer.echo(f"ursuppe: warning: {entry.name} of {owner} ({group}) cannot be loaded: {reason}", err=True)
    return found
