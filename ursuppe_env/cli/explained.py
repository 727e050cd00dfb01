"""The help of commands: how their docstrings are shown.

A docstring is paragraphs, wherever their lines end; the last one may be an example, ``Example: ursuppe …``, which comes
after the options.
"""

import inspect
from typing import Any

from typer import Context
from typer.core import TyperGroup, TyperOption

_EXAMPLE = "\n\nExample: "


class ExplainedGroup(TyperGroup):
    """The group of all commands, whose help reads alike wherever they come from."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        _explain(self)


def _explain(command: Any) -> None:
    """Let text take the width of the terminal, put the example last, and show types in a word; flags have none."""
    text, example, line = inspect.cleandoc(command.help or "").rpartition(_EXAMPLE)
    paragraphs = text if example else line
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs.split("\n\n"))
    if example:
        command.epilog = f"Example: {line}"
    context = Context(command)
    for parameter in command.get_params(context):
        if isinstance(parameter, TyperOption) and parameter.metavar is None:
            parameter.metavar = "" if parameter.is_flag else parameter.display_type(context).replace(" range", "")
    for below in getattr(command, "commands", {}).values():
        _explain(below)
