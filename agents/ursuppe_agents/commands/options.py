"""The options by which a person trusts modules and programs that a file names."""

from typing import Annotated

import typer

from ursuppe_agents.registry import allowed_command

AllowModule = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE",
        help="Allow the file to name agents or measures of this Python module (module:name), which is then imported. "
        "Can be repeated.",
        show_default=False,
    ),
]
AllowCommand = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COMMAND",
        help="Allow the file to name this program as an agent (process:COMMAND), which is then started. Can be "
        "repeated.",
        show_default=False,
    ),
]


def allowed_code(modules: list[str] | None, commands: list[str] | None) -> list[str]:
    """What a file may have run, as ``ursuppe_agents.registry.check_foreign_code`` takes it."""
    return [*(modules or ()), *map(allowed_command, commands or ())]
