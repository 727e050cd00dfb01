"""Playing a whole tournament, and keeping what comes out."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import polars as pl

from ursuppe_agents.arena.folder import RunFolder, to_json, to_parquet
from ursuppe_agents.arena.play import COLUMNS, keys_of, play_chunk, try_agents
from ursuppe_agents.arena.runner import run_jobs, run_jobs_on_ray
from ursuppe_agents.arena.summary import Summary, summarise
from ursuppe_agents.arena.tournament import Tournament


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
            as it is done, so that the same call goes on where an interrupted one stopped. None: nowhere.
        workers: processes; None: one a core.
        ray: play on a Ray cluster instead.
        on_progress: called with the number of games that are over, at first and then after each part.

    Returns:
        A row for each game (``ursuppe_agents.arena.play.COLUMNS``), and their summary.

    Raises:
        AgentError: an agent crashed or gave an illegal action; the parts that are done are kept.
        ValueError: an argument is out of its range, a code describes no agent, or the folder belongs to something else.
        OSError: the folder cannot be read or written.
    """
    if ray and workers is not None:
        raise ValueError(f"workers is {workers}, but a Ray cluster has its own; give one of both")
    chunks = tournament.chunks()
    try_agents(tournament)
    kept = None if folder is None else RunFolder(folder, tournament.as_dict(), COLUMNS)
    found = {} if kept is None else {chunk.number: kept.read(chunk.number, keys_of(chunk)) for chunk in chunks}
    done = {number: rows for number, rows in found.items() if rows is not None}
    if on_progress is not None:
        on_progress(sum(map(len, done.values())))
    left = [chunk for chunk in chunks if chunk.number not in done]
    with closing(run_jobs_on_ray(play_chunk, left) if ray else run_jobs(play_chunk, left, workers)) as results:
        for chunk, rows in results:
            if kept is not None:
                kept.write_part(chunk.number, rows)
            done[chunk.number] = rows
            if on_progress is not None:
                on_progress(sum(map(len, done.values())))
    games = pl.concat([done[chunk.number] for chunk in chunks])
    summary = summarise(tournament, games)
    if kept is not None:
        from ursuppe_agents.arena.report import html_report  # matplotlib, which the workers need not wait for

        kept.write("games.parquet", to_parquet(games))
        kept.write("summary.json", to_json(summary.as_dict()))
        kept.write("report.html", html_report(summary).encode())
    return games, summary
