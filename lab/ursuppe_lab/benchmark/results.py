"""What a run of a task leaves: ``results.json``, and beside it the records of all games."""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ursuppe_env import __version__
from ursuppe_env.line import quoted
from ursuppe_env.parsing import parse_json
from ursuppe_lab.benchmark.entry import Entry
from ursuppe_lab.benchmark.figures import Figures, Pairing, Simulated
from ursuppe_lab.benchmark.task import Task, task_named
from ursuppe_lab.reports.text import as_json
from ursuppe_lab.statistics import Interval

RESULTS, RECORDS = "results.json", "records.jsonl.gz"
_FORMAT = "ursuppe-benchmark/1"


class Results(BaseModel):
    """The content of ``results.json``.

    Attributes:
        format: and its version.
        version: of the package that played.
        task: by its name.
        task_digest: of that task there.
        entry: who played.
        development: played on the dice that are the same for all; such results stand in no table.
        records: digest of the file of records.
        figures: as ``Figures`` has them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str = _FORMAT
    version: str = __version__
    task: str
    task_digest: str
    entry: Entry
    development: bool
    records: str
    figures: dict[str, Any]

    @property
    def of_task(self) -> Task:
        """The task of this installation.

        Raises:
            ValueError: it has none of this name, or another one.
        """
        task = task_named(self.task)
        if task.digest != self.task_digest:
            raise ValueError(
                f"task_digest is {self.task_digest!r}; {self.task} of this installation is {task.digest!r}"
            )
        return task

    @property
    def found(self) -> Figures:
        """The figures.

        Raises:
            ValueError: they are none.
        """
        return _figures_from(self.figures)

    def encoded(self) -> bytes:
        """As the content of a file."""
        return (json.dumps(self.model_dump(), indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def figures_as_json(figures: Figures) -> dict[str, Any]:
    """In the types of JSON."""
    found: dict[str, Any] = as_json(figures)
    return found


def _figures_from(told: dict[str, Any]) -> Figures:
    """The figures that ``figures_as_json`` wrote.

    Raises:
        ValueError: they are none.
    """

    def interval(ends: Any) -> Interval:
        estimate, low, high = Interval(**ends)
        return Interval(float(estimate), None if low is None else float(low), None if high is None else float(high))

    def interval_if_any(ends: Any) -> Interval | None:
        return None if ends is None else interval(ends)

    def intervals(of_each: Any) -> dict[str, Interval] | None:
        return None if of_each is None else {str(name): interval(found) for name, found in of_each.items()}

    try:
        counted = told.get("simulated")
        return Figures(
            visit=interval(told["visit"]),
            host=interval_if_any(told["host"]),
            pairings=[
                Pairing(str(pair["opponent"]), interval_if_any(pair["alone"]), interval_if_any(pair["visited"]))
                for pair in told["pairings"]
            ],
            by_seat=[interval(seat) for seat in told["by_seat"]],
            milliseconds=float(told["milliseconds"]),
            forfeits=int(told["forfeits"]),
            games=int(told["games"]),
            simulated=None if counted is None else Simulated(float(counted["mean"]), int(counted["maximum"])),
            shells=intervals(told.get("shells")),
            brier=intervals(told.get("brier")),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"figures are not those of a task: {type(error).__name__}: {error}") from None


def read_results(folder: Path) -> Results:
    """The results in a folder.

    Raises:
        ValueError: they have not the form of results, which the message says.
        OSError: there are none, or they cannot be read.
    """
    file = folder / RESULTS
    try:
        found = Results.model_validate(parse_json(file.read_bytes()))
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if found.format != _FORMAT:
        raise ValueError(f"{file}: format is {quoted(found.format)}; it must be {_FORMAT!r}")
    try:
        _figures_from(found.figures)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    return found
