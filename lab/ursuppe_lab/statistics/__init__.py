"""Means over seeds, and how certain they are.

Games that share a seed share their dice. So this is a cluster bootstrap: seeds are always resampled whole, and every
statistic is made of their means.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

RESAMPLES = 2000
CONFIDENCE = 0.95  # of all intervals
#: Fewer seeds have no intervals: resamples of few are too close together. Of S normal values a 95 % interval contains
#: the truth in 1 - 2 T(1.96 sqrt((S - 1) / S)) of all cases, T being the tail of Student's t with S - 1 degrees of
#: freedom: 60 % with 2 seeds, 85 % with 5, 90 % with 10, 94 % with 30. So 10 miss at most twice as often as they say.
FEWEST_SEEDS = 10
#: At most this part of what a report or a page calls different, cheap, dear or best is not, on average.
FALSE_DISCOVERIES = 0.05
_BLOCKS = 20  # of the counts, so that they are never all widened at once


class Interval(NamedTuple):
    """An estimate and its interval, if there are enough seeds for one; as text ``0.42 (0.40–0.44)``.

    Attributes:
        estimate: from all seeds.
        low: where its interval begins; None: of fewer than ``FEWEST_SEEDS`` seeds, or without a bound on this side.
        high: where it ends; None likewise.
    """

    estimate: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        """With as many decimals as the interval leaves one uncertain digit for."""
        reach = 0.0 if self.ends is None else (self.ends[1] - self.ends[0]) / 2
        decimals = max(0, -math.floor(math.log10(reach) + 1e-9)) if reach > 0 else 2
        estimate, *ends = (f"{number:.{decimals}f}" for number in (self.estimate, *(self.ends or ())))
        return f"{estimate} ({('–' if self[1] is None or self[1] >= 0 else ' to ').join(ends)})" if ends else estimate

    @property
    def ends(self) -> tuple[float, float] | None:
        """Where the interval begins and ends; None if it is not bounded on both sides."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def contains(self, number: float) -> bool:
        """Is the number in the interval? Always if there is none."""
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)

    def times(self, factor: float) -> "Interval":
        """The multiple; by a negative number, too."""
        ends = [None if end is None else end * factor for end in self[1:]]
        return Interval(self.estimate * factor, *(ends if factor >= 0 else reversed(ends)))

    def plus(self, number: float) -> "Interval":
        """Estimate and ends, each that much more."""
        return Interval(self.estimate + number, *(None if end is None else end + number for end in self[1:]))


class Resampling:
    """R resamples of S seeds, at least one, the same for each statistic. R is ``RESAMPLES``, or 0 of too few seeds."""

    def __init__(self, num_seeds: int, generator: np.random.Generator) -> None:
        # How often each seed is in each resample; never 255 times.
        self.counts = np.empty((RESAMPLES if num_seeds >= FEWEST_SEEDS else 0, num_seeds), np.uint8)
        for row in self.counts:
            row[:] = np.bincount(generator.integers(num_seeds, size=num_seeds), minlength=num_seeds)

    def means(self, values: Floats) -> Floats:
        """(R, M) the mean of each column of ``values``, (S, M), in each resample."""
        return np.concatenate([block @ values for block in np.array_split(self.counts, _BLOCKS)]) / len(values)

    def intervals(self, values: Floats) -> list[Interval]:
        """``intervals`` of the means of the columns of ``values``, (S, M)."""
        return intervals(values.mean(axis=0), self.means(values))

    def shares(self, values: Floats, games: ArrayLike, most: ArrayLike = 1.0) -> list[Interval]:
        """``shares`` of the means of the columns of ``values``, (S, M)."""
        return shares(values.mean(axis=0), self.means(values), games, most)


def intervals(estimates: Floats, resampled: Floats) -> list[Interval]:
    """Estimates, (M,), with 95 % intervals, the middle of their resamples, (R, M); without resamples there are none."""
    if len(resampled) == 0:
        return [Interval(float(estimate), None, None) for estimate in estimates]
    lows, highs = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return [Interval(*map(float, numbers)) for numbers in zip(estimates, lows, highs, strict=True)]


def shares(
    estimates: Floats,  # (M,) 0 ... ``most``
    resampled: Floats,  # (R, M) the same in each resample
    games: ArrayLike,  # that each is a share of, (M,) or one number for all
    most: ArrayLike = 1.0,  # what each is where all games are won: 1/k as the mean of k seats; as ``games``
) -> list[Interval]:
    """Shares of games, (M,), with 95 % intervals; those of none and of all games are exact (Clopper and Pearson).

    Where no game is won, none is in any resample. The exact interval takes games to be independent, also of a seed.
    """
    found = intervals(estimates, resampled)
    numbers, tops = (np.broadcast_to(np.asarray(each, np.float64), len(found)).tolist() for each in (games, most))
    return [
        exact_share(share.estimate, number, top)
        if share.ends is not None and (share.estimate == 0 or math.isclose(share.estimate, top))
        else share
        for share, number, top in zip(found, numbers, tops, strict=True)
    ]


def exact_share(share: float, games: float, most: float = 1.0) -> Interval:
    """None of some games, or all of them, with the 95 % interval of Clopper and Pearson."""
    reach = most * (1 - 0.025 ** (1 / games))
    return Interval(share, max(share - reach, 0.0), min(share + reach, most))


def bootstrap(values: ArrayLike, generator: np.random.Generator) -> Interval:
    """The mean of the values with a 95 % percentile bootstrap interval, which resamples whole values.

    Fewer than ``FEWEST_SEEDS`` values have no interval.

    Args:
        values: (S,) numbers, at least one: the means of the seeds.
        generator: draws the resamples.

    Raises:
        ValueError: ``values`` is not (S,) numbers with S of at least 1.
    """
    sample: Floats = np.asarray(values, np.float64)
    if sample.ndim != 1 or len(sample) == 0:
        raise ValueError(f"values has shape {sample.shape}; it must be (S,) with at least one value")
    return Resampling(len(sample), generator).intervals(sample[:, None])[0]


def seed_means(
    values: Floats,  # (n,) numbers
    seeds: NDArray[np.int64],  # (n,) the seed that each belongs to, counted from 0; every seed must occur
    groups: NDArray[np.int64],  # (n,) the group that each belongs to, 0 ... num_groups - 1
    num_groups: int,  # G
) -> Floats:
    """(S, G) the mean of each group's values in each seed; NaN where a group has no value in a seed."""
    num_seeds = int(seeds.max()) + 1
    cells = seeds * num_groups + groups
    sums = np.bincount(cells, values, num_seeds * num_groups)
    counts = np.bincount(cells, minlength=num_seeds * num_groups)
    return np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0).reshape(num_seeds, num_groups)
