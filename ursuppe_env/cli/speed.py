"""``ursuppe speed``: how fast the package is on this machine. Wall time, several times over."""

import json
import time
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Annotated, Any

import numpy as np
import typer
from numba import config
from rich import box
from rich.table import Column, Table

from ursuppe_env import Games, ursuppe_v0
from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import Device
from ursuppe_env.provenance import provenance
from ursuppe_env.threads import available_cores

_BATCHES = {"cpu": "1,64,1024,4096,16384,65536", "cuda": "4096,16384,65536,262144"}
WAYS = ("random play", "step + legal", "step + legal + observe")
AEC = "raw AEC environment"

_SMALLEST_THREADED_BATCH = 2048  # below it a second thread would get too few games, and the engine uses only one
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
        way = {"name": self.name, "batch": self.batch, "threads": self.threads, "unit": "decisions/s"}
        values = self.values
        return {**way, "median": median(values), "min": min(values), "max": max(values), "repetitions": len(values)}


def speed(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of a table.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Measure briefly; the figures are less certain.")] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            help="How many games at once; several numbers are separated by commas.", show_default=str(_BATCHES["cpu"])
        ),
    ] = None,
    threads: Annotated[
        str | None,
        typer.Option(help="How many threads; several numbers are separated by commas.", show_default="1 and all cores"),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, or cuda for an NVIDIA GPU (docs/gpu.md).")] = "cpu",
) -> None:
    """Measure decisions per second on this machine: many games at once, and one game in PettingZoo's environment.

    Example: ursuppe speed --quick --batch 1,1024
    """
    if config.DISABLE_JIT:
        raise ValueError("NUMBA_DISABLE_JIT is set; without the compiler there is nothing worth measuring")
    if device not in _BATCHES:
        raise ValueError(f"device is {device!r}; it must be cpu or cuda")
    batches = _numbers("batch", _BATCHES[device] if batch is None else batch)
    effort = EFFORTS[device, quick]
    if device == "cpu":
        found, throughputs = provenance(), _measure(_threaded(batches, threads), effort)
    elif threads is not None:
        raise ValueError(f"threads is {threads}, but on a GPU each game has a thread of its own; leave it out")
    else:
        found = {**provenance(("numpy", "numba", "numba-cuda")), "gpu": gpu_name()}
        throughputs = _measure([(games, None) for games in batches], effort)
    per_game = decisions_per_game()
    if as_json:
        measured = [throughput.as_dict() for throughput in throughputs]
        typer.echo(json.dumps({**found, "decisions_per_game": per_game, "throughputs": measured}))
        return
    console = tables_console()
    console.print(_head(found, per_game), highlight=False)
    console.print(_table(throughputs))


def _threaded(batches: list[int], threads: str | None) -> list[tuple[int, int | None]]:
    """Each batch with each number of threads that it can use."""
    thread_counts = sorted({1, available_cores()}) if threads is None else _numbers("threads", threads)
    least = _SMALLEST_THREADED_BATCH
    if min(thread_counts) > 1 and max(batches) < least:
        raise ValueError(f"threads is {threads}, but a batch below {least} games uses one thread only")
    return [(games, count) for games in batches for count in thread_counts if count == 1 or games >= least]


def _numbers(name: str, text: str) -> list[int]:
    try:
        numbers = sorted({int(number) for number in text.split(",")})
    except ValueError:
        numbers = []
    if not numbers or numbers[0] < 1:
        raise ValueError(f"{name} is {text!r}; it must be numbers of at least 1 with commas between, such as 1,64")
    return numbers


def _head(found: dict[str, Any], per_game: float) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    gpu = f"{found['gpu']}, " if "gpu" in found else ""
    return (
        f"ursuppe-env {found['version']}, commit {found['commit']}{' with changes' if found['dirty'] else ''}; "
        f"Python {found['python']}, {versions}\n"
        f"{gpu}{found['processor']}, {found['cores']} cores, {found['system']}, load {found['load']} at the start\n\n"
        "Decisions/s, median (smallest-largest); 4 players, edition 1998, random play: "
        f"{per_game:.0f} decisions a game on average"
    )


def _table(throughputs: list[Throughput]) -> Table:
    """In Markdown: a row for each batch and number of threads, and one for the AEC environment, if it was measured."""
    table = Table(*(Column(heading, justify="right") for heading in ("games", "threads", *WAYS)), box=box.MARKDOWN)
    batches = [throughput for throughput in throughputs if throughput.name in WAYS]
    for first in range(0, len(batches), len(WAYS)):
        row = batches[first : first + len(WAYS)]
        table.add_row(f"{row[0].batch:,}", str(row[0].threads or "GPU"), *map(_cell, row))
    for aec in throughputs[len(batches) :]:
        table.add_row("1, AEC", "1", "", "", _cell(aec))
    return table


def _cell(throughput: Throughput) -> str:
    values = throughput.values
    return f"{_short(median(values))} ({_short(min(values))}-{_short(max(values))})"


def _short(value: float) -> str:
    """In millions or thousands: 5.31 M, 64 k."""
    thousands = round(value / 1e3)
    return f"{value / 1e6:.2f} M" if thousands >= 1000 else f"{thousands} k"


def _measure(rows: list[tuple[int, int | None]], effort: Effort) -> list[Throughput]:
    """Games and threads, None of which stands for a GPU; and on the processor the AEC environment."""
    is_on_gpu = rows[0][1] is None
    throughputs: list[Throughput] = []
    with progress_bar() as progress:
        task = progress.add_task("", total=len(rows) + (not is_on_gpu))
        for games, count in rows:
            progress.update(task, description=f"batch {games}")
            throughputs += measure_batch(games, count, effort)
            progress.advance(task)
        if not is_on_gpu:  # in the loop that PettingZoo documents; mask and observation included
            progress.update(task, description="AEC environment")
            env = ursuppe_v0.raw_env()
            values = [play_aec(env, effort.calls) for _ in range(1 + effort.repetitions)][1:]
            throughputs.append(Throughput(AEC, 1, 1, tuple(values)))
    return throughputs


def decisions_per_game() -> float:
    """Mean number of decisions of a random game, with which decisions/s become games/s."""
    return float(Games(4096, seed=0).play_random().mean())


def gpu_name() -> str:
    """What is measured without threads; ``ValueError``: there is no GPU."""
    return GamesCuda(1).device.name


def measure_batch(batch: int, threads: int | None, effort: Effort, device: Device | None = None) -> list[Throughput]:
    """``WAYS``, with games that stand at different points, the repetitions interleaved.

    Without threads it is measured on a GPU, this one or the first; ``ValueError``: there is none.
    """
    course = Course.prepare(batch, threads or available_cores(), effort)
    if threads is None:
        course = course.on_gpu(device)
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
