"""Several runs: one after the other in this process, or some at a time, each in a process of its own.

Each is the one that its settings give alone, bit for bit, unless its time is limited: beside others it gets less done.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ursuppe_env.jobs import Tell, run_jobs, workers_for
from ursuppe_env.threads import available_cores
from ursuppe_training.config import TrainingConfig
from ursuppe_training.devices import AUTO
from ursuppe_training.runs.run import Finish, Run, RunProgress, Say

_BETWEEN_NEWS = 0.25  # seconds


@dataclass(frozen=True)
class RunTask:
    """A run that is to be trained to its end, or what is left of it."""

    name: str  # of its own, with which its lines and errors begin
    folder: Path
    config: TrainingConfig


class TrainedRun(NamedTuple):
    """What a run came to."""

    decisions: int  # that it learned from
    seconds: float  # of training


def train_runs(
    tasks: Sequence[RunTask],
    say: Say,
    on_progress: Callable[[RunTask, RunProgress | None], None],
    device: str = AUTO,
    threads: int | None = None,
    workers: int | None = None,
    finish: Finish | None = None,
) -> dict[str, TrainedRun]:
    """Train all runs, or what is left of them. An exception ends all; they can go on from their last checkpoints.

    Args:
        tasks: the runs.
        say: prints a line; each begins with the name of its run.
        on_progress: called in this thread now and then with how far a run is, and with None as soon as it is done.
        device: as for ``Trainer``.
        threads: of each run, as for ``Trainer``; None: an equal share of the cores.
        workers: how many are trained at a time; None: one per core, or one where the time of the runs is limited.
        finish: as for ``Run.train``; a function of a module.

    Returns:
        What each came to, by its name.

    Raises:
        ValueError: a run failed; the message begins with its name. Or ``workers`` or ``threads`` is less than 1.
        ChildProcessError: a process died.
    """
    at_a_time = workers_for(len(tasks), workers)
    if workers is None and any(math.isfinite(task.config.minutes) for task in tasks):
        at_a_time = 1
    if at_a_time > 1 and threads is None:
        threads = max(available_cores() // at_a_time, 1)

    task_of = {task.name: task for task in tasks}
    trained: dict[str, TrainedRun] = {}

    def on_told(told: tuple[str, str | RunProgress]) -> None:
        name, news = told
        if isinstance(news, str):
            say(f"{name}: {news}")
        else:
            on_progress(task_of[name], news)

    train = partial(_train, device=device, threads=threads, finish=finish)
    with closing(run_jobs(train, tasks, at_a_time, on_told)) as results:
        for task, run in results:
            trained[task.name] = run
            on_progress(task, None)
    return trained


def told_together(
    expected: Mapping[str, int], tell: Callable[[int, int], None]
) -> Callable[[RunTask, RunProgress | None], None]:
    """Progress of all runs together, for ``train_runs``.

    ``tell`` hears how many decisions they have learned from, about, and how many there will be; those that are
    ``expected`` of each run are by name.
    """
    learned = dict.fromkeys(expected, 0.0)

    def show(task: RunTask, now: RunProgress | None) -> None:
        learned[task.name] = expected[task.name] * (1.0 if now is None else now.trained)
        tell(round(sum(learned.values())), sum(expected.values()))

    return show


def _train(task: RunTask, tell: Tell, device: str, threads: int | None, finish: Finish | None) -> TrainedRun:
    def tell_named(news: str | RunProgress) -> None:
        tell((task.name, news))

    try:
        run = Run.begin_or_resume(task.folder, task.config, tell_named, device, threads)
        run.train(_NowAndThen(tell_named), finish)
    except (ValueError, OSError) as error:
        raise ValueError(f"{task.name}: {error}") from error
    return TrainedRun(run.trainer.decisions, run.trainer.seconds)


@dataclass
class _NowAndThen:
    """Hands on how far a run is, but not after each step of the games."""

    hand_on: Callable[[RunProgress], None]
    doing: str = ""
    last: float = 0.0

    def __call__(self, progress: RunProgress) -> None:
        now = time.monotonic()
        if progress.doing != self.doing or now - self.last >= _BETWEEN_NEWS:
            self.doing, self.last = progress.doing, now
            self.hand_on(progress)
