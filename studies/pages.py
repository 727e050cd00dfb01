"""Tables in the marked places of a page, and which of the figures in them are shown to differ.

A page says where a table stands; what is between these two lines is replaced, and nothing else::

    <!-- studies: places 4 -->
    <!-- end -->

A page with hundreds of intervals has dozens that do not contain the number that they are compared with by chance alone.
So what is **bold** stands among all statements of its kind at a false discovery rate (``judged``).
"""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path

from rich.progress import Progress, TaskID

from ursuppe_env.files import write_atomically
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.discoveries import adjusted, counts

IMAGES = "images"  # the folder beside the page
_PLACE = re.compile(r"(<!-- studies: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_END = 1.959964  # standard errors from the estimate to the end of its interval

#: Called with the name of a study, how many of its games are over, and how many it has.
OnProgress = Callable[[str, int, int], None]


def fill(page: str, tables: Mapping[str, str]) -> str:
    """The page with these tables, by name, in their places; a ``ValueError`` if its part has not a table it asks for.

    The first word of a name is that of a part of the page: parts of which there is no table stay as they are.
    """
    played = {name.split()[0] for name in tables}

    def filled(match: re.Match[str]) -> str:
        name = match[2]
        if name.split()[0] not in played:
            return match[0]
        if name not in tables:
            raise ValueError(f"there is no table {name!r}; known are {', '.join(tables)}")
        return f"{match[1]}{tables[name]}\n\n{match[3]}"

    return _PLACE.sub(filled, page)


def write_page(page: Path, tables: Mapping[str, str], pictures: Mapping[str, bytes] | None = None) -> dict[str, str]:
    """Write tables into their places as ``fill`` does, and pictures beside the page.

    Returns:
        What has no place in the page, by name: figures that stand in its sentences.
    """
    text = page.read_text(encoding="utf-8")
    filled = fill(text, tables)
    for name, picture in (pictures or {}).items():
        write_atomically(page.parent / IMAGES / f"balance-{name}.svg", picture)
    write_atomically(page, filled.encode())
    placed = {match[2] for match in _PLACE.finditer(text)}
    return {name: said for name, said in tables.items() if name not in placed}


def shown_in(progress: Progress) -> OnProgress:
    """Shows each study in a line of its own, once it has begun."""
    lines: dict[str, TaskID] = {}

    def on_progress(name: str, over: int, total: int) -> None:
        if name not in lines:
            lines[name] = progress.add_task(name, total=total)
        progress.update(lines[name], completed=over)

    return on_progress


def table(heading: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown; the columns after the first ``texts`` are numbers."""
    rule = ["---"] * texts + ["---:"] * (len(heading) - texts)
    return "\n".join(f"| {' | '.join(row)} |" for row in [heading, rule, *rows])


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; ``none`` if there are none."""
    *others, last = names or ["none"]
    return f"{', '.join(others)} and {last}" if others else last


class Side(IntEnum):
    """Where a figure is shown to lie, beside the number that it is compared with."""

    BELOW = -1
    AROUND = 0  # no difference is shown
    ABOVE = 1


Judged = Mapping[Hashable, Side]


def judged(figures: Mapping[Hashable, tuple[Interval | None, float]]) -> Judged:
    """All statements of one kind, each with the number that it is compared with, judged together (None is not)."""
    p_values = adjusted([_p_value(*compared) for compared in figures.values()])
    sides = {}
    for (key, (figure, number)), p in zip(figures.items(), p_values, strict=True):
        is_above = figure is not None and figure.estimate > number
        sides[key] = (Side.ABOVE if is_above else Side.BELOW) if counts(p) else Side.AROUND
    return sides


def how_many(sides: Judged) -> str:
    """How many of them are shown to differ: ``3 of 78``."""
    return f"{sum(side != Side.AROUND for side in sides.values())} of {len(sides)}"


def _p_value(figure: Interval | None, number: float) -> float | None:
    """How likely a figure at least so far from the number is by chance, to either side; None without an interval.

    The dual of the interval, taken as that of a normal distribution: these are means of hundreds of seeds and more.
    """
    if figure is None or figure.ends is None:
        return None
    low, high = figure.ends
    apart = abs(figure.estimate - number)
    reach = figure.estimate - low if figure.estimate > number else high - figure.estimate
    return float(apart == 0) if reach == 0 else math.erfc(_END * apart / reach / math.sqrt(2))
