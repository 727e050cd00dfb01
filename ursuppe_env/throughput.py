"""Decisions per second on this machine: what ``ursuppe bench`` shows. Wall time, several times over."""

import time
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games, ursuppe_v0
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import Array, Device
from ursuppe_env.threads import available_cores

WAYS = ("random play", "step + legal", "step + legal + observe")
AEC = "raw AEC environment"

SMALLEST_THREADED_BATCH = 2048  # below it a second thread would get too few games, and the engine uses only one
_WARM_GAMES = 1024  # games that are really played to the middle; larger batches hold copies of them
_WARM_DECISIONS = 1000  # so many that the games of a batch are spread over the course of a game
_MOST_FINISHED = 1 / 32  # share of finished games from which on they are reset
_FEWEST_STEPS = 16


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repetitions: int
    decisions: int  # in one repetition, many games at once
    calls: int  # in one repetition at most, where Python is the slow part


FULL = Effort(repetitions=7, decisions=1_000_000, calls=20_000)
QUICK = Effort(repetitions=3, decisions=100_000, calls=1_000)

#: The same on a GPU, which makes many at once.
FULL_ON_GPU = Effort(repetitions=7, decisions=20_000_000, calls=20_000)
QUICK_ON_GPU = Effort(repetitions=3, decisions=2_000_000, calls=1_000)


@dataclass(frozen=True)
class Throughput:
    """Decisions/s of one way to play, a value for each repetition."""

    name: str
    batch: int
    threads: int | None  # None on a GPU, where each game has one
    values: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        """The throughput for JSON."""
        return {
            "name": self.name,
            "batch": self.batch,
            "threads": self.threads,
            "unit": "decisions/s",
            "median": median(self.values),
            "min": min(self.values),
            "max": max(self.values),
            "repetitions": len(self.values),
        }


def measure_batch(batch: int, threads: int, effort: Effort) -> list[Throughput]:
    """``WAYS``, with games that stand at different points, the repetitions interleaved."""
    return _measured(Course.prepare(batch, threads, effort), batch, threads, effort)


def measure_on_gpu(batch: int, effort: Effort, device: Device | None = None) -> list[Throughput]:
    """``WAYS`` on a GPU, with the same games and actions; nothing waits for it until the last decision is made.

    Raises:
        ValueError: there is no GPU.
    """
    return _measured(CourseOnGpu.prepare(batch, effort, device), batch, None, effort)


def gpu_name() -> str:
    """What is measured by ``measure_on_gpu``.

    Raises:
        ValueError: there is no GPU.
    """
    return GamesCuda(1).device.name


def _measured(course: "Course | CourseOnGpu", batch: int, threads: int | None, effort: Effort) -> list[Throughput]:
    ways = (course.play, partial(course.step, observe=False), partial(course.step, observe=True))
    # The first repetition loads compiled code and starts threads.
    repetitions = [[way() for way in ways] for _ in range(1 + effort.repetitions)][1:]
    columns = zip(*repetitions, strict=True)
    return [Throughput(name, batch, threads, values) for name, values in zip(WAYS, columns, strict=True)]


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
        warm.reset(mask=warm.finished)
        start = warm.copy(np.arange(batch) % len(warm), reseed=1)
        games = start.copy()
        actions, resets = [], []
        steps = max(_FEWEST_STEPS, effort.decisions // batch)
        for _ in range(min(steps, effort.calls)):
            actions.append(games.step_random())
            resets.append(bool(games.finished.mean() > _MOST_FINISHED))
            if resets[-1]:
                games.reset(mask=games.finished)
        made = sum(int((taken >= 0).sum()) for taken in actions)
        return cls(start, actions, resets, made, fused=steps)

    def play(self) -> float:
        """Decisions/s of ``play_random``: choices, rules and restarts without leaving the compiled code."""
        games = self.games.copy()
        begin = time.perf_counter()
        made = games.play_random(self.fused, restart=True)
        return int(made.sum()) / (time.perf_counter() - begin)

    def step(self, observe: bool) -> float:
        """Decisions/s of ``step`` with the prepared actions and masks before it, if asked with observations."""
        games = self.games.copy()
        mask = games.legal()
        observation = games.observe()
        begin = time.perf_counter()
        for actions, reset in zip(self.actions, self.resets, strict=True):
            if observe:
                games.observe(out=observation, masks=mask)
            else:
                games.legal(out=mask)
            games.step(actions)
            if reset:
                games.reset(mask=games.finished)
        return self.decisions / (time.perf_counter() - begin)


@dataclass(frozen=True)
class CourseOnGpu:
    """The games and actions of a ``Course`` on a GPU; they were drawn on the processor, and are legal there too."""

    games: GamesCuda
    actions: list[Array]
    resets: list[bool]
    decisions: int
    fused: int

    @classmethod
    def prepare(cls, batch: int, effort: Effort, device: Device | None = None) -> "CourseOnGpu":
        """Games that stand at different points, and random actions for them.

        Raises:
            ValueError: there is no GPU.
        """
        course = Course.prepare(batch, available_cores(), effort)
        games = GamesCuda.from_games(course.games, device)
        actions = [games.device.from_host(taken) for taken in course.actions]
        return cls(games, actions, course.resets, course.decisions, course.fused)

    def play(self) -> float:
        """Decisions/s of ``play_random``."""
        games = self.games.copy()
        games.synchronize()
        begin = time.perf_counter()
        made = games.play_random(self.fused, restart=True)
        games.synchronize()
        elapsed = time.perf_counter() - begin
        return int(games.device.to_host(made).sum()) / elapsed

    def step(self, observe: bool) -> float:
        """Decisions/s of ``step`` with the prepared actions and masks before it, if asked with observations."""
        games = self.games.copy()
        mask = games.legal()
        observation = games.observe()
        games.synchronize()
        begin = time.perf_counter()
        for actions, reset in zip(self.actions, self.resets, strict=True):
            if observe:
                games.observe(out=observation, masks=mask)
            else:
                games.legal(out=mask)
            games.step(actions, wait=False)
            if reset:
                games.reset(mask=games.finished)
        games.synchronize()
        return self.decisions / (time.perf_counter() - begin)


def measure_aec(effort: Effort) -> Throughput:
    """The raw AEC environment in the loop that PettingZoo documents; mask and observation included."""
    env = ursuppe_v0.raw_env()
    values = [play_aec(env, effort.calls) for _ in range(1 + effort.repetitions)][1:]
    return Throughput(AEC, 1, 1, tuple(values))


def play_aec(env: Any, decisions: int) -> float:
    """Decisions/s of ``last``, a random legal action, ``step``; ``reset`` at the end of a game."""
    choices = np.random.default_rng(0)
    env.reset(seed=0)
    made = 0
    begin = time.perf_counter()
    while made < decisions:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(legal[choices.integers(len(legal))])
        made += 1
    return made / (time.perf_counter() - begin)


def decisions_per_game() -> float:
    """Mean number of decisions of a random game, with which decisions/s become games/s."""
    return float(Games(4096, seed=0).play_random().mean())
