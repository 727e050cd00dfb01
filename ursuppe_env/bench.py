"""How fast the package is: what ``ursuppe bench`` measures, and what docs/performance.md reports.

Everything is measured by wall time, several times over; a ``Figure`` keeps all repetitions. Only public names of the
package are used, so that ``benchmarks/compare.py`` can measure other revisions of it with this very file.
"""

import importlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ursuppe_env
from ursuppe_env import Games, ursuppe_v0

BATCHES = (1, 64, 1024, 4096, 16384, 65536)
COLUMNS = ("play", "step", "step + legal", "step + legal + observe")

SMALLEST_THREADED_BATCH = 2048  # below it a second thread would get too few games, and the engine uses only one
_SPEEDUP_BATCH = 4096
_WARM_GAMES = 1024  # games that are really played to the middle; larger batches hold copies of them
_WARM_DECISIONS = 1000  # so many that the games of a batch stand all over the course of a game
_MOST_FINISHED = 1 / 32  # share of finished games from which on they are reset
_FEWEST_STEPS = 16
_PACKAGE = Path(ursuppe_env.__file__).parent

Unit = str  # "decisions/s", "s", "times" or "numbers"


@dataclass(frozen=True)
class Goal:
    """What a figure should reach: at least (speeds) or at most (times, sizes) this value."""

    value: float
    at_least: bool = True

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.value:,.10g}"

    def is_reached(self, value: float) -> bool:
        """Does the value reach it?"""
        return value >= self.value if self.at_least else value <= self.value


@dataclass(frozen=True)
class Figure:
    """One measured number: the values of all repetitions, and the goal where there is one."""

    name: str
    unit: Unit
    values: tuple[float, ...]
    goal: Goal | None = None
    batch: int | None = None
    threads: int | None = None

    @property
    def median(self) -> float:
        """The middle of the repetitions."""
        return median(self.values)

    @property
    def is_reached(self) -> bool | None:
        """Does the median reach the goal? None without a goal."""
        return None if self.goal is None else self.goal.is_reached(self.median)

    def as_dict(self) -> dict[str, Any]:
        """The figure for JSON."""
        return {
            "name": self.name,
            "batch": self.batch,
            "threads": self.threads,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "repetitions": len(self.values),
            "goal": None if self.goal is None else str(self.goal),
            "reached": self.is_reached,
        }


class Unavailable(Exception):
    """What is to be measured is not installed; the text says what is missing."""


@dataclass(frozen=True)
class Job:
    """A part of the benchmark that takes some seconds: a label for the progress, and what it measures."""

    label: str
    measure: Callable[[], list[Figure]]


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repetitions: int
    decisions: int  # in one repetition, many games at once
    calls: int  # in one repetition at most, where Python is the slow part
    starts: int  # processes started to measure importing and the first game


FULL = Effort(repetitions=7, decisions=1_000_000, calls=20_000, starts=5)
QUICK = Effort(repetitions=3, decisions=100_000, calls=1_000, starts=1)


# ---------------------------------------------------------------------- many games


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

    def column(self, name: str) -> float:
        """One repetition of a column of the table."""
        if name == "play":
            return self.play()
        return self.step(legal="legal" in name, observe="observe" in name)


def _reset_finished(games: Games) -> None:
    games.reset(mask=games.finished)


@cache
def decisions_per_game() -> float:
    """Mean number of decisions of a random game, with which decisions/s become games/s."""
    return float(Games(4096, seed=0).play_random().mean())


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
    if batch == _SPEEDUP_BATCH and 1 in threads:
        for column in COLUMNS:
            for number in threads:
                if number > 1:
                    pairs = zip(values[column, number], values[column, 1], strict=True)
                    goal = Goal(1.7) if number == 2 else None
                    ratios = tuple(several / one for several, one in pairs)
                    figures.append(Figure(f"threads against one: {column}", "times", ratios, goal, batch, number))
    return figures


# ---------------------------------------------------------------------- one game at a time, ours and others'


def play_aec(env: Any, decisions: int) -> float:
    """Decisions/s of a PettingZoo AEC environment: ``last``, a random legal action, ``step``; ``reset`` at the end."""
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


def play_open_spiel(game: Any, decisions: int, observe: bool) -> float:
    """Decisions/s of an OpenSpiel game through Python: random legal actions, chance drawn, observation if asked."""
    choices = np.random.default_rng(0)
    state = game.new_initial_state()
    made = 0
    begin = time.perf_counter()
    while made < decisions:
        if state.is_terminal():
            state = game.new_initial_state()
        elif state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[choices.integers(len(outcomes))][0])  # speed only: not weighted
        else:
            if observe:
                state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[choices.integers(len(legal))])
            made += 1
    return made / (time.perf_counter() - begin)


def _repeated(name: str, once: Callable[[], float], effort: Effort, goal: Goal | None = None) -> Figure:
    return Figure(name, "decisions/s", tuple(once() for _ in range(effort.repetitions)), goal)


def measure_aec(effort: Effort) -> list[Figure]:
    """Our raw AEC environment."""
    env = ursuppe_v0.raw_env()
    play_aec(env, 100)
    return [_repeated("raw AEC environment", lambda: play_aec(env, effort.calls), effort, Goal(40_000))]


