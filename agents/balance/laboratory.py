"""Doing a study, and keeping what comes out."""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from ursuppe_agents.arena.folder import RunFolder, to_json, to_parquet
from ursuppe_agents.arena.parts import do_parts
from ursuppe_agents.arena.sitting import try_agents
from ursuppe_agents.balance.comparison import Comparison, compare
from ursuppe_agents.balance.variants import VariantStudy, play_variant


def compare_variants(
    study: VariantStudy,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[pl.DataFrame, Comparison]:
    """Play a study of variants, or what is left of it.

    Args:
        study: what to play.
        folder: where to keep the results: ``games.parquet``, ``summary.json``, ``report.html``, and each part as soon
            as it is done, so that the same call goes on where an interrupted one stopped. None: nowhere.
        workers: processes; None: one a core.
        ray: play on a Ray cluster instead.
        on_progress: called with the number of games that are over, at first and then after each part.

    Returns:
        A row for each game (``study.columns``), and the figures.

    Raises:
        AgentError: an agent crashed or gave an illegal action; the parts that are done are kept.
        ValueError: an argument is out of its range, a code describes no agent, a measure failed, or the folder belongs
            to something else.
        OSError: the folder cannot be read or written.
    """
    for variant in range(len(study.variants)):
        for tournament in study.tournaments(variant):
            try_agents(tournament)
    kept = None if folder is None else RunFolder(folder, study.as_dict(), study.columns)
    games = do_parts(play_variant, study.parts(), lambda part: part.keys, kept, workers, ray, on_progress)
    comparison = compare(study, games)
    if kept is not None:
        from ursuppe_agents.balance.report import comparison_report  # matplotlib, which the workers need not wait for

        kept.write("games.parquet", to_parquet(games))
        kept.write("summary.json", to_json(comparison.as_dict()))
        kept.write("report.html", comparison_report(comparison).encode())
    return games, comparison
