"""Figures of several agents that stand for all of their kind: intervals that contain how far agents differ.

Agents trained alike with other seeds are a sample of all that such a training may bring forth. Where each of them has
games with dice of its own, its figure is the truth about such agents, and what is its own, and chance: independent of
those of the others. So Student's t of the K figures, with K - 1 degrees of freedom, contains the spread between agents
and the chance of games alike, whatever their shares. Resampling agents would not do: resamples of three say that agents
differ less than they do. Of few agents the intervals are wide, which is what so few can tell.
"""

from collections.abc import Sequence

import numpy as np

from ursuppe_agents.statistics.intervals import Interval
from ursuppe_env.extras import extra

with extra("arena"):
    from scipy import special  # type: ignore[import-untyped]


def mean_of_agents(figures: Sequence[float], confidence: float = 0.95) -> Interval:
    """The mean for all agents of a kind.

    Args:
        figures: (K,) one of each agent, from games of its own. One alone has no interval.
        confidence: between 0 and 1.
    """
    mean = float(np.mean(figures))
    if len(figures) < 2:
        return Interval(mean, None, None)
    reach = float(special.stdtrit(len(figures) - 1, (1 + confidence) / 2)) * _error(figures)
    return Interval(mean, mean - reach, mean + reach)


def p_of_agents(figures: Sequence[float]) -> float | None:
    """How likely a mean at least so far from 0, to either side, is where that of all agents is 0; None of one agent."""
    if len(figures) < 2:
        return None
    mean, error = float(np.mean(figures)), _error(figures)
    if error == 0:
        return float(mean == 0)
    return float(2 * special.stdtr(len(figures) - 1, -abs(mean) / error))


def _error(figures: Sequence[float]) -> float:
    return float(np.std(figures, ddof=1)) / len(figures) ** 0.5
