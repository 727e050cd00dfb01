"""Ratios of two sums over games, with Fieller's confidence sets.

Where the denominator may be 0, no bounded interval can hold the truth as often as it says; Fieller's set is then two
rays, or everything. A number is in the set unless Student's t says that the numerator and so many times the denominator
differ, as sums over clusters: a seed, whose games share their dice, or some neighbours.
"""

import math
from typing import NamedTuple

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_lab.statistics import FEWEST_SEEDS, Floats, Interval
from ursuppe_lab.statistics.discoveries import p_one_sided

with extra("arena"):
    import scipy  # type: ignore[import-untyped]


class Quotient(NamedTuple):
    """An estimate of a ratio, and which ratios the games do not rule out."""

    estimate: float | None  # None if the denominator is 0
    # (low, high) in ascending order, with infinite ends: one interval, two rays, or all numbers; none if there are
    # fewer than ``FEWEST_SEEDS`` seeds.
    pieces: tuple[tuple[float, float], ...]

    def contains(self, number: float) -> bool:
        """Is the number not ruled out? Always if there are too few seeds."""
        return not self.pieces or any(low <= number <= high for low, high in self.pieces)

    def plus(self, number: float) -> "Quotient":
        """The sum."""
        estimate = None if self.estimate is None else self.estimate + number
        return Quotient(estimate, tuple((low + number, high + number) for low, high in self.pieces))

    def interval(self) -> Interval | None:
        """The same as an interval; None where that would be unbounded, or there is no estimate."""
        if self.estimate is None:
            return None
        if not self.pieces:
            return Interval(self.estimate, None, None)
        low, high = self.pieces[0][0], self.pieces[-1][1]
        return Interval(self.estimate, low, high) if math.isfinite(low) and math.isfinite(high) else None


def quotient(above: Floats, below: Floats, counts: Floats) -> Quotient | None:
    """The ratio of the sums of two figures of clusters, (C,), with its 95 % set.

    ``counts``, (C,), are the games of each cluster that say anything; what says nothing is no evidence for 0. None if
    enough clusters were played, but so few of them say anything that there would be no interval.
    """
    known = counts > 0
    number = int(known.sum())
    if number == 0 or number < FEWEST_SEEDS <= len(known):
        return None
    sums = np.array([above[known], below[known]])
    numerator, denominator = sums.sum(axis=1)
    estimate = float(numerator / denominator) if denominator else None
    return Quotient(estimate, () if number < FEWEST_SEEDS else _fieller(sums, reach(1, number)))


def reach(error: float, number: int) -> float:
    """From an estimate, with this standard error, of so many independent values, to either end of its 95 % interval."""
    return error * float(scipy.stats.t.ppf(0.975, number - 1))


def p_positive(values: Floats, counts: Floats) -> float | None:
    """How likely a mean of the clusters' sums, (C,), at least so large is where the truth is 0 or less.

    None if fewer than ``FEWEST_SEEDS`` clusters have any games, (C,), that say something.
    """
    known = values[counts > 0]
    if len(known) < FEWEST_SEEDS:
        return None
    return p_one_sided(float(known.mean()), float(known.std(ddof=1)) / len(known) ** 0.5, len(known))


def _fieller(sums: Floats, t: float) -> tuple[tuple[float, float], ...]:
    """All r with (x - r y)^2 at most t^2 times its variance, x and y being the means of sums, (2, K)."""
    number = sums.shape[1]
    x, y = sums.mean(axis=1)
    (xx, xy), (_, yy) = t**2 * np.cov(sums) / number
    # a r^2 - 2 b r + c <= 0
    a, b, c = y**2 - yy, x * y - xy, x**2 - xx
    inside = b**2 - a * c
    if a > 0:
        root = max(inside, 0.0) ** 0.5
        return ((float((b - root) / a), float((b + root) / a)),)
    if a == 0 or inside <= 0:
        return ((-math.inf, math.inf),)
    low, high = sorted((float((b - inside**0.5) / a), float((b + inside**0.5) / a)))
    return ((-math.inf, low), (high, math.inf))
