"""Options that the commands of training share."""

from typing import Annotated

import typer

Threads = Annotated[
    int | None,
    typer.Option(
        help="Cores for each run; by default all, or an equal share. They do not change what is learned.",
        show_default=False,
        min=1,
    ),
]
