"""What runs with several seeds have in common, and how far apart they are: figures, and a page.

A seed of training is one value: what varies from seed to seed is the training, and the intervals of means are those of
other seeds. The interval of a single run is that of its games alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ursuppe_lab.jobs.folder import to_json
from ursuppe_lab.reports.page import render_page
from ursuppe_lab.reports.text import about_intervals, as_json
from ursuppe_lab.statistics import Interval, bootstrap
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation.curves import draw_seed_curves
from ursuppe_training.evaluation.evaluate import Evaluation
from ursuppe_training.evaluation.history import WinRate
from ursuppe_training.evaluation.selection import best_step
from ursuppe_training.provenance import provenance_of

REPORT = "report.html"
SUMMARY = "summary.json"


@dataclass(frozen=True)
class SeedRun:
    """A run that is done."""

    seed: int
    history: tuple[WinRate, ...]  # its evaluations on the way
    evaluation: Evaluation | None  # of its best policy, on other dice; None if there is none
    best_response: Interval | None = None  # what the best that was tried against its policy wins; None: nothing was


@dataclass(frozen=True)
class SeedFigure:
    """The wins of the best policies of all runs at the same tables."""

    opponent: str  # as in ``evaluation.MatchupResult``
    games: int  # of each run
    of_runs: tuple[Interval, ...]  # the win rate of each, with the interval of its games
    mean: Interval  # over the runs, with the interval of other seeds of training, if there are enough


@dataclass
class SeedReport:
    """The figures of the runs that are done."""

    config: TrainingConfig  # their settings; its own seed has no meaning
    seeds: Sequence[int]  # of all runs, also of those to come
    runs: Sequence[SeedRun]  # at least one

    @property
    def about_intervals(self) -> str:
        """Whether means have intervals."""
        return about_intervals([len(self.runs)])

    @property
    def figures(self) -> list[SeedFigure]:
        """At the end of the runs."""
        evaluations = [run.evaluation for run in self.runs if run.evaluation is not None]
        return [
            SeedFigure(
                opponent=results[0].opponent,
                games=results[0].games,
                of_runs=tuple(result.win_rate for result in results),
                mean=_mean([result.win_rate.estimate for result in results]),
            )
            for results in zip(*(evaluation.results for evaluation in evaluations), strict=True)
        ]

    @property
    def best_responses(self) -> list[Interval]:
        """What they win alone against the best policy of each run: lower bounds of what is possible."""
        return [run.best_response for run in self.runs if run.best_response is not None]

    @property
    def best_response(self) -> Interval | None:
        """The mean of these over the runs; None if there are none."""
        found = self.best_responses
        return _mean([one.estimate for one in found]) if found else None

    def as_json(self) -> bytes:
        """All figures, as the content of a JSON file; a missing interval is null."""
        figures = {
            "settings": self.config.model_dump(mode="json", exclude={"seed"}, exclude_defaults=True),
            "provenance": provenance_of(self.config).model_dump(exclude={"seed", "decisions"}),
            "seeds": list(self.seeds),
            "runs": [{"seed": run.seed, "best_after": best_step(run.history)} for run in self.runs],
            "intervals": self.about_intervals,
            "results": [
                {"opponent": one.opponent, "games_of_each_run": one.games, "mean": one.mean, "runs": one.of_runs}
                for one in self.figures
            ],
            "best_responses": self.best_response and {"mean": self.best_response, "runs": self.best_responses},
        }
        return to_json(as_json(figures))

    def as_html(self) -> str:
        """The page: curves of all runs, and the figures of their best policies."""
        chance = self.runs[0].history[0].chance
        return render_page(
            "ursuppe_training.several_seeds",
            "report.html.j2",
            report=self,
            config=self.config,
            provenance=provenance_of(self.config),
            others=round(1 / chance) - 1,
            chance=chance,
            best_steps=[best_step(run.history) for run in self.runs],
            picture=draw_seed_curves([run.history for run in self.runs]),
        )


def _mean(values: Sequence[float]) -> Interval:
    return bootstrap(values, np.random.default_rng(0))
