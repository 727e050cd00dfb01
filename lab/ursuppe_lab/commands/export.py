"""``ursuppe export``: recorded games as tables."""

from bisect import bisect_left
from itertools import accumulate, chain
from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.extras import require_extra
from ursuppe_env.line import counted
from ursuppe_env.records import RecordError, count_records, read_records


def export(
    records: Annotated[list[Path], typer.Argument(help="Files of records, .jsonl or .jsonl.gz, one after the other.")],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="New folder for the tables: games, decisions, rounds, actions.")
    ],
    observations: Annotated[
        str | None,
        typer.Option(metavar="DTYPE", help="Add to each decision what its player sees, as uint8, float16 or float32."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a data set that exists.")] = False,
) -> None:
    """Write recorded games as tables: Parquet files, which Polars, pandas and DuckDB read.

    With --out games, the folders games/games, games/decisions, games/rounds and games/actions are written. Games are
    numbered through all files.

    Example: ursuppe export games.jsonl.gz --out games
    """
    require_extra("arena")
    from ursuppe_lab.data import export_records
    from ursuppe_lab.data.export import check_folder

    check_folder(out, force)
    with progress_bar() as progress:
        counts = [count_records(file) for file in records]
        games = progress.each(chain.from_iterable(map(read_records, records)), "games", sum(counts))
        try:
            exported = export_records(games, out, observations, force)
        except RecordError as error:
            raise ValueError(_located(error, records, counts)) from None
    typer.echo(f"{out}: {counted(exported.games, 'game')}, {counted(exported.decisions, 'decision')}")


def _located(error: RecordError, files: list[Path], counts: list[int]) -> str:
    """The message, with the file of the game and its number there; that of a file that cannot be read has both."""
    if error.game is None:
        return str(error)
    before = [0, *accumulate(counts)]
    file = bisect_left(before, error.game) - 1
    reason = str(error).removeprefix(f"game {error.game}: ")
    return f"{files[file]}, game {error.game - before[file]}: {reason}"
