"""``ursuppe export``: recorded games as tables."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.counts import counted
from ursuppe_env.extras import require_extra
from ursuppe_env.records import RecordError, count_records, read_records


def export(
    records: Annotated[Path, typer.Argument(help="File of records: .jsonl or .jsonl.gz.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="New folder for the tables: games, decisions, rounds, actions.", show_default=False
        ),
    ],
    observations: Annotated[
        str | None,
        typer.Option(
            metavar="DTYPE",
            help="Add what the deciding player sees to each decision: as uint8, float16 or float32.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write recorded games as tables: Parquet files, which Polars, pandas and DuckDB read.

    `ursuppe export games.jsonl.gz --out games` writes the folders games/games, games/decisions, games/rounds and
    games/actions.
    """
    require_extra("arena")
    from ursuppe_agents.data import export_records
    from ursuppe_agents.data.export import check_new_folder

    check_new_folder(out)
    with progress_bar() as progress:
        games = progress.each(read_records(records), "games", count_records(records))
        try:
            exported = export_records(games, out, observations)
        except RecordError as error:
            raise ValueError(str(error) if str(error).startswith(f"{records}, ") else f"{records}, {error}") from None
    typer.echo(f"{out}: {counted(exported.games, 'game')}, {counted(exported.decisions, 'decision')}")
