"""Options of the commands that run jobs."""

from typing import Annotated

import typer

Workers = Annotated[
    int | None,
    typer.Option("--workers", help="Number of processes; by default one per core.", show_default=False, min=1),
]
OnRay = Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster, or on a local one if there is none.")]
