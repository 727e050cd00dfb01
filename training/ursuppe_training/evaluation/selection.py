"""Which of a run's policies is the best.

Each evaluation compares two: the policy as it is, and the best one until then. Both have played at the same tables with
the same dice, and each of them alone among copies of the other, if the pool has ``BEST``. The one with the higher mean
win rate is the best from then on; if they are equal, the later one. What both win nearly always tells nothing, and is
left out.
"""

from collections.abc import Sequence
from itertools import groupby

from ursuppe_training.evaluation.history import WinRate

#: The win rate above which opponents are saturated: whoever beats them so often is not told from one who does too.
SATURATED = 0.97


def best_step(history: Sequence[WinRate]) -> int | None:
    """The ``step`` of the best policy of all evaluations, in their order; None if there was none."""
    best = None
    for step, win_rates in groupby(history, key=lambda win_rate: win_rate.step):
        if best is None or _gain(list(win_rates)) >= 0:
            best = step
    return best


def _gain(win_rates: Sequence[WinRate]) -> float:
    """How much more a policy wins than the best one until then, the mean of tables; 0 if none counts."""
    gains = [
        win_rate.mean - win_rate.best
        for win_rate in win_rates
        if win_rate.best is not None and min(win_rate.mean, win_rate.best) <= SATURATED
    ]
    return sum(gains) / len(gains) if gains else 0.0
