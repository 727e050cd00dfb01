"""Playing a whole tournament, and keeping its results."""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from ursuppe_lab.arena.matches import keys_of, try_agents
from ursuppe_lab.arena.play import ADDED, COLUMNS, play_batch
from ursuppe_lab.arena.summary import Summary, summarise
from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.jobs.folder import RunFolder, to_parquet
from ursuppe_lab.jobs.origins import origins_of
from ursuppe_lab.jobs.parts import do_parts


def play_tournament(
    tournament: Tournament,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[pl.DataFrame, Summary]:
    """Play a tournament, or what is left of it.

    The rows are the same whatever the workers, but for the time that agents took and what agents with a time budget do.

    Args:
        tournament: what to play.
        folder: where to keep the results: ``games.parquet``, ``summary.json``, ``report.html``, and each part as soon
            as it is done, so that the same call resumes an interrupted one. None: nowhere.
        workers: processes; None: one per core.
        ray: play on a Ray cluster instead.
        on_progress: called with the number of games that are over, at first and then after each part.

    Returns:
        A row for each game (``ursuppe_lab.arena.play.COLUMNS``), and their summary.

    Raises:
        AgentError: an agent crashed or gave an illegal action; the parts that are done are kept.
        ValueError: an argument is out of its range, a spec describes no agent, or the folder belongs to something else.
        OSError: the folder cannot be read or written.
    """
    try_agents(tournament)
    kept = None
    if folder is not None:
        origins = origins_of(tournament.agents, [tournament.ruleset.players])
        kept = RunFolder(folder, tournament.as_dict(), COLUMNS, ADDED, origins)
    games = do_parts(play_batch, tournament.batches(), keys_of, kept, workers, ray, on_progress)
    summary = summarise(tournament, games)
    if kept is not None:
        from ursuppe_lab.arena.report import html_report  # matplotlib, which the workers need not wait for

        kept.write("games.parquet", to_parquet(games))
        kept.write_summary(summary.as_dict())
        kept.write("report.html", html_report(summary, kept.origins).encode())
    return games, summary
