"""The search for a fairer game: numbers of a ruleset with which all genes are worth about as much as they cost.

The target is the spread of the genes: the standard deviation, over the genes, of worth minus price in BP, as trials
measure it (``worth.py``). Where it is 0, no gene is a better buy than another. All candidates have the same dice; what
is found is then compared with the beginning on fresh ones.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from ursuppe_agents.balance.candidates import AFTER, BEFORE, Candidate, FairerSearch, next_values
from ursuppe_agents.balance.laboratory import OnProgress, keep_results, play_all_trials
from ursuppe_agents.balance.spread import Surpluses, spread, surpluses
from ursuppe_agents.balance.study import described
from ursuppe_agents.balance.trials import COLUMNS, GeneStudy
from ursuppe_agents.balance.worth import GeneWorth, gene_worth
from ursuppe_agents.jobs.folder import RunFolder
from ursuppe_agents.statistics import Interval

__all__ = ["Candidate", "FairerGame", "FairerSearch", "search_fairer"]


@dataclass(frozen=True)
class FairerGame:
    """What came out of a search.

    Attributes:
        search: what was searched.
        candidates: in the order in which they were tried.
        best: the one with the least variance.
        check: before and after, on fresh dice.
        before: spread on fresh dice, in BP.
        after: the same with the best candidate.
        change: of the spread, by pairs.
    """

    search: FairerSearch
    candidates: list[Candidate]
    best: Candidate
    check: GeneWorth
    before: Interval | None
    after: Interval | None
    change: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        spreads = {BEFORE: self.before, AFTER: self.after, "change": self.change}
        return {
            "search": self.search.as_dict(),
            "intervals": self.search.trials.about_intervals,
            "candidates": [
                {"values": found.values, "spread": found.spread and found.spread._asdict(), "variance": found.variance}
                for found in self.candidates
            ],
            "found": {"values": self.best.values, "ruleset": described(self.search.changed(self.best.values))},
            "spread": {name: figure and figure._asdict() for name, figure in spreads.items()},
            "check": self.check.as_dict(),
        }


def search_fairer(
    search: FairerSearch,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: OnProgress | None = None,
) -> FairerGame:
    """Search for a fairer game, or go on with that.

    The same search tries the same candidates, however often it is interrupted.

    Arguments and errors are those of ``compare_variants``; the folder has one for each candidate and one for the check.
    """
    kept = None if folder is None else RunFolder(folder, search.as_dict(), COLUMNS)
    over = 0

    def report(games: int) -> None:
        if on_progress is not None:
            on_progress(over + games)

    def play(study: GeneStudy, name: str) -> pl.DataFrame:
        return play_all_trials(study, None if folder is None else folder / name, workers, ray, report)[1]

    tried: list[Candidate] = []
    for number in range(search.candidates):
        values = next_values(search, tried)
        candidate = next((earlier for earlier in tried if earlier.values == values), None)
        if candidate is None:
            study = replace(search.trials, variants=(("candidate", search.changed(values)),))
            candidate = _measured(study, values, play(study, f"candidate-{number:03}"))
        tried.append(candidate)
        over += search.trials.total_games
    best = min(tried, key=lambda candidate: candidate.variance)
    check = search.check(search.changed(best.values))
    rows = play(check, "check")
    before, after = (spread(_at_tables(check, rows, variant)) for variant in range(2))
    game = FairerGame(
        search=search,
        candidates=tried,
        best=best,
        check=gene_worth(check, rows),
        before=before.interval(),
        after=after.interval(),
        change=after.minus(before).interval(),
    )
    if kept is not None:
        from ursuppe_agents.balance.report import fairer_report  # matplotlib, which the workers need not wait for

        keep_results(kept, rows, game.as_dict(), fairer_report(game))
    return game


def _measured(study: GeneStudy, values: dict[str, int], rows: pl.DataFrame) -> Candidate:
    found = _at_tables(study, rows, 0)
    variance = float(np.mean([at_table.variance().estimate for at_table in found]))
    return Candidate(values, spread(found).interval(), variance, found)


def _at_tables(study: GeneStudy, rows: pl.DataFrame, variant: int) -> list[Surpluses]:
    return [surpluses(study, rows, variant, table) for table in range(len(study.tables))]
