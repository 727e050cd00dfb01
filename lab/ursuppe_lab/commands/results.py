"""What the commands share that keep their results in a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Folder for games.parquet, summary.json and report.html. The same command with the same folder resumes an "
        "interrupted run.",
        show_default=False,
    ),
]


@contextmanager
def resumable(out: Path | None) -> Iterator[None]:
    """An interruption says what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"The parts that are done are in {out}; the same command resumes the run.", err=True)
        raise


def tell_files(out: Path | None) -> None:
    """Say where the results are."""
    if out is not None:
        typer.echo(f"{out / 'report.html'}: the report, with plots; beside it summary.json and games.parquet")
