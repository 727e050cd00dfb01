"""Figures of several agents that stand for all of their kind: intervals that contain how far agents differ.

Agents trained alike with other seeds are a sample of all that such a training may bring forth. Where each of them has
games with dice of its own, its figure is the truth about such agents, and what is its own, and chance: independent of
those of the others. So Student's t of the K figures, with K - 1 degrees of freedom, contains the spread between agents
and the chance of games alike, whatever their shares. Resampling agents would not do: resamples of three say that agents
differ less than they do. Of few agents the intervals are wide, which is what so few can tell. But figures of three may
by chance lie closer together than their games can know any of them: then what the games alone say is the wider one, and
is taken.
"""

from collections.abc import Sequence

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_lab.statistics import student
from ursuppe_lab.statistics.intervals import Interval
from ursuppe_lab.statistics.ratios import Bootstrapped

with extra("arena"):
    from scipy import stats  # type: ignore[import-untyped]


def mean_of_agents(figures: Sequence[Bootstrapped]) -> Interval:
    """The mean for all agents of a kind, with the wider of the intervals of agents and of games (95 %).

    Args:
        figures: (K,) one of each agent, from games of its own. One alone has no interval.
    """
    together = together_of(figures)
    if len(figures) < 2:
        return Interval(together.estimate, None, None)
    reach = student.reach(_error(figures), len(figures))
    low, high = together.estimate - reach, together.estimate + reach
    games = together.interval()
    if games is not None and games.ends is not None:
        low, high = min(low, games.ends[0]), max(high, games.ends[1])
    return Interval(together.estimate, low, high)


def p_of_agents(figures: Sequence[Bootstrapped]) -> float | None:
    """How likely a mean at least so far from 0, to either side, is where that of all agents is 0; None of one agent.

    The larger of what agents and what games say.
    """
    if len(figures) < 2:
        return None
    together = together_of(figures)
    by_agents = student.p_two_sided(together.estimate, _error(figures), len(figures))
    by_games = float(together.resampled.std()) if together.has_resamples else 0.0
    if by_games == 0:
        return by_agents
    return max(by_agents, float(2 * stats.norm.sf(abs(together.estimate) / by_games)))


def together_of(figures: Sequence[Bootstrapped]) -> Bootstrapped:
    """The mean of agents that stand for themselves, from games of their own."""
    resamples = min(len(figure.resampled) for figure in figures)
    return Bootstrapped(
        float(np.mean([figure.estimate for figure in figures])),
        np.mean([figure.resampled[:resamples] for figure in figures], axis=0),
    )


def _error(figures: Sequence[Bootstrapped]) -> float:
    return float(np.std([figure.estimate for figure in figures], ddof=1)) / len(figures) ** 0.5
