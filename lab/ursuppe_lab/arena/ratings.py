"""Ratings from full rankings: a Plackett–Luce fit.

The winner of a game is drawn from its players in proportion to their worths, the second from those who are left, and so
on. So of any two, the one whose worth is ten times the other's finishes before it in ten games of eleven, whoever else
plays. Ratings are logarithms of worths: 400 points are a factor of ten, as in chess. The mean is 0: of all agents but
those that always finish before the others, or never.

The likelihood needs only how often each agent was drawn and from which groups: a few numbers a seed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_lab.statistics import Floats, Interval, Resampling, intervals

with extra("arena"):
    import scipy  # type: ignore[import-untyped]

POINTS = 400 / np.log(10)  # a unit of the logarithm of worth in points
# Standard deviation of the normal prior of a rating. It matters only where the games alone would give no finite rating,
# because an agent never finishes before, or never behind, any other.
PRIOR = 1000 / POINTS
_ACCURACY = 1e-9
_MOST_STEPS = 200
_FARTHEST = 50  # logarithm of a worth


class Ratings(NamedTuple):
    """The fitted worths of K agents."""

    logarithms: Floats  # (K,) of their worths
    resampled: Floats  # (R, K) the same in each resample of the seeds
    # (K,) of an agent that always finishes before all others, the least that the games leave likely; of one that never
    # does, the most; NaN for all others. Their own figures are as the prior has them.
    bounds: Floats
    # (K,) of the agents whose mean is 0, and whose ratings the games alone determine; False for all others.
    determined: NDArray[np.bool_]

    def in_points(self) -> list[Interval]:
        """K ratings with their intervals, on the scale of chess; open to the sides where the games give no bound."""
        found = intervals(self.logarithms * POINTS, self.resampled * POINTS)
        for k in np.flatnonzero(~self.determined):
            found[k] = Interval(found[k].estimate, None, None)
        for k in np.flatnonzero(~np.isnan(self.bounds)) if len(self.resampled) else ():
            bound, rating = float(self.bounds[k]) * POINTS, found[k].estimate
            found[k] = Interval(rating, bound, None) if bound < rating else Interval(rating, None, bound)
        return found


def rate(finishers: NDArray[np.int64], seeds: NDArray[np.int64], num_agents: int, resampling: Resampling) -> Ratings:
    """Fit the worth of each of K agents.

    ``finishers``, (n, P), are those of each game, from the winner to the last, where an agent may play several seats;
    ``seeds``, (n,), counted from 0, are resampled.
    """
    groups, drawn, faced, drawn_from = _counts(finishers, seeds, num_agents)
    num_seeds = len(drawn)
    [rating] = _fit(groups, drawn.sum(axis=0)[None], faced.sum(axis=0)[None], np.zeros(num_agents))
    resampled = _fit(groups, resampling.means(drawn) * num_seeds, resampling.means(faced) * num_seeds, rating)
    determined = _determined(groups, drawn_from)
    centred = determined if determined.any() else np.ones(num_agents, np.bool_)
    rating -= rating[centred].mean()
    resampled -= resampled[:, centred].mean(axis=1, keepdims=True)
    return Ratings(rating, resampled, _bounds(groups, drawn_from, rating, centred), determined)


def _determined(groups: Floats, drawn_from: Floats) -> NDArray[np.bool_]:
    """(K,) the largest set of agents of whom each finished before and behind each other one, at least by way of others.

    How far others are from them only the prior says. Nobody, if there are several such sets.
    """
    before = drawn_from.T @ (groups > 0)  # (K, K) how often an agent was drawn from a group with another
    _, part = scipy.sparse.csgraph.connected_components(before, connection="strong")
    sizes = np.bincount(part)
    return (part == sizes.argmax()) & (np.count_nonzero(sizes == sizes.max()) == 1)


def _counts(
    finishers: NDArray[np.int64], seeds: NDArray[np.int64], num_agents: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """What the likelihood needs.

    (G, K) the distinct groups that were drawn from: how often each agent is in them; (S, K) how often each agent was
    drawn in each seed; (S, G) how often each group was drawn from; (G, K) how often which agent was drawn then.
    """
    num_games, players = finishers.shape
    num_seeds = int(seeds.max()) + 1
    present = np.zeros((num_games, num_agents))
    stages = []
    for place in reversed(range(players)):  # from the last, who is drawn from nobody else: no information
        np.add.at(present, (np.arange(num_games), finishers[:, place]), 1)
        if place < players - 1:
            stages.append(present.copy())
    groups, group = np.unique(np.concatenate(stages), axis=0, return_inverse=True)
    drawn = np.zeros((num_seeds, num_agents))
    np.add.at(drawn, (seeds[:, None], finishers[:, :-1]), 1)
    faced = np.zeros((num_seeds, len(groups)))
    np.add.at(faced, (np.tile(seeds, players - 1), group.ravel()), 1)
    drawn_from = np.zeros(groups.shape)
    np.add.at(drawn_from, (group.ravel(), finishers[:, -2::-1].T.ravel()), 1)
    return groups, drawn, faced, drawn_from


def _bounds(groups: Floats, drawn_from: Floats, rating: Floats, centred: NDArray[np.bool_]) -> Floats:
    """(K,) how near the others an agent may be that never finishes behind them, or never before; NaN: it does both.

    With that worth so many games without an exception have a likelihood of 2.5 %, given the others' worths: of two
    agents that is the interval of Clopper and Pearson.
    """
    bounds = np.full(len(rating), np.nan)
    worths = np.exp(rating)
    for k, own in enumerate(groups.T):
        rest = (groups * worths).sum(axis=1) - own * worths[k]
        meets = (own > 0) & (rest > 1e-9)
        games, first = drawn_from[meets].sum(axis=1), drawn_from[meets, k]
        if not games.any() or 0 < first.sum() < games.sum():
            continue
        odds = np.log(own[meets] / rest[meets])  # of being drawn, with a worth of 1
        sign = 1 if first.any() else -1

        def likelihood(logarithm: float, games=games, odds=odds, sign=sign) -> float:  # type: ignore[no-untyped-def]
            return float(-games @ np.logaddexp(0, -sign * (odds + logarithm))) - np.log(0.025)

        there = scipy.optimize.brentq(likelihood, -_FARTHEST, _FARTHEST)
        bounds[k] = rating[k] + (there - rating[k]) * (1 - centred[k] / centred.sum())  # the mean stays 0
    return bounds


def _fit(
    groups: Floats,  # (G, K), of ``_counts``
    drawn: Floats,  # (R, K) sums over seeds
    faced: Floats,  # (R, G) sums over seeds
    start: Floats,  # (K,) where to begin
) -> Floats:
    """(R, K) the logarithms of worth that make the draws likeliest, for each of R samples.

    Newton's method, for all samples at once: the likelihood has one summit, which is near the start for a resample.
    ``scipy.optimize.minimize`` finds the same, one by one, in a hundred times the time.
    """
    num_samples, num_agents = drawn.shape
    logarithms = np.tile(start, (num_samples, 1))
    pairs = np.einsum("gi,gj->gij", groups, groups).reshape(len(groups), -1)
    diagonal = np.eye(num_agents)
    for _ in range(_MOST_STEPS):
        worths = np.exp(logarithms)
        sums = worths @ groups.T
        expected = worths * ((faced / sums) @ groups)
        slope = drawn - expected - logarithms / PRIOR**2
        shared = ((faced / sums**2) @ pairs).reshape(-1, num_agents, num_agents)
        shared *= worths[:, :, None] * worths[:, None, :]
        bend = (expected + 1 / PRIOR**2)[:, :, None] * diagonal - shared
        step = np.linalg.solve(bend, slope[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        logarithms += step / np.maximum(1, largest)  # a longer one may overshoot
        if largest.max(initial=0) < _ACCURACY:
            break
    return logarithms
