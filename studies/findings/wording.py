"""Lists and tables as the page has them, and what an interval says.

No sentence of the page is certain of what it says before the figures are there: whatever is called more, less, cheap,
dear or fair is called so because of where an interval lies.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import TypeVar

from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.statistics import Interval

IMAGES = "images"  # the folder beside the page

T = TypeVar("T")


class Side(IntEnum):
    """Where an interval lies."""

    BELOW = -1
    AROUND = 0  # it contains the number: no difference is shown
    ABOVE = 1


def side(figure: Interval | None, number: float = 0) -> Side:
    """Where the interval lies beside a number; around it also if there is none."""
    if figure is None or figure.ends is None or figure.contains(number):
        return Side.AROUND
    return Side.ABOVE if figure.ends[0] > number else Side.BELOW


def farthest(figure: Interval, number: float = 0) -> float:
    """How far from the number the truth could be, as far as the interval reaches."""
    return max(abs(end - number) for end in figure.ends or (math.inf,))


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; ``none`` if there are none."""
    if not names:
        return "none"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def grouped(sides: Mapping[T, Side]) -> dict[Side, list[T]]:
    """What lies where."""
    return {where: [key for key, found in sides.items() if found == where] for where in Side}


def title(gene: str) -> str:
    """The gene's name as people write it."""
    return gene_title(GENE_NAMES.index(gene))


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown; the columns after the first ``texts`` are numbers."""
    rule = ["---"] * texts + ["---:"] * (len(heading) - texts)
    return "\n".join(f"| {' | '.join(row)} |" for row in [heading, rule, *rows])


def image_name(name: str) -> str:
    """The file of a picture."""
    return f"balance-{name}.svg"


def image(said: str, name: str) -> str:
    """A picture in Markdown, with what is said to those who do not see it."""
    return f"![{said}]({IMAGES}/{image_name(name)})"


def of_100(share: Interval | None) -> str:
    """A share as people count: ``53 of 100 (51 to 55)``."""
    return "an unknown number" if share is None else f"{_whole(share.estimate)} of 100{_between(share)}"


def _between(share: Interval) -> str:
    return "" if share.ends is None else f" ({' to '.join(map(_whole, share.ends))})"


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"
