"""Amortised balance: how good are predicted trials of genes, over rulesets that nobody has ever played?

A policy that was trained on varied rulesets predicts chances of winning with any ruleset. So it predicts in seconds
what trials would take minutes to find out: the worth of genes with a ruleset that has just been thought of. K rulesets
are drawn as its training drew its own, with a seed of no training. With each, the same games branch at the same
purchases, once with the horizon of ``ursuppe balance ask`` and once to the end. Compared are the neutral prices, in BP,
that both ways know to within 12 BP. Commit dc6bfe1 compared other horizons too, and what paid purchases do.
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

from studies.pages import OnProgress, table, watched
from ursuppe_agents.evaluator import Trained
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import GeneStudy, GeneWorth, measure_genes
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

#: Neutral prices of genes, by the ruleset's name and the gene's.
Prices = Mapping[tuple[str, str], Bootstrapped]


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """What is played for one number of players.

    Args:
        players: P.
        agent: spec of a policy that was trained on varied rulesets, or of a search by one.
        rulesets: K, how many are drawn.
        games: with each of them.

    Raises:
        ValueError: there is no such agent, or it was trained on one ruleset alone.
        OSError: its file cannot be read.
    """

    players: int
    agent: str
    rulesets: int = 40
    games: int = 100

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
        """Those that are predicted, and those to the end."""
        return 2 * self.study.total_games


class Pair(NamedTuple):
    """The neutral price of a gene with a ruleset, predicted and played."""

    predicted: Bootstrapped
    played: Bootstrapped

    @property
    def difference(self) -> Bootstrapped:
        """Predicted minus played; of the same games, if both are made of them."""
        return self.predicted.minus(self.played)


@dataclass(frozen=True)
class Quality:
    """How good predictions are.

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


class FoundPredictions(NamedTuple):
    """What came out for one number of players; None: too few games to compare anything."""

    study: Predictions
    quality: Quality | None


def play_predictions(
    predictions: Predictions,
    folder: Path,
    workers: int | None = None,
    on_progress: OnProgress = lambda name, over, total: None,
) -> FoundPredictions:
    """Play the trials, or what is left of them: a folder for those that are predicted, and one for those to the end.

    Errors are those of ``measure_genes`` and ``Predictions``.
    """

    def measured(study: GeneStudy, name: str) -> Prices:
        watch = watched(on_progress, f"{predictions.players} players, {name}", study.total_games)
        return prices_of(*measure_genes(study, folder / name, workers, on_progress=watch))

    study = predictions.study
    played = measured(study, "to-the-end")
    predicted = measured(replace(study, horizon=HORIZON), f"horizon-{HORIZON}")
    return FoundPredictions(predictions, quality(predicted, played, min(study.num_seeds(0, 0), MOST_CLUSTERS)))


def quality(predicted: Prices, played: Prices, clusters: int) -> Quality | None:
    """Compare the neutral prices of all genes with all rulesets.

    Args:
        predicted: of ``prices_of``.
        played: likewise; what only one of both knows is left out.
        clusters: seeds, or groups of them, of each.

    Returns:
        None if fewer than three genes with a ruleset are known both ways.
    """
    pairs = [Pair(predicted[key], played[key]) for key in predicted if key in played]
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
        disagreeing=sum(p is not None and p <= FALSE_DISCOVERIES for p in p_values),
    )


def prices_of(rows: pl.DataFrame, worth: GeneWorth) -> dict[tuple[str, str], Bootstrapped]:
    """The neutral prices of a study with one lineup, by name of the ruleset and gene, where enough is known.

    Args:
        rows: all trials of the study.
        worth: what came out of them.
    """
    study, found = worth.study, {}
    for trials in worth.trials:
        games = by_game(rows.filter(variant=trials.variant), study, trials.variant)
        denominators: dict[str, str | None] = {f"given_{gene}": f"bp_{gene}" for gene in GENE_NAMES}
        sums = sums_by_cluster(games, study.num_seeds(trials.variant, 0), denominators)
        resampled = _linear_ratios(sums, study.generator(trials.variant))
        for gene in trials.genes:
            neutral = gene.neutral_price and gene.neutral_price.interval()
            if neutral is not None and neutral.ends is not None and np.ptp(neutral.ends) <= _WIDEST:
                found[study.variants[trials.variant][0], gene.gene] = resampled[f"given_{gene.gene}"]
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


def prediction_tables(found: Sequence[FoundPredictions]) -> dict[str, str]:
    """How good predictions are, for each number of players."""
    rows = []
    for study, one in found:
        if one is not None:
            errors = [f"{error:.1f}" for error in one.chance]
            figures = [value(one.beyond_chance, ".1f"), value(one.mean, "+.1f"), value(one.slope, ".2f")]
            counts = [f"{one.rank_correlation:.2f}", str(one.disagreeing)]
            rows.append([str(study.players), str(len(one.pairs)), *errors, *figures, *counts])
    heading = ["players", "pairs", "error of chance, predicted", "played", "apart beyond chance", "too high by"]
    return {"predictions quality": table([*heading, "slope", "rank correlation", "differ"], rows)}
