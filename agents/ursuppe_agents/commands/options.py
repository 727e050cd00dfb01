"""The options by which a person trusts modules and programs that a file names."""

from typing import Annotated

import typer

from ursuppe_agents.registry import allowed_command

AllowModule = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE",
        help="A Python module that the file may name agents or measures of, as module:name, to import it; may be given "
        "several times.",
        show_default=False,
    ),
]
AllowCommand = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help="A program that the file may name as an agent, process:COMMAND, to start it; may be given several times.",
        show_default=False,
    ),
]


def allowed_code(modules: list[str] | None, commands: list[str] | None) -> list[str]:
    """What a file may have run, as ``ursuppe_agents.registry.check_foreign_code`` takes it."""
    return [*(modules or ()), *map(allowed_command, commands or ())]
