"""What the commands share that play for long: workers, and a folder in which an interrupted run is resumed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.line import in_one_line

Workers = Annotated[int | None, typer.Option("--workers", help="Number of processes; by default one per core.", min=1)]
OnRay = Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster, or on a local one if there is none.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help="Folder for games.parquet, summary.json and report.html. The same command with the same folder resumes an "
        "interrupted run.",
    ),
]


def say(line: str) -> None:
    """Print what is of interest meanwhile, on stderr and in one line."""
    typer.echo(in_one_line(line), err=True)


@contextmanager
def resumable(out: Path | None) -> Iterator[None]:
    """An interruption says what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        if out is not None:
            typer.echo(f"The parts that are done are in {out}; the same command resumes the run.", err=True)
        raise


@contextmanager
def games_progress(total: int, out: Path | None = None) -> Iterator[Callable[..., None]]:
    """A progress bar of so many games, told how many are over; an interruption says what is kept in a folder.

    It can be told ``(over, total, doing)`` of something else, too.
    """
    from ursuppe_env.cli.progress import progress_bar  # of the command line, which loads all commands, this one too

    with progress_bar() as progress, resumable(out):
        task = progress.add_task("games", total=total)

        def show(over: int, total: int = total, doing: str = "games") -> None:
            progress.update(task, description=doing, completed=over, total=total)

        yield show


def tell_files(out: Path | None) -> None:
    """Say where the results are."""
    if out is not None:
        typer.echo(f"{out / 'report.html'}: the report, with plots; beside it summary.json and games.parquet")
