"""How unequal genes are: the spread of their gains, of what buying them would do to the chance of winning.

The *gain* of a gene is what it does as a gift, less what so many BP as it costs do, in the same games: what buying it
would do if whoever is offered it could pay. It is 0 at the neutral price. *Paid* is measured only where somebody can
pay: by that, a search could make genes look equal by making the bad ones so dear that nobody can.

The same spread in BP is that of the genes' *surpluses*, of how far neutral prices are from prices. A neutral price of
its own has no bounds where it is in doubt that a BP does anything; all genes together always have a spread in BP,
because what BP do in all their games is known: the squares of the gains, divided by those of what a BP does. So each
gene has the weight of its trials and of the square of what a BP is worth in them, which is how much it matters there.

Chance makes a spread larger: figures that scatter around the truth scatter more than the truth. By how much, the
resamples say, which scatter around the figures as these around the truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.figures.worth import bootstrapped, by_game
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.reports.text import lineup_name
from ursuppe_lab.statistics.ratios import Bootstrapped

_WHOLES = {"gain": "tried", "bp": "tried", "paid": "payable"}
_SURE = 1.96  # standard errors from 0 at which a 95 % interval does not contain it


@dataclass(frozen=True)
class Gains:
    """What genes do to the chance of winning, with one variant and one lineup.

    Attributes:
        genes: K names, of those that were tried often enough to say.
        weights: (K,) how often each was tried, as shares: a price does not change them.
        gain: of each: *given*, less what so many BP as it costs do in the same games.
        bp: of each, what one BP more does in the rounds in which it was tried, in all games of these rounds: too coarse
            for a figure, but known better, which is what a search needs that goes on from there.
        paid: of each gene that could be paid often enough to say, what buying it does.
    """

    genes: list[str]
    weights: NDArray[np.float64]
    gain: list[Bootstrapped]
    bp: list[float]
    paid: dict[str, Bootstrapped]

    @property
    def mean(self) -> float:
        """Of all genes."""
        return float(self.weights @ [gain.estimate for gain in self.gain])

    def variance(self) -> Bootstrapped:
        """The weighted variance of the genes' gains, less what chance alone gives them; may be negative."""
        estimates, resampled = _stacked(self.gain)
        return _without_chance(self._variance(estimates), self._variance(resampled))

    def _variance(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(R,) of values (R, K)."""
        means = values @ self.weights
        return (values - means[:, None]) ** 2 @ self.weights


def surplus_variance(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> Bootstrapped:
    """The weighted variance of the genes' surpluses, BP², less what chance alone gives them; may be negative.

    NaN where there are so few games that all that BP do may be chance. Arguments and errors are those of ``gains``.
    """
    games = by_game(rows.filter(variant=variant, lineup=lineup), study, variant)
    found = bootstrapped(study, games, variant, lineup, _WHOLES)
    known = _known(study, lineup, found)
    weights = _shares(games, known)
    (gain, gain_resampled), (bp, bp_resampled) = (
        _stacked([found[f"{name}_{gene}"] for gene in known]) for name in ("gain", "bp")
    )
    gain_square = _without_chance(gain**2 @ weights, gain_resampled**2 @ weights)
    product = _without_chance(gain * bp @ weights, gain_resampled * bp_resampled @ weights)
    bp_square = _without_chance(bp**2 @ weights, bp_resampled**2 @ weights)
    if bp_square.estimate <= _SURE * bp_square.resampled.std():
        return Bootstrapped(np.nan, np.full_like(bp_square.resampled, np.nan))
    # Around the surplus that all genes have in common. In resamples only to the first order, since a single one in
    # which BP seem to be worth nothing would outweigh all others; the second is what chance adds or takes on average.
    square, common = gain_square.estimate / bp_square.estimate, product.estimate / bp_square.estimate
    gains_apart, both_apart, bp_apart = (
        (figure.resampled - figure.estimate) / bp_square.estimate for figure in (gain_square, product, bp_square)
    )
    first = gains_apart - 2 * common * both_apart + (2 * common**2 - square) * bp_apart
    second = (square - 3 * common**2) * bp_apart**2 + (4 * common * both_apart - gains_apart) * bp_apart - both_apart**2
    variance = square - common**2 - float(second.mean())
    return Bootstrapped(variance, variance + first)


def _stacked(figures: Sequence[Bootstrapped]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The estimates, (1, K), and their resamples, (R, K)."""
    return (
        np.array([[figure.estimate for figure in figures]]),
        np.stack([figure.resampled for figure in figures], axis=1),
    )


def _without_chance(estimate: NDArray[np.float64], resampled: NDArray[np.float64]) -> Bootstrapped:
    """A square, (1,), and that of each resample, (R,), less what chance adds.

    It adds to the square of estimates what it adds to that of resamples, seen from the estimates; and to the latter,
    seen from the truth, twice as much.
    """
    noise = float(resampled.mean() - estimate[0])
    return Bootstrapped(float(estimate[0]) - noise, resampled - 2 * noise)


def gains(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> Gains:
    """What genes do to the chance of winning.

    Args:
        study: what was played.
        rows: all its trials.
        variant: its number.
        lineup: its number.

    Raises:
        ValueError: there were too few games to say that of at least two genes.
    """
    here = rows.filter(variant=variant, lineup=lineup)
    games = by_game(here, study, variant)
    found = bootstrapped(study, games, variant, lineup, _WHOLES)
    known = _known(study, lineup, found)
    bp = (pl.col("rich") - pl.col("natural")).mean().over("round") / study.bonus
    by_gene = here.filter("asked").with_columns(bp=bp).drop_nulls("denied").group_by("gene").agg(pl.col("bp").mean())
    bp_of = dict(by_gene.iter_rows())
    paid = {gene: found[f"paid_{gene}"] for gene in known}
    return Gains(
        genes=known,
        weights=_shares(games, known),
        gain=[found[f"gain_{gene}"] for gene in known],
        bp=[bp_of[gene] for gene in known],
        paid={gene: one for gene, one in paid.items() if one.has_resamples},
    )


def _known(study: GeneStudy, lineup: int, found: dict[str, Bootstrapped]) -> list[str]:
    """The genes that were tried often enough."""
    known = [gene for gene in GENE_NAMES if found[f"gain_{gene}"].has_resamples]
    if len(known) < 2:
        raise ValueError(
            f"{study.num_games} games of the lineup {lineup_name(study.lineups[lineup])} are too few to say what genes "
            "are worth; raise games and check_games"
        )
    return known


def _shares(games: pl.DataFrame, genes: Sequence[str]) -> NDArray[np.float64]:
    """(K,) how often each was tried."""
    trials = np.array([games[f"tried_{gene}"].sum() for gene in genes], np.float64)
    return trials / trials.sum()


def spread(by_lineup: Sequence[Gains]) -> Bootstrapped:
    """The standard deviation of the gains; that of the mean variance if there are several lineups."""
    variances = [found.variance() for found in by_lineup]
    mean = sum(variance.estimate for variance in variances) / len(variances)
    resampled = np.mean([variance.resampled for variance in variances], axis=0)
    return Bootstrapped(max(mean, 0) ** 0.5, np.sqrt(np.maximum(resampled, 0)))
