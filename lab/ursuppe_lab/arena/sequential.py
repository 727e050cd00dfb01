"""Is one agent better than another? A test that stops as soon as it is sure.

Two generalised sequential probability ratio tests run side by side: is the first agent better by the margin rather than
equal, and is it worse? Each seed is one observation: the share of its games that the first agent wins, less the half
that equals win. Its variance is that of the seeds so far, as in Stockfish's Fishtest.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from math import log

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.jobs import run_in_order
from ursuppe_lab.arena.lineups import ONE_VS_REST, TWO_AND_TWO, Lineup, make_lineups, num_rotations
from ursuppe_lab.arena.play import play_batch
from ursuppe_lab.arena.tournament import MatchBatch, Tournament

FALSE_POSITIVES = 0.045  # of tests of equals that find one of them better: with an estimated variance it is 0.05
MISSES = 0.05  # of tests of agents that differ by the margin that do not find it
ACCEPTED = log((1 - MISSES) / (FALSE_POSITIVES / 2))  # two tests share the false positives
REFUSED = log(MISSES / (1 - FALSE_POSITIVES / 2))
FEWEST_SEEDS = 32  # before the variance is known well enough
_SEEDS_AT_ONCE = 16


@dataclass(frozen=True)
class SequentialResult:
    """What a comparison found."""

    better: int | None  # 0 or 1; None: they differ by less than the margin, or it is not known
    is_sure: bool  # is that a finding, and not the end of the games?
    share: float  # of the games that the first agent wins, half of them by chance
    seeds: int  # that were played
    games: int  # in all


def likelihood_ratio(advantages: ArrayLike, margin: float) -> NDArray[np.float64]:
    """(2, ...) logarithms: is the first agent better by the margin rather than equal; is it worse?

    ``advantages``, (S, ...), are the shares of each seed's games that it wins, less a half.
    """
    seen = np.asarray(advantages, np.float64)
    mean, variance = seen.mean(axis=0), np.maximum(seen.var(axis=0, ddof=1), np.finfo(float).tiny)
    ratio: NDArray[np.float64] = len(seen) * margin * (np.stack([mean, -mean]) - margin / 2) / variance
    return ratio


def decided(advantages: ArrayLike, margin: float) -> tuple[bool, int | None]:
    """Is the test over, and who is better; arguments are those of ``likelihood_ratio`` for one test."""
    if len(np.asarray(advantages)) < FEWEST_SEEDS:
        return False, None
    better, worse = likelihood_ratio(advantages, margin).tolist()
    if max(better, worse) >= ACCEPTED:
        return True, 0 if better > worse else 1
    return max(better, worse) <= REFUSED, None


def lineups_of_two(agents: tuple[str, str], sides: int) -> tuple[Lineup, ...]:
    """Each alone among copies of the other one, with 4 seats two and two as well; of two sides they are one lineup."""
    if sides == 2:
        return (agents,)
    return make_lineups(agents, sides, ONE_VS_REST) + (make_lineups(agents, sides, TWO_AND_TWO) if sides == 4 else ())


def compare_until_sure(
    tournament: Tournament,  # of ``lineups_of_two``; it has the most games that are played
    margin: float,  # share of the games: a smaller difference counts as none
    workers: int | None = None,  # processes; None: one per core
    on_progress: Callable[[int], None] | None = None,  # called with the number of games that are over
) -> SequentialResult:
    """Play seed after seed until it is known which of two agents is better; the same whatever the workers."""
    if not 0 < margin < 0.5:
        raise ValueError(f"margin is {margin!r}; it must be more than 0 and less than 0.5")
    first = tournament.lineups[0][0]
    lineups, seeds = len(tournament.lineups), tournament.num_seeds
    batches = (
        MatchBatch(tournament, number, begin * lineups, min(begin + _SEEDS_AT_ONCE, seeds) * lineups)
        for number, begin in enumerate(range(0, seeds, _SEEDS_AT_ONCE))
    )
    games_a_seed = sum(map(num_rotations, tournament.lineups))
    advantages: list[float] = []
    is_over, better = False, None
    with closing(run_in_order(play_batch, batches, workers)) as results:
        for rows in results:
            winner = pl.col("agents").list.get(pl.col("ranks").list.arg_min())
            shares = rows.group_by("index", maintain_order=True).agg((winner == first).mean().alias("share"))
            for share in shares["share"]:
                advantages.append(share - 0.5)
                if not is_over:
                    is_over, better = decided(advantages, margin)
            if on_progress is not None:
                on_progress(len(advantages) * games_a_seed)
            if is_over:
                break
    share = float(np.mean(advantages)) + 0.5
    return SequentialResult(better, is_over, share, len(advantages), len(advantages) * games_a_seed)
