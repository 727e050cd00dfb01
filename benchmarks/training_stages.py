"""Where the time of training goes, and what would limit it on more cores.

``python benchmarks/training_stages.py``, three minutes: the preset ``standard``, with eight snapshots and no teachers,
as in most of a run. With one thread, the time of each stage is measured; what is in none of them is Python, which one
thread at a time can execute. With more threads, rollouts and updates are measured as wholes, by turns in one run.
"""

import argparse
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

from rich.console import Console
from rich.progress import track
from rich.table import Table
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.search.greedy import GreedyAgent
from ursuppe_env import Games
from ursuppe_training import gradients, heads
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.every_seat import EverySeatPPO
from ursuppe_training.inputs import InputsView
from ursuppe_training.rollout import Rollout
from ursuppe_training.sampling import FrozenPolicy
from ursuppe_training.snapshots import Snapshots
from ursuppe_training.trainer import Trainer

_SNAPSHOTS = 8
_MANY = (2, 4, 16, 64)  # cores

#: What takes time outside Python's lock, by stage: an owner and the names of its functions.
_STAGES: dict[str, tuple[tuple[Any, tuple[str, ...]], ...]] = {
    "games": ((Games, ("step", "legal", "reset", "copy")), (InputsView, ("of",))),
    "greedy": ((GreedyAgent, ("act",)),),
    "scripted agents": ((ScriptedAgent, ("act",)),),
    "snapshots": ((Snapshots, ("_latents",)),),
    "the policy": ((FrozenPolicy, ("_latents",)), (heads, ("draw",))),
}


class Stopwatch:
    """Adds up the time in some functions; calls within others that it knows count for the inner ones alone."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inner = [0.0]

    def watch(self, owner: Any, name: str, stage: str) -> None:
        """Time all calls of a function, for this stage."""
        function = getattr(owner, name)

        def timed(*arguments: Any, **keywords: Any) -> Any:
            started = time.perf_counter()
            self._inner.append(0.0)
            try:
                return function(*arguments, **keywords)
            finally:
                taken = time.perf_counter() - started
                self.seconds[stage] += taken - self._inner.pop()
                self._inner[-1] += taken

        setattr(owner, name, timed)


class Training:
    """A trainer whose rollouts and updates can be timed.

    Args:
        config: of the training.
        threads: that it computes on.
    """

    def __init__(self, config: TrainingConfig, threads: int) -> None:
        self.threads = threads
        self._trainer = Trainer(config, "cpu", threads)
        model = self._trainer.model
        assert isinstance(model, EverySeatPPO)
        self.model = model
        self.model.set_logger(configure(None, []))
        for _ in range(_SNAPSHOTS):
            self.model.opponent_pool.take_snapshot()
        self._callback = CallbackList([])
        self._callback.init_callback(self.model)

    def rollout(self) -> float:
        """Seconds of a rollout."""
        self._trainer.begin_rollout()
        buffer = self.model.rollout_buffer
        return seconds(lambda: self.model.collect_rollouts(self.model.env, self._callback, buffer, 0))

    def update(self) -> float:
        """Seconds of an update by the last rollout."""
        return seconds(self.model.train)


def main() -> None:
    """Measure, and print three tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each number of threads is measured")
    rounds = parser.parse_args().rounds
    config = read_config("standard").changed({"teachers": ()})
    trainings = [Training(config, threads) for threads in (1, 2)]
    for training in trainings:  # what is compiled and made once
        training.rollout(), training.update()
    times: dict[Training, list[tuple[float, float]]] = defaultdict(list)
    for training in track(trainings * rounds, "training"):
        times[training].append((training.rollout(), training.update()))
    console = Console(width=110)
    console.print(table_of_threads(times, config))
    stages = collecting_by_stage(trainings[0]) | update_by_stage(trainings[0])
    console.print(table_of_stages(stages))
    console.print(table_of_cores(stages))


def table_of_threads(times: dict[Training, list[tuple[float, float]]], config: TrainingConfig) -> Table:
    """Medians of rollouts and updates as wholes."""
    decisions = config.envs * config.rollout
    table = Table("threads", "rollout", "update", "both", "decisions/s", title=f"seconds for {decisions:,} decisions")
    for training, turns in times.items():
        rollout, update = (statistics.median(each) for each in zip(*turns, strict=True))
        both = rollout + update
        figures = (f"{figure:.2f}" for figure in (rollout, update, both))
        table.add_row(str(training.threads), *figures, f"{decisions / both:,.0f}")
    return table


def collecting_by_stage(training: Training) -> dict[tuple[str, str], float]:
    """Seconds of each stage of a rollout on one thread."""
    stopwatch = Stopwatch()
    for stage, functions in _STAGES.items():
        for owner, names in functions:
            for name in names:
                stopwatch.watch(owner, name, stage)
    total = training.rollout()
    found = {("rollout", stage): stopwatch.seconds[stage] for stage in _STAGES}
    return found | {("rollout", "Python"): total - sum(found.values())}


def update_by_stage(training: Training) -> dict[tuple[str, str], float]:
    """Seconds of each stage of an update on one thread; what is not in slices is computed by one thread alone."""
    stopwatch = Stopwatch()
    stopwatch.watch(heads, "ppo_gradients", "the actor's last layer and losses")
    stopwatch.watch(gradients.Decisions, "at", "picking decisions")
    stopwatch.watch(gradients.Gradients, "_of_actor", "the actor's hidden layers")
    stopwatch.watch(gradients.Gradients, "_of_critic", "the critic")
    stopwatch.watch(Rollout, "compute_returns_and_advantages", "advantages")
    total = training.update()
    found = {("update", stage): taken for stage, taken in stopwatch.seconds.items()}
    return found | {("update", "between the slices"): total - sum(found.values())}


def table_of_stages(stages: dict[tuple[str, str], float]) -> Table:
    """Seconds and parts of the whole."""
    table = Table("part", "stage", "seconds", "of all", title="one thread, by stage")
    total = sum(stages.values())
    for (part, stage), taken in stages.items():
        table.add_row(part, stage, f"{taken:.2f}", f"{taken / total:.0%}")
    return table


def table_of_cores(stages: dict[tuple[str, str], float]) -> Table:
    """What these times would be with as many groups of games and slices as cores, if nothing else were in the way.

    Python in rollouts, and what is between the slices of an update, stay as they are; all else is divided.
    """
    alone = {("rollout", "Python"), ("update", "between the slices")}
    table = Table("cores", "rollout", "update", "both", "limited by", title="seconds by calculation")
    for cores in _MANY:
        divided = {name: taken if name in alone else taken / cores for name, taken in stages.items()}
        parts = {part: sum(taken for (of, _), taken in divided.items() if of == part) for part in ("rollout", "update")}
        # Rollouts end with Python's lock or with the work of a core, whichever takes longer.
        lock = stages["rollout", "Python"]
        parts["rollout"] = max(lock, parts["rollout"] - lock + lock / cores)
        part, stage = max(divided, key=lambda name: divided[name])
        both = sum(parts.values())
        figures = (f"{figure:.2f}" for figure in (parts["rollout"], parts["update"], both))
        table.add_row(str(cores), *figures, f"{part}: {stage}")
    return table


def seconds(work: Callable[[], object]) -> float:
    """That a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
