"""Many games at once: decisions/s of each way to play them, by number of games and of threads."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.bench.figures import Effort, Figure, Goal

BATCHES = (1, 64, 1024, 4096, 16384, 65536)
COLUMNS = ("play", "step", "step + legal", "step + legal + observe")

SMALLEST_THREADED_BATCH = 2048  # below it a second thread would get too few games, and the engine uses only one
_SPEEDUP_BATCH = 4096
_WARM_GAMES = 1024  # games that are really played to the middle; larger batches hold copies of them
_WARM_DECISIONS = 1000  # so many that the games of a batch stand all over the course of a game
_MOST_FINISHED = 1 / 32  # share of finished games from which on they are reset
_FEWEST_STEPS = 16


def measure_batch(batch: int, threads: Sequence[int], effort: Effort) -> list[Figure]:
    """All columns with each number of threads, the repetitions interleaved."""
    threads = [number for number in threads if number == 1 or batch >= SMALLEST_THREADED_BATCH]
    courses = {number: Course.prepare(batch, number, effort) for number in threads}
    values: dict[tuple[str, int], list[float]] = {(column, number): [] for column in COLUMNS for number in threads}
    for repetition in range(1 + effort.repetitions):
        for (column, number), so_far in values.items():
            value = courses[number].column(column)
            if repetition > 0:  # the first one loads compiled code and starts threads
                so_far.append(value)
    figures = [
        Figure(column, "decisions/s", tuple(measured), batch_goal(column, batch, number), batch, number)
        for (column, number), measured in values.items()
    ]
    return figures + (_speedups(values) if batch == _SPEEDUP_BATCH else [])


def _speedups(values: dict[tuple[str, int], list[float]]) -> list[Figure]:
    """Several threads against one, where both were measured; a ratio for each repetition."""
    figures = []
    for (column, number), several in values.items():
        if number > 1 and (column, 1) in values:
            ratios = tuple(many / one for many, one in zip(several, values[column, 1], strict=True))
            goal = Goal(1.7) if number == 2 else None
            figures.append(Figure(f"threads against one: {column}", "times", ratios, goal, _SPEEDUP_BATCH, number))
    return figures


def batch_goal(column: str, batch: int, threads: int) -> Goal | None:
    """The goals are for one core: design goals of the project, see docs/performance.md."""
    if threads > 1:
        return None
    if column == "play":
        return Goal(5_000_000)
    if column == "step + legal":
        return Goal(150_000) if batch == 1 else Goal(4_000_000) if batch >= 1024 else None
    if column == "step + legal + observe":
        return Goal(150_000) if batch == 1 else Goal(1_000_000) if batch < 1024 else Goal(2_000_000)
    return None


@dataclass(frozen=True)
class Course:
    """Games in full swing and actions prepared for them, so that the timed loop holds no policy.

    The same seed gives the same dice: the actions that were random in ``prepare`` are legal each time again.
    """

    games: Games
    actions: list[NDArray[np.int64]]
    resets: list[bool]  # whether finished games are reset after the step
    decisions: int  # made by these actions; rows of finished games wait for the next reset and count nothing
    fused: int  # decisions a game in ``play``

    @classmethod
    def prepare(cls, batch: int, threads: int, effort: Effort) -> "Course":
        """Games that stand at different points, and random actions for them."""
        warm = Games(min(batch, _WARM_GAMES), seed=1, threads=threads)
        warm.play_random(_WARM_DECISIONS, restart=True)
        _reset_finished(warm)
        start = warm.copy(np.arange(batch) % len(warm), reseed=1)
        games = start.copy()
        actions, resets = [], []
        steps = max(_FEWEST_STEPS, effort.decisions // batch)
        for _ in range(min(steps, effort.calls)):
            actions.append(games.step_random())
            resets.append(bool(games.finished.mean() > _MOST_FINISHED))
            if resets[-1]:
                _reset_finished(games)
        made = sum(int((taken >= 0).sum()) for taken in actions)
        return cls(start, actions, resets, made, fused=steps)

    def column(self, name: str) -> float:
        """One repetition of a column of the table."""
        if name == "play":
            return self.play()
        return self.step(legal="legal" in name, observe="observe" in name)

    def play(self) -> float:
        """Decisions/s of ``play_random``: choices, rules and restarts without leaving the compiled code."""
        games = self.games.copy()
        begin = time.perf_counter()
        made = games.play_random(self.fused, restart=True)
        return int(made.sum()) / (time.perf_counter() - begin)

    def step(self, legal: bool = False, observe: bool = False) -> float:
        """Decisions/s of ``step`` with the prepared actions, and of ``legal`` and ``observe`` before each step."""
        games = self.games.copy()
        mask = games.legal()
        observation = games.observe()
        begin = time.perf_counter()
        for actions, reset in zip(self.actions, self.resets, strict=True):
            if legal:
                games.legal(out=mask)
            if observe:
                games.observe(out=observation)
            games.step(actions)
            if reset:
                _reset_finished(games)
        return self.decisions / (time.perf_counter() - begin)


def _reset_finished(games: Games) -> None:
    games.reset(mask=games.finished)


@cache
def decisions_per_game() -> float:
    """Mean number of decisions of a random game, with which decisions/s become games/s."""
    return float(Games(4096, seed=0).play_random().mean())
