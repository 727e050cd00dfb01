"""Decisions per second on this machine: what ``ursuppe speed`` shows. Wall time, several times over."""

import time
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from ursuppe_env import Games, ursuppe_v0
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import Device
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


#: By device, and whether to be quick; a GPU makes many decisions at once.
EFFORTS = {
    ("cpu", False): Effort(repetitions=7, decisions=1_000_000, calls=20_000),
    ("cpu", True): Effort(repetitions=3, decisions=100_000, calls=1_000),
    ("cuda", False): Effort(repetitions=7, decisions=20_000_000, calls=20_000),
    ("cuda", True): Effort(repetitions=3, decisions=2_000_000, calls=1_000),
}


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


def measure_batch(batch: int, threads: int | None, effort: Effort, device: Device | None = None) -> list[Throughput]:
    """``WAYS``, with games that stand at different points, the repetitions interleaved.

    Args:
        batch: games at once.
        threads: None: on a GPU, with the same games and actions.
        effort: how long.
        device: the GPU; None: the first one.

    Raises:
        ValueError: there is no GPU.
    """
    course = Course.prepare(batch, threads or available_cores(), effort)
    if threads is None:
        course = course.on_gpu(device)
    ways = (course.play, partial(course.step, observe=False), partial(course.step, observe=True))
    # The first repetition loads compiled code and starts threads.
    repetitions = [[way() for way in ways] for _ in range(1 + effort.repetitions)][1:]
    columns = zip(*repetitions, strict=True)
    return [Throughput(name, batch, threads, values) for name, values in zip(WAYS, columns, strict=True)]


def gpu_name() -> str:
    """What is measured without threads; ``ValueError``: there is no GPU."""
    return GamesCuda(1).device.name


@dataclass(frozen=True)
class Course:
    """Games in full swing and actions prepared for them, so that the timed loop holds no policy.

    The same seed gives the same dice: the actions that were random in ``prepare`` are legal each time again.
    """

    games: Games | GamesCuda
    actions: list[Any]  # (N,) each, on the processor or the GPU
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

    def on_gpu(self, device: Device | None = None) -> "Course":
        """The same games and actions, which are legal there too; ``ValueError``: there is no GPU."""
        assert isinstance(self.games, Games)
        games = GamesCuda.from_games(self.games, device)
        return replace(self, games=games, actions=[games.device.from_host(taken) for taken in self.actions])

    def play(self) -> float:
        """Decisions/s of ``play_random``: choices, rules and restarts without leaving the compiled code."""
        games = self.games.copy()
        _wait_for(games)
        begin = time.perf_counter()
        made = games.play_random(self.fused, restart=True)
        _wait_for(games)
        elapsed = time.perf_counter() - begin
        return int((games.device.to_host(made) if isinstance(games, GamesCuda) else made).sum()) / elapsed

    def step(self, observe: bool) -> float:
        """Decisions/s of ``step`` with the prepared actions and masks before it, if asked with observations.

        Nothing waits for a GPU until the last decision is made.
        """
        games = self.games.copy()
        mask = games.legal()
        observation = games.observe()
        step = partial(games.step, wait=False) if isinstance(games, GamesCuda) else games.step
        _wait_for(games)
        begin = time.perf_counter()
        for actions, reset in zip(self.actions, self.resets, strict=True):
            if observe:
                games.observe(out=observation, masks=mask)
            else:
                games.legal(out=mask)
            step(actions)
            if reset:
                games.reset(mask=games.finished)
        _wait_for(games)
        return self.decisions / (time.perf_counter() - begin)


def _wait_for(games: Games | GamesCuda) -> None:
    if isinstance(games, GamesCuda):
        games.synchronize()


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
