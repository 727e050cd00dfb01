"""Options that several commands have."""

from typing import Annotated

import typer

Workers = Annotated[
    int | None, typer.Option("--workers", help="Processes; by default one a core.", show_default=False, min=1)
]
AllowModule = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODULE",
        help="A Python module that the file may name agents or measures of, as module:name, to import it; may be given "
        "several times.",
        show_default=False,
    ),
]
OnRay = Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster, or a local one if there is none.")]
