"""Ratios of sums over games, with intervals that resample whole seeds."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_lab.statistics import FEWEST_SEEDS, Floats, Interval, Resampling, exact_share, intervals

with extra("arena"):
    import polars as pl

#: More seeds than this are resampled in groups of neighbours, which are as independent of each other.
MOST_CLUSTERS = 1000


class Sums(NamedTuple):
    """The sums that M ratios are made of."""

    names: Sequence[str]  # M of them
    numerators: Floats  # (C, M) sums over the games of each cluster: a seed, or a group of seeds
    denominators: Floats  # (C, M) the same of what they are divided by

    def exact_shares(self) -> dict[str, Interval]:
        """Those of which no game has anything, or each game all of it: as shares, with exact intervals."""
        games = self.denominators.sum(axis=0)
        found = {0.0: self.numerators == 0, 1.0: self.numerators == self.denominators}
        return {
            self.names[k]: exact_share(share, float(games[k]))
            for share, alike in found.items()
            for k in np.flatnonzero(alike.all(axis=0) & (games > 0)).tolist()
        }


def sums_by_cluster(rows: pl.DataFrame, num_seeds: int, denominators: Mapping[str, str | None]) -> Sums:
    """Add up the games of each cluster of seeds, which are in the column ``index``, counted from 0.

    ``denominators`` are the columns of the numerators, each with that of its denominator; None: the number of games.
    """
    num_clusters = min(num_seeds, MOST_CLUSTERS)
    columns = list(dict.fromkeys([*denominators, *(name for name in denominators.values() if name is not None)]))
    clusters = (
        rows.group_by((pl.col("index") * num_clusters // num_seeds).alias("cluster"))
        .agg(pl.len().cast(pl.Float64), pl.col(columns).cast(pl.Float64).sum())
        .join(pl.DataFrame({"cluster": range(num_clusters)}), on="cluster", how="right")
        .fill_null(0)
        .sort("cluster")
    )
    return Sums(
        list(denominators),
        clusters.select(*denominators).to_numpy(),
        clusters.select(pl.col(below or "len").alias(above) for above, below in denominators.items()).to_numpy(),
    )


class Bootstrapped(NamedTuple):
    """An estimate, and the same in every resample of the clusters; there are no resamples of too few clusters."""

    estimate: float
    resampled: Floats
    speaking: float = np.inf  # of how many clusters at most it is made: others have nothing of its kind

    def interval(self) -> Interval | None:
        """The figure; None where it is so rare that some resample says nothing about it."""
        if not np.isfinite(self.resampled).all() or not np.isfinite(self.estimate):
            return None
        return intervals(np.array([self.estimate]), self.resampled[:, None])[0]

    @property
    def has_resamples(self) -> bool:
        """Are there enough clusters, and does every resample of them say something?"""
        return len(self.resampled) > 0 and bool(np.isfinite(self.resampled).all())

    def error(self, num_clusters: int) -> float:
        """The standard error, from resamples of so many clusters; resamples scatter less than samples."""
        return float(self.resampled.std()) * (num_clusters / (num_clusters - 1)) ** 0.5

    def minus(self, other: "Bootstrapped") -> "Bootstrapped":
        """The difference; that of pairs if both have the same resamples."""
        both = slice(min(len(self.resampled), len(other.resampled)))  # one of them may have too few clusters for any
        speaking = min(self.speaking, other.speaking)
        return Bootstrapped(self.estimate - other.estimate, self.resampled[both] - other.resampled[both], speaking)

    def times(self, factor: float) -> "Bootstrapped":
        """The multiple."""
        return Bootstrapped(self.estimate * factor, self.resampled * factor, self.speaking)


def ratios(sums: Sums, generator: np.random.Generator) -> dict[str, Bootstrapped]:
    """Ratios in every resample of the clusters, which the generator draws: generators that are equal give equal ones.

    What fewer than ``FEWEST_SEEDS`` clusters say anything about is NaN in all resamples.
    """
    resampling = Resampling(len(sums.numerators), generator)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing of nothing
        estimates = sums.numerators.sum(axis=0) / sums.denominators.sum(axis=0)
        resampled = resampling.means(sums.numerators) / resampling.means(sums.denominators)
    speaking = (sums.denominators != 0).sum(axis=0)
    resampled[:, speaking < FEWEST_SEEDS] = np.nan
    return {
        name: Bootstrapped(float(estimates[k]), resampled[:, k], int(speaking[k])) for k, name in enumerate(sums.names)
    }
