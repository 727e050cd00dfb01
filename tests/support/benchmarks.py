"""Small tasks of ``ursuppe benchmark``, and their results: checked, and forged."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ursuppe_lab.benchmark import Entry, Task, entry_digest, task_named, verify
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


def entry_of(task: Task, spec: str, name: str | None = None) -> Entry:
    return Entry(name=name or spec, spec=spec, digest=entry_digest(spec, task.players, task.opponents))


def problems_of(folder: Path, spec: str | None = None) -> list[str]:
    """What is wrong with results, as far as games can tell without the agent, or with it."""
    return list(verify(folder, spec, workers=1))


def forge_figures(folder: Path, **changes: object) -> None:
    results = json.loads((folder / RESULTS).read_bytes())
    results["figures"] |= changes
    (folder / RESULTS).write_text(json.dumps(results))
