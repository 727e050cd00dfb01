"""Options that several commands have."""

from typing import Annotated

import typer

Workers = Annotated[
    int | None, typer.Option("--workers", help="Processes; by default one a core.", show_default=False, min=1)
]
OnRay = Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster, or a local one if there is none.")]
