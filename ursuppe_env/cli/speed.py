"""``ursuppe speed``: how fast the package is on this machine."""

import json
from statistics import median
from typing import Annotated, Any

import typer
from numba import config
from rich import box
from rich.table import Table

from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.cli.throughput import (
    EFFORTS,
    SMALLEST_THREADED_BATCH,
    WAYS,
    Effort,
    Throughput,
    decisions_per_game,
    gpu_name,
    measure_aec,
    measure_batch,
)
from ursuppe_env.provenance import provenance
from ursuppe_env.threads import available_cores

_BATCHES = {"cpu": "1,64,1024,4096,16384,65536", "cuda": "4096,16384,65536,262144"}


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
        described = {**found, "decisions_per_game": per_game, "throughputs": measured}
        typer.echo(json.dumps(described))
        return
    console = tables_console()
    console.print(_head(found, per_game), highlight=False)
    console.print(_table(throughputs))


def _threaded(batches: list[int], threads: str | None) -> list[tuple[int, int | None]]:
    """Each batch with each number of threads that it can use."""
    thread_counts = sorted({1, available_cores()}) if threads is None else _numbers("threads", threads)
    least = SMALLEST_THREADED_BATCH
    if min(thread_counts) > 1 and max(batches) < least:
        raise ValueError(f"threads is {threads}, but a batch below {least} games uses one thread only")
    return [(games, count) for games in batches for count in thread_counts if count == 1 or games >= least]


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
        if not is_on_gpu:
            progress.update(task, description="AEC environment")
            throughputs.append(measure_aec(effort))
    return throughputs


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
    table = Table(box=box.MARKDOWN)
    for heading in ("games", "threads", *WAYS):
        table.add_column(heading, justify="right")
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
