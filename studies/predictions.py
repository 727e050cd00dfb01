"""Amortised balance: how good are predicted trials of genes, over rulesets that nobody has ever played?

A policy that was trained on varied rulesets predicts chances of winning with any ruleset. So it predicts in seconds
what trials would take minutes to find out: the worth of genes with a ruleset that has just been thought of. K rulesets
are drawn as its training drew its own, with a seed of no training. With each, the same games branch at the same
purchases, once with each *horizon* (rounds that are played after that of the purchase, ``GeneStudy.horizon``) and once
to the end. Compared are *paid*, in points of the chance of winning, and the neutral price, in BP, where both ways know
it to within 12 BP.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from studies.pages import OnProgress, listed, table, title, watched
from ursuppe_agents.evaluator import Trained
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import GeneStudy, GeneWorth, measure_genes
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID
from ursuppe_lab.balance.figures.worth import by_game
from ursuppe_lab.balance.predictions import predictor_of
from ursuppe_lab.balance.question import HORIZON
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval, Resampling
from ursuppe_lab.statistics.discoveries import adjusted, p_value
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped, Sums, sums_by_cluster
from ursuppe_training.seeds import Seed

#: In which purchases are interfered with: what is bought later hardly matters any more.
TRIAL_ROUNDS = (1, 2, 3, 4, 5, 6)
_BONUS = 5  # BP that are given to find out what a BP does
_WIDEST = 12.0  # BP, of the interval of a neutral price that is compared: of wider ones nothing is known
_FEWEST_PAIRS = 3
_WORST = 3  # rulesets that are named

PAID, NEUTRAL_PRICE = "paid", "neutral price"
#: Of each figure: numerator and denominator of ``by_game``, and what it is multiplied by (points; BP).
FIGURES = {PAID: ("paid", "payable", 100), NEUTRAL_PRICE: ("given", "bp", 1)}

#: Figures of genes, by the ruleset's name and the gene's.
ByGene = Mapping[tuple[str, str], Bootstrapped]


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """What is played for one number of players.

    Args:
        players: P.
        agent: spec of a policy that was trained on varied rulesets, or of a search by one.
        rulesets: K, how many are drawn.
        games: with each of them.
        horizons: that are tried.

    Raises:
        ValueError: there is no such agent, or it was trained on one ruleset alone.
        OSError: its file cannot be read.
    """

    players: int
    agent: str
    rulesets: int = 40
    games: int = 100
    horizons: tuple[int, ...] = (0, 1, 2)

    @cached_property
    def drawn(self) -> list[Ruleset]:
        """The rulesets."""
        evaluator = predictor_of(self.agent)
        if not isinstance(evaluator, Trained):
            raise ValueError(f"agent is {self.agent!r}, which does not say which rulesets it was trained on")
        return evaluator.rulesets_like_those(self.players, self.rulesets, Seed.PREDICTIONS)

    @cached_property
    def study(self) -> GeneStudy:
        """The trials to the end: each ruleset has dice of its own."""
        return GeneStudy(
            name="Predictions beside trials to the end",
            lineups=((self.agent,),),
            num_games=self.games,
            seed=Seed.PREDICTIONS,
            variants=tuple((f"ruleset-{number}", ruleset) for number, ruleset in enumerate(self.drawn)),
            paired=False,
            rounds=TRIAL_ROUNDS,
            bonus=_BONUS,
        )

    @property
    def total_games(self) -> int:
        """With all horizons, and to the end."""
        return (1 + len(self.horizons)) * self.study.total_games

    @property
    def shown_horizon(self) -> int:
        """That of ``ursuppe balance ask``, if it is tried."""
        return HORIZON if HORIZON in self.horizons else self.horizons[-1]


class Pair(NamedTuple):
    """A figure of a gene with a ruleset, predicted and played."""

    ruleset: str
    gene: str
    predicted: Bootstrapped
    played: Bootstrapped

    @property
    def difference(self) -> Bootstrapped:
        """Predicted minus played; of the same games, if both are made of them."""
        return self.predicted.minus(self.played)


@dataclass(frozen=True)
class Quality:
    """How good predictions of a figure are.

    Attributes:
        pairs: those that are known both ways.
        chance: standard errors of predictions and of what was played, root mean square.
        beyond_chance: root mean square of the differences less what chance gives.
        mean: of the differences.
        slope: of played on predicted.
        rank_correlation: of both.
        disagreeing: how many pairs differ beyond chance.
    """

    pairs: list[Pair]
    chance: tuple[float, float]
    beyond_chance: Interval | None
    mean: Interval | None
    slope: Interval | None
    rank_correlation: float
    disagreeing: int


class Bias(NamedTuple):
    """By how much a gene is predicted too high, with Student's interval over all rulesets that could be drawn."""

    gene: str
    mean: Interval
    is_shown: bool


