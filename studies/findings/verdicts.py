"""Which of the page's statements stand.

A page with hundreds of intervals has dozens that do not contain the number that they are compared with by chance alone.
So what it prints in bold, or calls fairer or best, stands among all statements of its kind at a false discovery rate:
that of genes in ``ursuppe_lab.balance.verdicts``, all others here. Each kind has its own, so that what is beyond
doubt anyway (start places) does not make room for chance elsewhere (seats).
"""

import math
from collections.abc import Hashable, Mapping

from studies.findings.wording import Side
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.discoveries import adjusted

_END = 1.959964  # standard errors from the estimate to the end of its interval


class Verdicts:
    """All statements of one kind, judged together.

    Args:
        figures: by key, and the number that each is compared with; None is never a verdict.
    """

    def __init__(self, figures: Mapping[Hashable, tuple[Interval | None, float]]) -> None:
        p_values = adjusted([p_value(*compared) for compared in figures.values()])
        self._sides = {
            key: _side(figure, number, p) for (key, (figure, number)), p in zip(figures.items(), p_values, strict=True)
        }

    def __getitem__(self, key: Hashable) -> Side:
        """Where the figure is shown to lie; around the number if that is not shown."""
        return self._sides[key]

    @property
    def in_words(self) -> str:
        """How many of them are shown to differ: ``3 of 78``."""
        return f"{sum(side != Side.AROUND for side in self._sides.values())} of {len(self._sides)}"


def p_value(figure: Interval | None, number: float) -> float | None:
    """How likely a figure at least so far from the number is by chance, to either side; None without an interval.

    The dual of the interval, taken as that of a normal distribution: these are means of hundreds of seeds and more.
    """
    if figure is None or figure.ends is None:
        return None
    low, high = figure.ends
    apart, reach = (
        abs(figure.estimate - number),
        figure.estimate - low if figure.estimate > number else high - figure.estimate,
    )
    if reach == 0:
        return float(apart == 0)
    return math.erfc(_END * apart / reach / math.sqrt(2))


def _side(figure: Interval | None, number: float, adjusted_p: float | None) -> Side:
    if figure is None or adjusted_p is None or adjusted_p > FALSE_DISCOVERIES:
        return Side.AROUND
    return Side.ABOVE if figure.estimate > number else Side.BELOW
