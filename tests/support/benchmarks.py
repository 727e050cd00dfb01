"""Small tasks of ``ursuppe benchmark``, and their results: checked, and forged."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ursuppe_lab.benchmark import Entry, Task, entry_digest, run_task, task_named, verify
from ursuppe_lab.benchmark import task as tasks
from ursuppe_lab.benchmark.results import RESULTS


@contextmanager
def only_tasks(folder: Path, texts: Mapping[str, str]) -> Iterator[Task]:
    """Let these be the only tasks, TOML by name, in this folder, which is made; gives the first of them."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "_TASKS", folder)
        yield task_named(next(iter(texts)))


@pytest.fixture
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Task]:
    """The first one of the ``TASKS`` of a test file, while they are the only ones."""
    with only_tasks(tmp_path / "tasks", request.module.TASKS) as task:
        yield task


@pytest.fixture(scope="module")
def played_once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    with only_tasks(folder / "tasks", request.module.TASKS) as task:
        run_task(task, entry_of(task, request.module.MINE, "mine"), folder / "run", workers=1)
    return folder / "run"


@pytest.fixture
def played(small: Task, played_once: Path, tmp_path: Path) -> Path:
    """The folder of that task, played by the agent that the file calls ``MINE``."""
    return shutil.copytree(played_once, tmp_path / "run")


def entry_of(task: Task, spec: str, name: str | None = None) -> Entry:
    return Entry(name=name or spec, spec=spec, digest=entry_digest(spec, task.players, task.opponents))


def problems_of(folder: Path, spec: str | None = None) -> list[str]:
    """What is wrong with results, as far as games can tell without the agent, or with it."""
    return list(verify(folder, spec, workers=1))


def forge_figures(folder: Path, **changes: object) -> None:
    results = json.loads((folder / RESULTS).read_bytes())
    results["figures"] |= changes
    (folder / RESULTS).write_text(json.dumps(results))
