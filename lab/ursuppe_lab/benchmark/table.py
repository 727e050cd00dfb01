"""The table of a task: what the package's own agents do, and results of one's own among them."""

import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import NamedTuple

from ursuppe_lab.benchmark.results import Results
from ursuppe_lab.benchmark.task import Task, task_named
from ursuppe_lab.reports.text import printable, value
from ursuppe_lab.statistics import Interval

_FEWEST_RUNS = 5  # of which ends are told
_TABLES = files("ursuppe_lab.benchmark") / "tables"


class Row(NamedTuple):
    """A line of a table: an agent, or all runs of an algorithm that learned with several seeds.

    Of several runs each figure is the mean; of five or more, with the lowest and the highest of them in place of an
    interval.
    """

    name: str  # of the entry
    learned: str  # from how many decisions, such as ``5 × 10,000,000``
    visit: Interval  # share of the games, as in ``Figures``
    host: Interval | None  # share of the games less chance, likewise; None: nobody was a guest
    milliseconds: float  # a decision
    is_own: bool  # does it come from results that were given, and not from the package?
    more: dict[str, str]  # figures that this task alone has, as texts by their names

    def in_markdown(self) -> str:
        """One line for a table of Markdown."""
        figures = [value(self.visit, ".1f", 100), value(self.host, "+.1f", 100), *self.more.values()]
        return f"| `{printable(self.name)}` | {self.learned} | {' | '.join(figures)} | {self.milliseconds:.2g} |"


def row_of(runs: Sequence[Results], is_own: bool = True) -> Row:
    """The line of some results: those of one agent, or of several runs of an algorithm."""
    found = [results.found for results in runs]
    more = {}
    if counts := [figures.simulated for figures in found if figures.simulated is not None]:
        mean, most = sum(count.mean for count in counts) / len(counts), max(count.maximum for count in counts)
        more["simulated, mean (most)"] = f"{mean:,.0f} ({most:,})"
    for shell in found[0].shells or {}:
        more[f"{shell}, %"] = value(_over_runs([(figures.shells or {})[shell] for figures in found]), ".1f", 100)
    if (logs := task_named(runs[0].task).logs) is not None:
        scores = [figures.brier for figures in found if figures.brier is not None]
        for name in logs.sets:
            of_set = _over_runs([of_run[name] for of_run in scores]) if scores else None
            more[f"Brier score, {name}"] = "–" if of_set is None else value(of_set, ".3f")
    told = [results.entry.learned for results in runs if results.entry.learned is not None]
    times = f"{len(runs)} × " if len(runs) > 1 else ""
    learned = f"{times}{max(told):,}" if told else "–"  # decisions; the most of runs that differ
    hosts = [figures.host for figures in found if figures.host is not None]
    visit, host = _over_runs([figures.visit for figures in found]), _over_runs(hosts) if hosts else None
    milliseconds = sum(figures.milliseconds for figures in found) / len(found)
    name = f"{runs[0].entry.name}{' (development)' if runs[0].development else ''}"
    return Row(name, learned, visit, host, milliseconds, is_own, more)


def _over_runs(found: list[Interval]) -> Interval:
    """What one run has, or the mean of several; of enough runs with the lowest and the highest.

    Those of five enclose the median of all trainings in 94 % of cases: in 2 / 2**5 all lie on one side of it.
    """
    if len(found) == 1:
        return found[0]
    estimates = [one.estimate for one in found]
    ends = (min(estimates), max(estimates)) if len(estimates) >= _FEWEST_RUNS else (None, None)
    return Interval(sum(estimates) / len(estimates), *ends)


def shipped_results(task: Task) -> list[Results]:
    """The results that the package has of a task: one for each agent, and for each training seed of an algorithm."""
    file = _TABLES / f"{task.name}.json"
    return [Results.model_validate(one) for one in json.loads(file.read_text())] if file.is_file() else []


def table_of(task: Task, own: Iterable[Results] = ()) -> list[Row]:
    """The lines, the best visitor first.

    Args:
        task: of the package.
        own: results that stand among those of the package, in place of one of the same digest without a training seed.

    Raises:
        ValueError: some are of another task, or of another version of it, or have not its figures.
    """
    mine = {}
    for results in own:
        _refuse_what_is_of_another(task, results)
        mine[results.entry.digest] = results
    lines: dict[tuple[str, bool], list[Results]] = {}
    for is_own, found in ((False, shipped_results(task)), (True, mine.values())):
        for results in found:
            entry = results.entry
            line = entry.digest if entry.training_seed is None else f"{entry.name} {results.development}"
            lines.setdefault((line, is_own), []).append(results)
    rows = [row_of(runs, is_own) for (line, is_own), runs in lines.items() if is_own or line not in mine]
    return sorted(rows, key=lambda row: -row.visit.estimate)


def _refuse_what_is_of_another(task: Task, results: Results) -> None:
    if results.task != task.name:
        raise ValueError(f"{results.entry.name} has results of {results.task}; this is the table of {task.name}")
    if results.task_digest != task.digest:
        digests = f"task_digest is {results.task_digest!r}, not {task.digest!r}"
        raise ValueError(f"{results.entry.name} has results of another version of {task.name}: {digests}")
    found, sets = results.found, task.logs.sets if task.logs else ()
    if set(found.shells or ()) != set(task.shells) or set(found.brier or sets) != set(sets):
        raise ValueError(f"{results.entry.name} has figures of other shells or sets than those of {task.name}")


def encoded_table(entries: Iterable[Results]) -> bytes:
    """The content of a table's file."""
    return (json.dumps([results.model_dump() for results in entries], indent=1, ensure_ascii=False) + "\n").encode()
