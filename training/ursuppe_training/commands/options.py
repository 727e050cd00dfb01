"""Options that the commands of training share."""

from typing import Annotated

import typer

Threads = Annotated[
    int | None,
    typer.Option(
        help="Cores to train with, of each run; by default all, or an equal share. What is learned does not depend on "
        "it.",
        show_default=False,
        min=1,
    ),
]
