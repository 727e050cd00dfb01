"""Does a policy that sees the rules adapt? It is compared with specialists, who have learned one ruleset and no other.

A specialist is trained on one ruleset alone (``ursuppe train``, docs/balance-lab.md). Who has adapted to that ruleset
finds the same genes good buys there as its specialists. So the same trials are made of both, and compared are how
unequal the genes are, and the worth of each gene. Each policy has dice of its own; several specialists of a ruleset
stand for all that such a training may bring forth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import special  # type: ignore[import-untyped]

from studies.bars import ADAPTING, PRICES_IN_WORDS, UNITS, Bar, FoundBars, is_shown, measured_bars, rooted
from studies.pages import bold, listed, table, title
from studies.predictions import FIGURES, ByGene, FoundPredictions, Quality, figures_of, quality, shown_horizon
from studies.trials import OnProgress, gene_trials
from ursuppe_env import Ruleset
from ursuppe_lab.balance import GeneStudy, GeneWorth, measure_genes
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.discoveries import adjusted
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped

_SPECIALISTS = "specialists"


@dataclass(frozen=True, kw_only=True)
class Specialists:
    """Policies that were trained on a ruleset alone, and trials of them.

    Args:
        name: of the ruleset.
        ruleset: on which they were trained.
        policies: their specs, at least one.
        games: with trials, of each, played to the end.
        seed: each has dice of its own that follow from it.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    name: str
    ruleset: Ruleset
    policies: tuple[str, ...]
    games: int = 2000
    seed: int = 1998

    def __post_init__(self) -> None:
        if not self.policies:
            raise ValueError("policies is empty; it must name at least one specialist")
        _ = self.studies

    @property
    def studies(self) -> list[GeneStudy]:
        """One of each policy."""
        return [
            gene_trials(
                f"Specialist {number} of {self.name}",
                [policy],
                [(self.name, self.ruleset)],
                self.games,
                int(np.random.SeedSequence([self.seed, 3, number]).generate_state(1, np.uint64)[0]),
            )
            for number, policy in enumerate(self.policies)
        ]


class BesideGeneralist(NamedTuple):
    """A spread of the genes, to specialists and to policies that know many rulesets.

    Attributes:
        specialists: to those.
        generalists: to these.
        difference: specialists minus generalists.
        p: its p-value by itself; None if there is none, or there are too few games to say.
    """

    specialists: Interval | None
    generalists: Interval | None
    difference: Interval | None
    p: float | None


@dataclass(frozen=True)
class FoundSpecialists:
    """What came out of one ruleset.

    Attributes:
        specialists: who played.
        bars: the spread of the genes to them, by unit.
        figures: of genes, by figure: the mean of the specialists.
    """

    specialists: Specialists
    bars: dict[str, Bar]
    figures: dict[str, ByGene]

    def beside(self, generalists: dict[str, Bar]) -> dict[str, BesideGeneralist]:
        """The same spreads to generalists, by unit."""
        return {unit: beside(self.bars[unit], generalists[unit]) for unit in UNITS}

    def quality(self, figure: str, predicted: ByGene) -> Quality | None:
        """How far figures of generalists are apart from those of the specialists; None if there were too few games."""
        here = {key: one for key, one in predicted.items() if key[0] == self.specialists.name}
        clusters = min(self.specialists.studies[0].num_seeds(0, 0), MOST_CLUSTERS)
        return quality(figure, here, self.figures[figure], clusters)


def play_specialists(
    specialists: Specialists,
    folder: Path,
    workers: int | None = None,
    on_progress: OnProgress = lambda name, over, total: None,
) -> FoundSpecialists:
    """Play the trials, or what is left of them.

    Args:
        specialists: who plays.
        folder: gets a folder for each policy.
        workers: processes; None: one per core.
        on_progress: is told how far it is.

    Raises:
        AgentError: an agent crashed; the parts that are done are kept.
        ValueError: an agent does not exist, a folder holds something else, or there were too few games.
        OSError: a folder cannot be read or written.
    """
    played: list[tuple[GeneStudy, pl.DataFrame]] = []
    worths: list[GeneWorth] = []
    for number, study in enumerate(specialists.studies):
        name = f"{_SPECIALISTS}-{specialists.name}-{number}"

        def watched(over: int, name: str = name, total: int = study.total_games) -> None:
            on_progress(name, over, total)

        rows, worth = measure_genes(study, folder / name, workers, on_progress=watched)
        played.append((study, rows))
        worths.append(worth)
    bars = measured_bars({_SPECIALISTS: played})
    return FoundSpecialists(
        specialists,
        {unit: bars[unit, _SPECIALISTS, specialists.name] for unit in UNITS},
        {
            figure: _mean_of([figures_of(figure, rows, worth) for (_, rows), worth in zip(played, worths, strict=True)])
            for figure in FIGURES
        },
    )


