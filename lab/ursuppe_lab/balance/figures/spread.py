"""How unequal genes are: the spread of their gains, of what buying them would do to the chance of winning.

The *gain* of a gene is what it does as a gift, less what so many BP as it costs do, in the same games: what buying it
would do if whoever is offered it could pay. By *paid*, which is measured where somebody can pay, a search could make
genes look equal by making the bad ones so dear that nobody can.

Chance makes a spread larger: figures scatter around the truth, by as much as resamples do around the figures.
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

_WHOLES = {"gain": "tried"}


@dataclass(frozen=True)
class Gains:
    """What genes do to the chance of winning, with one variant and one lineup."""

    genes: list[str]  # K names, of those that were tried often enough to say
    weights: NDArray[np.float64]  # (K,) how often each was tried, as shares: a price does not change them
    gain: list[Bootstrapped]  # of each: *given*, less what so many BP as it costs do in the same games
    # Of each, what one BP more does in the rounds in which it was tried, in all games of these rounds: too coarse for a
    # figure, but known better, which is what a search needs that goes on from there.
    bp: list[float]

    @property
    def mean(self) -> float:
        """Of all genes."""
        return float(self.weights @ [gain.estimate for gain in self.gain])

    def variance(self) -> Bootstrapped:
        """The weighted variance of the genes' gains, less what chance alone gives them; may be negative.

        Chance adds to that of estimates what it adds to that of resamples beyond them: to the latter twice as much.
        """
        [estimate] = self._variance(np.array([[gain.estimate for gain in self.gain]]))
        resampled = self._variance(np.stack([gain.resampled for gain in self.gain], axis=1))
        noise = float(resampled.mean() - estimate)
        return Bootstrapped(float(estimate) - noise, resampled - 2 * noise)

    def _variance(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(R,) of values (R, K)."""
        means = values @ self.weights
        return (values - means[:, None]) ** 2 @ self.weights


def gains(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> Gains:
    """What genes do to the chance of winning with a variant and a lineup, from all trials of a study.

    Too few games to say that of at least two genes are a ``ValueError``.
    """
    here = rows.filter(variant=variant, lineup=lineup)
    games = by_game(here, study, variant)
    found = bootstrapped(study, games, variant, lineup, _WHOLES)
    known = [gene for gene in GENE_NAMES if found[f"gain_{gene}"].has_resamples]
    if len(known) < 2:
        few = f"{study.num_games} games of the lineup {lineup_name(study.lineups[lineup])} are too few"
        raise ValueError(f"{few} to say what genes are worth; raise games and check_games")
    times_tried = np.array([games[f"tried_{gene}"].sum() for gene in known], np.float64)
    bp = (pl.col("rich") - pl.col("natural")).mean().over("round") / study.bonus
    by_gene = here.filter("asked").with_columns(bp=bp).drop_nulls("denied").group_by("gene").agg(pl.col("bp").mean())
    bp_of = dict(by_gene.iter_rows())
    gain = [found[f"gain_{gene}"] for gene in known]
    return Gains(known, times_tried / times_tried.sum(), gain, [bp_of[gene] for gene in known])


def spread(by_lineup: Sequence[Gains]) -> Bootstrapped:
    """The standard deviation of the gains; that of the mean variance if there are several lineups."""
    variances = [found.variance() for found in by_lineup]
    mean = sum(variance.estimate for variance in variances) / len(variances)
    resampled = np.mean([variance.resampled for variance in variances], axis=0)
    return Bootstrapped(max(mean, 0) ** 0.5, np.sqrt(np.maximum(resampled, 0)))