@dataclass(frozen=True)
class FoundPredictions:
    """What came out for one number of players.

    Attributes:
        study: what was played.
        qualities: by horizon, then figure; without what had too few games to compare anything.
    """

    study: Predictions
    qualities: dict[tuple[int, str], Quality]


def play_predictions(
    predictions: Predictions,
    folder: Path,
    workers: int | None = None,
    on_progress: OnProgress = lambda name, over, total: None,
) -> FoundPredictions:
    """Play the trials, or what is left of them: a folder for each horizon, and one for the trials to the end.

    Errors are those of ``measure_genes`` and ``Predictions``.
    """
    study = predictions.study

    def measured(study: GeneStudy, name: str) -> dict[str, ByGene]:
        watch = watched(on_progress, f"{predictions.players} players, {name}", study.total_games)
        rows, worth = measure_genes(study, folder / name, workers, on_progress=watch)
        return {figure: figures_of(figure, rows, worth) for figure in FIGURES}

    played, qualities = measured(study, "to-the-end"), {}
    clusters = min(study.num_seeds(0, 0), MOST_CLUSTERS)
    for horizon in predictions.horizons:
        predicted = measured(replace(study, horizon=horizon), f"horizon-{horizon}")
        for figure in FIGURES:
            found = quality(figure, predicted[figure], played[figure], clusters)
            if found is not None:
                qualities[horizon, figure] = found
    return FoundPredictions(predictions, qualities)


def quality(figure: str, predicted: ByGene, played: ByGene, clusters: int) -> Quality | None:
    """Compare a figure of all genes with all rulesets.

    Args:
        figure: of ``FIGURES``.
        predicted: of ``figures_of``.
        played: likewise; what only one of both knows is left out.
        clusters: seeds, or groups of them, of each.

    Returns:
        None if fewer than three genes with a ruleset are known both ways.
    """
    factor = FIGURES[figure][2]
    pairs = [Pair(*key, predicted[key].times(factor), played[key].times(factor)) for key in predicted if key in played]
    if len(pairs) < _FEWEST_PAIRS:
        return None
    x, x_resampled = _stacked([pair.predicted for pair in pairs])
    y, y_resampled = _stacked([pair.played for pair in pairs])
    p_values = adjusted([p_value(pair.difference, clusters) for pair in pairs])
    return Quality(
        pairs=pairs,
        chance=(float(x_resampled.var(axis=0).mean()) ** 0.5, float(y_resampled.var(axis=0).mean()) ** 0.5),
        beyond_chance=_beyond_chance(pairs).interval(),
        mean=Bootstrapped(float((x - y).mean()), (x_resampled - y_resampled).mean(axis=1)).interval(),
        slope=Bootstrapped(float(_slope(x[None], y[None])[0]), _slope(x_resampled, y_resampled)).interval(),
        rank_correlation=float(stats.spearmanr(x, y).statistic),
        disagreeing=sum(map(is_shown, p_values)),
    )


def biases(found: Quality) -> list[Bias]:
    """Of each gene that is known with two rulesets or more, the largest first; all are judged together."""
    by_gene: dict[str, list[float]] = {}
    for pair in found.pairs:
        by_gene.setdefault(pair.gene, []).append(pair.difference.estimate)
    tests = {gene: stats.ttest_1samp(apart, 0) for gene, apart in by_gene.items() if len(apart) > 1}
    p_values = adjusted([float(test.pvalue) for test in tests.values()])
    biased = [
        Bias(gene, Interval(float(np.mean(by_gene[gene])), *map(float, test.confidence_interval())), is_shown(p))
        for (gene, test), p in zip(tests.items(), p_values, strict=True)
    ]
    return sorted(biased, key=lambda bias: -abs(bias.mean.estimate))


def is_shown(adjusted_p: float | None) -> bool:
    """Does a statement with this p-value stand?"""
    return adjusted_p is not None and adjusted_p <= FALSE_DISCOVERIES


def ruleset_errors(found: Quality) -> list[tuple[str, Interval | None]]:
    """Root mean square of the differences with each ruleset, less what chance gives, the largest first."""
    by_ruleset: dict[str, list[Pair]] = {}
    for pair in found.pairs:
        by_ruleset.setdefault(pair.ruleset, []).append(pair)
    errors = [(name, _beyond_chance(pairs)) for name, pairs in by_ruleset.items()]
    return [(name, root.interval()) for name, root in sorted(errors, key=lambda error: -error[1].estimate)]


