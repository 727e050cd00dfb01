"""How unequal genes are: the spread of what they are worth beyond their price."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.balance.worth import trial_ratios
from ursuppe_agents.reports.text import lineup_name
from ursuppe_agents.statistics.ratios import Bootstrapped
from ursuppe_env.rules.genes import GENE_NAMES


@dataclass(frozen=True)
class Surpluses:
    """What genes are worth beyond their price with one variant and one lineup, in BP.

    Attributes:
        genes: K names, of those that were tried.
        weights: (K,) how often each was tried, as shares.
        surplus: of each.
    """

    genes: list[str]
    weights: NDArray[np.float64]
    surplus: list[Bootstrapped]

    @property
    def mean(self) -> float:
        """Of all genes."""
        return float(self.weights @ [surplus.estimate for surplus in self.surplus])

    def variance(self) -> Bootstrapped:
        """The weighted variance of the genes' surpluses, less what chance alone gives them; may be negative."""
        estimates = np.array([surplus.estimate for surplus in self.surplus])
        resampled = np.stack([surplus.resampled for surplus in self.surplus], axis=1)
        # Of K independent estimates with these errors, the weighted variance is too large by so much; and that of
        # resamples twice, because they scatter around estimates that scatter around the truth.
        noise = float((self.weights * (1 - self.weights)) @ resampled.var(axis=0))
        return Bootstrapped(self._variance(estimates[None])[0] - noise, self._variance(resampled) - 2 * noise)

    def _variance(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(R,) of values (R, K)."""
        means = values @ self.weights
        return (values - means[:, None]) ** 2 @ self.weights


def surpluses(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> Surpluses:
    """What genes are worth beyond their price.

    Args:
        study: what was played.
        rows: all its trials.
        variant: its number.
        lineup: its number.

    Raises:
        ValueError: there were too few games to say what a BP is worth.
    """
    games, found = trial_ratios(study, rows.filter(variant=variant, lineup=lineup), variant, lineup)
    bp = found["rich"].times(1 / study.bonus)
    if not bp.is_surely_positive:
        raise ValueError(
            f"{study.num_games} games of the lineup {lineup_name(study.lineups[lineup])} are too few to say what a "
            "BP is worth; raise games and check_games"
        )
    prices = dict(zip(GENE_NAMES, study.ruleset(variant).price, strict=True))
    surplus = {gene: found[f"given_{gene}"].over(bp).plus(-prices[gene]) for gene in GENE_NAMES}
    known = [gene for gene in GENE_NAMES if np.isfinite(surplus[gene].resampled).all()]
    trials = np.array([games[f"tried_{gene}"].sum() for gene in known], np.float64)
    return Surpluses(known, trials / trials.sum(), [surplus[gene] for gene in known])


def spread(by_lineup: Sequence[Surpluses]) -> Bootstrapped:
    """The standard deviation of the surpluses in BP; that of the mean variance if there are several lineups."""
    variances = [found.variance() for found in by_lineup]
    mean = sum(variance.estimate for variance in variances) / len(variances)
    resampled = np.mean([variance.resampled for variance in variances], axis=0)
    return Bootstrapped(max(mean, 0) ** 0.5, np.sqrt(np.maximum(resampled, 0)))