def beside(specialists: Bar, generalists: Bar) -> BesideGeneralist:
    """Two bars of different agents, with dice of their own: Welch's t of their variances."""
    if specialists.spread is None or generalists.spread is None:
        return BesideGeneralist(specialists.spread, generalists.spread, None, None)
    (mean, error, freedom), (other, other_error, other_freedom) = _moments(specialists), _moments(generalists)
    both = (error**2 + other_error**2) ** 0.5
    degrees = both**4 / (error**4 / freedom + other_error**4 / other_freedom)
    t = float(special.stdtrit(degrees, 0.975))
    apart = Interval(mean - other, mean - other - t * both, mean - other + t * both)
    p = float(2 * special.stdtr(degrees, -abs(mean - other) / both))
    difference = rooted(apart, specialists.spread, generalists.spread)
    return BesideGeneralist(specialists.spread, generalists.spread, difference, p)


def _moments(bar: Bar) -> tuple[float, float, float]:
    """The mean of a bar's variances, its standard error, and the degrees of freedom of that."""
    values = [variance.estimate for variance in bar.variances]
    if bar.is_sample:
        return float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5, len(values) - 1
    resampled = np.mean([variance.resampled for variance in bar.variances], axis=0)
    return float(np.mean(values)), float(resampled.std(ddof=1)), bar.clusters - 1


def _mean_of(of_policies: Sequence[ByGene]) -> dict[tuple[str, str], Bootstrapped]:
    """Of each gene that all of them know."""
    known = set.intersection(*(set(figures) for figures in of_policies))
    return {
        key: Bootstrapped(
            float(np.mean([figures[key].estimate for figures in of_policies])),
            np.mean([figures[key].resampled for figures in of_policies], axis=0),
        )
        for key in of_policies[0]
        if key in known
    }


def specialist_bars_table(found: Sequence[FoundBars], specialists: Sequence[FoundSpecialists]) -> str:
    """Whether those that adapt find the genes as unequal as those who have learned nothing else."""
    bars = {one.bars.players: one.spreads for one in found}
    compared = []
    for one in specialists:
        players, prices = one.specialists.ruleset.players, one.specialists.name
        generalists = {unit: bars[players][unit, ADAPTING, prices] for unit in UNITS}
        compared += [(players, prices, unit, both) for unit, both in one.beside(generalists).items()]
    rows = [
        [
            str(players),
            PRICES_IN_WORDS[prices],
            unit,
            *(value(spread, ".2f") for spread in (both.generalists, both.specialists)),
            bold(both.difference, is_shown(p)),
        ]
        for (players, prices, unit, both), p in zip(compared, adjusted([both.p for *_, both in compared]), strict=True)
    ]
    heading = ["players", "prices", "spread in", "who sees the prices", "specialists", "difference"]
    return table(heading, rows, texts=3)


def specialist_predictions_table(found: FoundPredictions, specialists: Sequence[FoundSpecialists]) -> str:
    """Predictions of the policy that knows many rulesets, beside what specialists of some of them play."""
    rows = []
    for one in specialists:
        for figure in FIGURES:
            apart = one.quality(figure, found.figures[shown_horizon(found.study), figure])
            if apart is not None:  # else there were too few games
                differing = listed([title(pair.gene) for pair in apart.disagreeing])
                cells = [value(apart.beyond_chance, ".1f"), value(apart.mean, "+.1f"), f"{apart.rank_correlation:.2f}"]
                rows.append([one.specialists.name, figure, str(len(apart.pairs)), *cells, differing])
    heading = ["ruleset", "figure", "genes", "apart beyond chance", "too high by", "rank correlation", "differ"]
    return table(heading, rows, texts=2)
