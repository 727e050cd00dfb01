"""Ratios of sums over games, with intervals that resample whole seeds."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.statistics import Interval, Resampling, intervals

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


class Ratios:
    """Ratios in every resample of the units.

    Args:
        sums: of each unit.
        generator: draws the resamples; generators that are equal give equal ones, and differences those of pairs.
    """

    def __init__(self, sums: Sums, generator: np.random.Generator) -> None:
        resampling = Resampling(len(sums.parts), generator)
        self.names = sums.names
        with np.errstate(invalid="ignore", divide="ignore"):  # nothing of nothing
            self._estimates = sums.parts.sum(axis=0) / sums.wholes.sum(axis=0)
            self._resampled = resampling.means(sums.parts) / resampling.means(sums.wholes)

    def values(self) -> dict[str, Interval | None]:
        """Each ratio; None where it is so rare that some resample has nothing to say about it."""
        return dict(zip(self.names, _intervals(self._estimates, self._resampled), strict=True))

    def differences(self, base: "Ratios") -> dict[str, Interval | None]:
        """Each ratio that both have, minus that of the base."""
        names = [name for name in self.names if name in base.names]
        mine, theirs = ([ratios.names.index(name) for name in names] for ratios in (self, base))
        found = _intervals(
            self._estimates[mine] - base._estimates[theirs], self._resampled[:, mine] - base._resampled[:, theirs]
        )
        return dict(zip(names, found, strict=True))


def _intervals(estimates: NDArray[np.float64], resampled: NDArray[np.float64]) -> list[Interval | None]:
    is_known = np.asarray(np.isfinite(resampled).all(axis=0))
    found = iter(intervals(estimates[is_known], resampled[:, is_known]))
    return [next(found) if known else None for known in is_known.tolist()]
