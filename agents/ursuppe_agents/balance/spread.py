"""How unequal genes are: the spread of their gains, of what buying them would do to the chance of winning.

The *gain* of a gene is what it does as a gift, less what so many BP as it costs do, in the same games: what buying it
would do if whoever is offered it could pay. It is 0 at the neutral price. *Paid* is measured only where somebody can
pay: by that, a search could make genes look equal by making the bad ones so dear that nobody can.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.balance.worth import by_game
from ursuppe_agents.reports.text import lineup_name
from ursuppe_agents.statistics.ratios import Bootstrapped, ratios, sums_by_cluster
from ursuppe_env.rules.genes import GENE_NAMES


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
        estimates = np.array([gain.estimate for gain in self.gain])
        resampled = np.stack([gain.resampled for gain in self.gain], axis=1)
        # Of K independent estimates with these errors, the weighted variance is too large by so much; and that of
        # resamples twice, because they scatter around estimates that scatter around the truth.
        noise = float((self.weights * (1 - self.weights)) @ resampled.var(axis=0))
        return Bootstrapped(self._variance(estimates[None])[0] - noise, self._variance(resampled) - 2 * noise)

    def _variance(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(R,) of values (R, K)."""
        means = values @ self.weights
        return (values - means[:, None]) ** 2 @ self.weights


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
    denominators = {
        f"{part}_{gene}": f"{whole}_{gene}"
        for gene in GENE_NAMES
        for part, whole in (("gain", "tried"), ("paid", "payable"))
    }
    sums = sums_by_cluster(games, study.num_seeds(variant, lineup), denominators)
    found = ratios(sums, study.generator(variant))
    known = [gene for gene in GENE_NAMES if found[f"gain_{gene}"].has_resamples]
    if len(known) < 2:
        raise ValueError(
            f"{study.num_games} games of the lineup {lineup_name(study.lineups[lineup])} are too few to say what genes "
            "are worth; raise games and check_games"
        )
    trials = np.array([games[f"tried_{gene}"].sum() for gene in known], np.float64)
    bp = (pl.col("rich") - pl.col("natural")).mean().over("round") / study.bonus
    of_rounds = here.filter("asked").with_columns(bp=bp).drop_nulls("denied").group_by("gene").agg(pl.col("bp").mean())
    bp_of = dict(of_rounds.iter_rows())
    paid = {gene: found[f"paid_{gene}"] for gene in known}
    return Gains(
        genes=known,
        weights=trials / trials.sum(),
        gain=[found[f"gain_{gene}"] for gene in known],
        bp=[bp_of[gene] for gene in known],
        paid={gene: one for gene, one in paid.items() if one.has_resamples},
    )


def spread(by_lineup: Sequence[Gains]) -> Bootstrapped:
    """The standard deviation of the gains; that of the mean variance if there are several lineups."""
    variances = [found.variance() for found in by_lineup]
    mean = sum(variance.estimate for variance in variances) / len(variances)
    resampled = np.mean([variance.resampled for variance in variances], axis=0)
    return Bootstrapped(max(mean, 0) ** 0.5, np.sqrt(np.maximum(resampled, 0)))