def figures_of(figure: str, rows: pl.DataFrame, worth: GeneWorth) -> dict[tuple[str, str], Bootstrapped]:
    """A figure of a study with one lineup, by name of the ruleset and gene, where enough is known.

    Args:
        figure: of ``FIGURES``.
        rows: all trials of the study.
        worth: what came out of them.
    """
    above, below, _ = FIGURES[figure]
    study, found = worth.study, {}
    for trials in worth.trials:
        games = by_game(rows.filter(variant=trials.variant), study, trials.variant)
        denominators: dict[str, str | None] = {f"{above}_{gene}": f"{below}_{gene}" for gene in GENE_NAMES}
        sums = sums_by_cluster(games, study.num_seeds(trials.variant, 0), denominators)
        resampled = _linear_ratios(sums, study.generator(trials.variant))
        for gene in trials.genes:
            neutral = gene.neutral_price and gene.neutral_price.interval()
            is_narrow = neutral is not None and neutral.ends is not None and np.ptp(neutral.ends) <= _WIDEST
            is_known = gene.payable >= FEWEST_PAID if figure == PAID else is_narrow
            if is_known:
                found[study.variants[trials.variant][0], gene.gene] = resampled[f"{above}_{gene.gene}"]
    return found


def _beyond_chance(pairs: Sequence[Pair]) -> Bootstrapped:
    apart, resampled = _stacked([pair.difference for pair in pairs])
    # Of estimates with these errors the mean square is too large by so much, and that of resamples twice.
    noise = float(resampled.var(axis=0).mean())
    square, squares = float((apart**2).mean()) - noise, (resampled**2).mean(axis=1) - 2 * noise
    return Bootstrapped(max(square, 0) ** 0.5, np.sqrt(np.maximum(squares, 0)))


def _stacked(figures: Sequence[Bootstrapped]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The estimates, (K,), and their resamples, (R, K)."""
    estimates = np.array([figure.estimate for figure in figures])
    return estimates, np.stack([figure.resampled for figure in figures], axis=1)


def _linear_ratios(sums: Sums, generator: np.random.Generator) -> dict[str, Bootstrapped]:
    """Ratios, and how they change in resamples to the first order.

    Of the ratios themselves, a single resample in which a BP seems to be worth nothing would outweigh all others.
    """
    resampling = Resampling(len(sums.numerators), generator)
    below = sums.denominators.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing of nothing
        estimates = sums.numerators.mean(axis=0) / below
        resampled = estimates + resampling.means(sums.numerators - estimates * sums.denominators) / below
    return {name: Bootstrapped(float(estimates[k]), resampled[:, k]) for k, name in enumerate(sums.names)}


def _slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """(R,) of least squares, of (R, K) values."""
    apart = x - x.mean(axis=1, keepdims=True)
    return (apart * y).sum(axis=1) / (apart**2).sum(axis=1)


def prediction_tables(found: FoundPredictions) -> dict[str, str]:
    """How good predictions are with each horizon; and where they fail: genes, and the worst rulesets."""
    players, rows = found.study.players, []
    for figure in FIGURES:
        for horizon in found.study.horizons:
            if (one := found.qualities.get((horizon, figure))) is not None:
                spreads = [f"{error:.1f}" for error in one.chance]
                spreads += [value(one.beyond_chance, ".1f"), value(one.mean, "+.1f"), value(one.slope, ".2f")]
                counts = [f"{one.rank_correlation:.2f}", str(one.disagreeing)]
                rows.append([figure, str(horizon), str(len(one.pairs)), *spreads, *counts])
    heading = ["figure", "rounds played", "pairs", "error of chance, predicted", "played", "apart beyond chance"]
    heading += ["too high by", "slope", "rank correlation", "differ"]
    tables = {f"predictions quality {players}": table(heading, rows, texts=2)}
    rulesets = dict(found.study.study.variants)
    for figure in FIGURES:
        if (one := found.qualities.get((found.study.shown_horizon, figure))) is not None:
            genes = [f"{title(bias.gene)} ({value(bias.mean, '+.1f')})" for bias in biases(one) if bias.is_shown]
            worst = [
                f"{name}, with {number_of_changes(rulesets[name])} numbers and switches changed ({value(error, '.1f')})"
                for name, error in ruleset_errors(one)[:_WORST]
            ]
            tables[f"predictions {figure} of genes {players}"] = listed(genes)
            tables[f"predictions {figure} of rulesets {players}"] = listed(worst)
    return tables


def number_of_changes(ruleset: Ruleset) -> int:
    """How many fields of a ruleset differ from its edition; of a field with a number for each gene, how many genes."""
    return sum(len(one) if isinstance(one, dict) else 1 for one in ruleset.changes().values())
