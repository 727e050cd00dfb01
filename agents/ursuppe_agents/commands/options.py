"""The option by which a person trusts a module that a file names."""

from typing import Annotated

import typer

AllowModule = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE",
        help="A Python module that the file may name agents or measures of, as module:name, to import it; may be given "
        "several times.",
        show_default=False,
    ),
]
