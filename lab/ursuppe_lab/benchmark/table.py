"""The table of a task: what the package's own agents do, and results of one's own among them."""

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, NamedTuple

from ursuppe_lab.benchmark.results import Results
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.reports.text import printable, value
from ursuppe_lab.statistics import Interval

_TABLES = files("ursuppe_lab.benchmark") / "tables"


class Row(NamedTuple):
    """A line of a table; ``visit`` and ``host`` are those of ``Figures``.

    Attributes:
        name: of the entry.
        digest: of the entry.
        learned: decisions that it learned from; None: not told, or it did not learn.
        visit: share of the games.
        host: share of the games less chance.
        milliseconds: a decision.
        is_own: does it come from results that were given, and not from the package?
        more: figures that this task alone has, as texts by their names.
    """

    name: str
    digest: str
    learned: int | None
    visit: Interval
    host: Interval
    milliseconds: float
    is_own: bool
    more: dict[str, str]

    def in_markdown(self) -> str:
        """One line for a table of Markdown."""
        learned = "–" if self.learned is None else f"{self.learned:,}"
        shown = [f"`{printable(self.name)}`", learned, value(self.visit, ".1f", 100), value(self.host, "+.1f", 100)]
        return f"| {' | '.join([*shown, *self.more.values()])} | {self.milliseconds:.2g} |"


def row_of(results: Results, is_own: bool = True) -> Row:
    """The line of some results."""
    entry, found = results.entry, results.found
    more = {}
    if found.simulated is not None:
        more["simulated, mean (most)"] = f"{found.simulated.mean:,.0f} ({found.simulated.maximum:,})"
    for shell, share in (found.shells or {}).items():
        more[f"{shell}, %"] = value(share, ".1f", 100)
    return Row(entry.name, entry.digest, entry.learned, found.visit, found.host, found.milliseconds, is_own, more)


def table_of(task: Task, own: Iterable[Results] = ()) -> list[Row]:
    """The lines, the best visitor first.

    Args:
        task: of the package.
        own: results that stand among those of the package, in place of a line of the same digest.

    Raises:
        ValueError: some are of another task.
    """
    rows = {}
    file = _TABLES / f"{task.name}.json"
    shipped = [Results.model_validate(one) for one in json.loads(file.read_text())] if file.is_file() else []
    for results, is_own in [*((one, False) for one in shipped), *((one, True) for one in own)]:
        if results.task != task.name:
            raise ValueError(f"{results.entry.name} has results of {results.task}; this is the table of {task.name}")
        rows[results.entry.digest] = row_of(results, is_own)
    return sorted(rows.values(), key=lambda row: -row.visit.estimate)


def encoded_table(entries: Iterable[Results]) -> bytes:
    """The content of a table's file."""
    found: list[dict[str, Any]] = [results.model_dump() for results in entries]
    return (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode()
