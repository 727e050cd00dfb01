"""``ursuppe check``: replay records and compare them with the engine."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.line import counted, in_one_line
from ursuppe_env.records import RecordError, count_records, read_records
from ursuppe_env.records import check as first_difference

_DIFFERENT = 1


def check(
    files: Annotated[list[Path], typer.Argument(help="Files of records: .jsonl or .jsonl.gz.", show_default=False)],
) -> None:
    """Replay records and compare decisions, legal actions, states and results with the engine.

    Prints the first difference of each game that differs, and exits with status 1 if there is any.

    Example: ursuppe check games.jsonl.gz
    """
    games = different = 0
    with progress_bar() as progress:
        for file in files:
            in_file = 0
            # For the progress bar; not known without unpacking a compressed file, or emptying a pipe.
            number = count_records(file) if file.is_file() and file.suffix != ".gz" else None
            for record in progress.each(read_records(file), file.name, number):
                in_file += 1
                difference = first_difference(record)
                if difference:
                    different += 1
                    typer.echo(in_one_line(f"{file}, game {in_file}: {difference}"))
            if in_file == 0:
                raise RecordError(f"{file}: there is no record in it")
            games += in_file
    typer.echo(f"{counted(games, 'game')} checked, {different:,} {'differs' if different == 1 else 'differ'}")
    if different:
        raise typer.Exit(_DIFFERENT)
