"""What a run of a task leaves: ``results.json``, and beside it the records of all games."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ursuppe_env import __version__
from ursuppe_env.line import quoted
from ursuppe_env.parsing import parse_json
from ursuppe_lab.benchmark.entry import Entry
from ursuppe_lab.benchmark.figures import Figures
from ursuppe_lab.benchmark.task import Task, task_named
from ursuppe_lab.jobs.folder import to_json

RESULTS, RECORDS = "results.json", "records.jsonl.gz"
_FORMAT = "ursuppe-benchmark/1"
_FIGURES = TypeAdapter(Figures)


class Results(BaseModel):
    """The content of ``results.json``.

    Attributes:
        format: and its version.
        version: of the package that played.
        task: by its name.
        task_digest: of that task there.
        entry: who played.
        development: played on the dice that are the same for all; not to be published.
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
        """The task of this installation; ``ValueError`` if it has none of this name, or another one."""
        task = task_named(self.task)
        if task.digest != self.task_digest:
            here = f"{self.task} of this installation is {task.digest!r}"
            raise ValueError(f"task_digest is {self.task_digest!r}; {here}")
        return task

    @property
    def found(self) -> Figures:
        """The figures; ``ValueError`` if they are none."""
        try:
            return _FIGURES.validate_python(self.figures)
        except ValidationError as error:
            raise ValueError(f"figures are not those of a task: {_first(error)}") from None

    def encoded(self) -> bytes:
        """As the content of a file."""
        return to_json(self.model_dump())


def read_results(folder: Path) -> Results:
    """The results in a folder.

    Raises:
        ValueError: there are none, or they have not the form of results.
        OSError: they cannot be read.
    """
    file = folder / RESULTS
    if folder.is_dir() and not file.exists():
        raise ValueError(
            f"{folder} has no {RESULTS}: give the folder of a run that is done; the same command resumes one"
        )
    try:
        found = Results.model_validate(parse_json(file.read_bytes()))
        if found.format != _FORMAT:
            raise ValueError(f"format is {quoted(found.format)}; it must be {_FORMAT!r}")
        _ = found.found  # are they figures?
    except ValueError as error:
        raise ValueError(f"{file}: {_first(error) if isinstance(error, ValidationError) else error}") from None
    return found


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, in one line."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
