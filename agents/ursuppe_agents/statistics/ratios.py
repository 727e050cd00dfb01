"""Ratios of sums over games, with intervals that resample whole seeds."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.statistics.intervals import FEWEST_SEEDS, Interval, Resampling, intervals
from ursuppe_env.extras import extra

with extra("arena"):
    import polars as pl

#: More seeds than this are resampled in groups of neighbours, which are as independent of each other.
MOST_UNITS = 1000


class Sums(NamedTuple):
    """What M ratios need.

    Attributes:
        names: M of them.
        parts: (G, M) sums over the games of each unit: a seed, or a group of seeds.
        wholes: (G, M) the same of what they are parts of.
    """

    names: Sequence[str]
    parts: NDArray[np.float64]
    wholes: NDArray[np.float64]


def sums_by_unit(rows: pl.DataFrame, num_seeds: int, wholes: Mapping[str, str | None]) -> Sums:
    """Add up the games of each unit.

    Args:
        rows: games, with their seed in the column ``index``, counted from 0.
        num_seeds: S.
        wholes: the columns of the parts, each with that of its whole; None: the number of games.
    """
    num_units = min(num_seeds, MOST_UNITS)
    columns = list(dict.fromkeys([*wholes, *(name for name in wholes.values() if name is not None)]))
    units = (
        rows.group_by((pl.col("index") * num_units // num_seeds).alias("unit"))
        .agg(pl.len().cast(pl.Float64), pl.col(columns).cast(pl.Float64).sum())
        .join(pl.DataFrame({"unit": range(num_units)}), on="unit", how="right")
        .fill_null(0)
        .sort("unit")
    )
    return Sums(
        list(wholes),
        units.select(*wholes).to_numpy(),
        units.select(pl.col(whole or "len").alias(part) for part, whole in wholes.items()).to_numpy(),
    )


class Ratio(NamedTuple):
    """A figure, and what it is in every resample of the units; there are none of too few units."""

    estimate: float
    resampled: NDArray[np.float64]

    def interval(self) -> Interval | None:
        """The figure; None where it is so rare that some resample has nothing to say about it."""
        if not np.isfinite(self.resampled).all() or not np.isfinite(self.estimate):
            return None
        return intervals(np.array([self.estimate]), self.resampled[:, None])[0]

    @property
    def is_surely_positive(self) -> bool:
        """Is it above 0 in every resample?"""
        return len(self.resampled) > 0 and bool((self.resampled > 0).all())

    def minus(self, other: "Ratio") -> "Ratio":
        """The difference; that of pairs if both have the same resamples."""
        both = slice(min(len(self.resampled), len(other.resampled)))  # one of them may have too few units for any
        return Ratio(self.estimate - other.estimate, self.resampled[both] - other.resampled[both])

    def over(self, other: "Ratio") -> "Ratio":
        """The quotient."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return Ratio(float(np.divide(self.estimate, other.estimate)), self.resampled / other.resampled)

    def plus(self, number: float) -> "Ratio":
        """The sum."""
        return Ratio(self.estimate + number, self.resampled + number)

    def times(self, factor: float) -> "Ratio":
        """The multiple."""
        return Ratio(self.estimate * factor, self.resampled * factor)


def ratios(sums: Sums, generator: np.random.Generator) -> dict[str, Ratio]:
    """Ratios in every resample of the units.

    What fewer than ``FEWEST_SEEDS`` units say anything about is NaN in all resamples.

    Args:
        sums: of each unit.
        generator: draws the resamples; generators that are equal give equal ones.
    """
    resampling = Resampling(len(sums.parts), generator)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing of nothing
        estimates = sums.parts.sum(axis=0) / sums.wholes.sum(axis=0)
        resampled = resampling.means(sums.parts) / resampling.means(sums.wholes)
    resampled[:, (sums.wholes != 0).sum(axis=0) < FEWEST_SEEDS] = np.nan
    return {name: Ratio(float(estimates[k]), resampled[:, k]) for k, name in enumerate(sums.names)}