def measure_pettingzoo(game: str, effort: Effort) -> list[Figure]:
    """A game of PettingZoo, without wrappers, in the same loop as ours.

    Raises:
        Unavailable: what the game needs is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would greet on stdout
    try:
        env = importlib.import_module(f"pettingzoo.classic.{game}").raw_env()
    except ImportError as error:
        raise Unavailable(str(error)) from None
    decisions = max(100, effort.calls // 20)
    play_aec(env, 100)
    return [_repeated(f"PettingZoo {game}", lambda: play_aec(env, decisions), effort)]


def measure_open_spiel(name: str, effort: Effort) -> list[Figure]:
    """A game of OpenSpiel, without and with its observation tensor.

    Raises:
        Unavailable: OpenSpiel is not installed.
    """
    try:
        game = importlib.import_module("pyspiel").load_game(name)
    except ImportError as error:
        raise Unavailable(str(error)) from None
    decisions = effort.calls
    return [
        _repeated(f"OpenSpiel {name}", lambda: play_open_spiel(game, decisions, False), effort),
        _repeated(f"OpenSpiel {name}, with observation", lambda: play_open_spiel(game, decisions, True), effort),
    ]


def measure_size() -> list[Figure]:
    """How many numbers an observation has; nothing to repeat."""
    return [Figure("observation size", "numbers", (Games(1).observation_size,), Goal(700, at_least=False))]


# ---------------------------------------------------------------------- the start of a process

_IMPORT = """
import time
begin = time.perf_counter()
import ursuppe_env
print(time.perf_counter() - begin)
"""

_FIRST_GAME = """
import time
import numpy as np
from ursuppe_env import Games
begin = time.perf_counter()
games = Games(1)
while not games.finished[0]:
    games.observe()
    games.step([np.flatnonzero(games.legal()[0])[0]])
print(time.perf_counter() - begin)
"""

_EVERYTHING = """
import time
begin = time.perf_counter()
import numpy as np
from ursuppe_env import Games
games = Games(1)
games.observe()
games.step([np.flatnonzero(games.legal()[0])[0]])
games.step_random(rows=[0])
games.copy(reseed=0).play_random()
print(time.perf_counter() - begin)
"""


def _in_new_process(code: str, environment: dict[str, str] | None = None) -> float:
    """What this code prints in a fresh interpreter that imports this very package."""
    path = os.pathsep.join(filter(None, [str(_PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"a fresh interpreter failed: {done.stderr.strip().splitlines()[-1:]}")
    return float(done.stdout)


def measure_start(effort: Effort) -> list[Figure]:
    """Importing the package, and the first game from the warm cache; a process each time."""
    _in_new_process(_FIRST_GAME)  # fills the cache if it is empty
    imports = tuple(_in_new_process(_IMPORT) for _ in range(effort.starts))
    games = tuple(_in_new_process(_FIRST_GAME) for _ in range(effort.starts))
    return [
        Figure("import ursuppe_env", "s", imports, Goal(0.5, at_least=False)),
        Figure("first game, warm cache", "s", games, Goal(1, at_least=False)),
    ]


def measure_compilation() -> list[Figure]:
    """Importing and compiling all entry points with an empty cache folder; once, since it takes so long."""
    with tempfile.TemporaryDirectory(prefix="ursuppe-bench-") as folder:
        seconds = _in_new_process(_EVERYTHING, {"NUMBA_CACHE_DIR": folder})
    return [Figure("cold compilation", "s", (seconds,), Goal(75, at_least=False))]


# ---------------------------------------------------------------------- all of it


def jobs(batches: Iterable[int], threads: Sequence[int], effort: Effort, cold: bool, peers: bool) -> Iterator[Job]:
    """The parts of the benchmark in order."""
    for batch in batches:
        yield Job(f"batch {batch}", partial(measure_batch, batch, threads, effort))
    yield Job("AEC environment", partial(measure_aec, effort))
    yield Job("observation size", measure_size)
    yield Job("start", partial(measure_start, effort))
    if cold:
        yield Job("cold compilation", measure_compilation)
    if peers:
        for name in ("backgammon", "connect_four"):
            yield Job(f"OpenSpiel {name}", partial(measure_open_spiel, name, effort))
        for name in ("connect_four", "chess"):
            yield Job(f"PettingZoo {name}", partial(measure_pettingzoo, _newest_pettingzoo(name), effort))


def _newest_pettingzoo(name: str) -> str:
    """The module of a PettingZoo game with its version number, which changes between releases."""
    import pettingzoo.classic

    folder = Path(next(iter(pettingzoo.classic.__path__)))
    versions = [number for number in range(20) if (folder / f"{name}_v{number}.py").exists()]
    return f"{name}_v{max(versions, default=0)}"


def circumstances() -> dict[str, Any]:
    """What the figures depend on: revision, versions, machine, and how busy it was at the start."""
    commit, dirty = revision()
    return {
        "version": ursuppe_env.__version__,
        "commit": commit,
        "dirty": dirty,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in ("numpy", "numba", "pettingzoo", "open_spiel")},
        "processor": processor(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def revision() -> tuple[str, bool]:
    """The commit that the package was checked out from, or "unknown", and whether its files differ from it."""
    if _git("ls-files", "--error-unmatch", "__init__.py") is None:  # an installed copy, perhaps inside another project
        return "unknown", False
    commit = _git("rev-parse", "--short=10", "HEAD")
    return (commit or "unknown"), bool(_git("status", "--porcelain", "--", "."))


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=_PACKAGE, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
