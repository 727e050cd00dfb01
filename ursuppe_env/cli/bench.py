"""``ursuppe bench``: how fast the package is on this machine."""

import json
from typing import Annotated, Any

import typer
from numba import config
from rich.console import Console
from rich.table import Table

from ursuppe_env import bench as measuring
from ursuppe_env.bench import BATCHES, COLUMNS, FULL, QUICK, Figure
from ursuppe_env.cli.extensions import extensions
from ursuppe_env.cli.progress import progress_bar

_WIDTH = 110  # where the output is no terminal


def bench(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Measure shortly; the figures are less certain.")] = False,
    batch: Annotated[str, typer.Option(help="Numbers of games at once, with commas between.")] = ",".join(
        map(str, BATCHES)
    ),
    threads: Annotated[
        str | None,
        typer.Option(help="Numbers of threads, with commas between.", show_default="1 and all cores"),
    ] = None,
    cold: Annotated[bool, typer.Option("--cold", help="Also compile all into an empty cache folder.")] = False,
    peers: Annotated[bool, typer.Option(help="Also measure games of OpenSpiel and PettingZoo.")] = True,
) -> None:
    """Measure decisions per second, start-up times and, where they are installed, games of other packages."""
    if config.DISABLE_JIT:
        raise ValueError("NUMBA_DISABLE_JIT is set; without the compiler there is nothing worth measuring")
    batches = _numbers("batch", batch)
    thread_counts = sorted({1, measuring.cores()}) if threads is None else _numbers("threads", threads)
    if min(thread_counts) > 1 and max(batches) < measuring.SMALLEST_THREADED_BATCH:
        raise ValueError(
            f"threads is {threads}, but a batch below {measuring.SMALLEST_THREADED_BATCH} games uses one thread only"
        )
    circumstances = measuring.circumstances()
    figures: list[Figure] = []
    missing: dict[str, str] = {}
    measures = extensions("ursuppe.measures")
    with progress_bar() as progress:
        jobs = list(measuring.jobs(batches, thread_counts, QUICK if quick else FULL, cold, peers, measures))
        task = progress.add_task("", total=len(jobs))
        for job in jobs:
            progress.update(task, description=job.label)
            try:
                figures += job.measure()
            except measuring.Unavailable as reason:
                missing[job.label] = str(reason)
            progress.advance(task)
    per_game = measuring.decisions_per_game()
    if as_json:
        typer.echo(json.dumps(_as_dict(circumstances, per_game, figures, missing)))
        return
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH)
    console.print(_head(circumstances, per_game), highlight=False)
    console.print(_table_of_batches(figures, per_game), _table_of_others(figures, missing), sep="\n")


def _numbers(name: str, text: str) -> list[int]:
    try:
        numbers = sorted({int(number) for number in text.split(",")})
    except ValueError:
        numbers = []
    if not numbers or numbers[0] < 1:
        raise ValueError(f"{name} is {text!r}; it must be numbers of at least 1 with commas between, such as 1,64")
    return numbers


def _as_dict(
    circumstances: dict[str, Any], per_game: float, figures: list[Figure], missing: dict[str, str]
) -> dict[str, Any]:
    return {
        **circumstances,
        "decisions_per_game": per_game,
        "figures": [figure.as_dict() for figure in figures],
        "missing": missing,
    }


def _head(circumstances: dict[str, Any], per_game: float) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in circumstances["versions"].items() if number)
    return (
        f"ursuppe-env {circumstances['version']}, commit {circumstances['commit']}"
        f"{' with changes' if circumstances['dirty'] else ''}; Python {circumstances['python']}, {versions}\n"
        f"{circumstances['processor']}, {circumstances['cores']} cores, {circumstances['system']}, "
        f"load {circumstances['load']} at the start\n"
        f"4 players, edition 1998, random play: {per_game:.0f} decisions a game on average"
    )


def _table_of_batches(figures: list[Figure], per_game: float) -> Table:
    """A row for each batch and number of threads; each cell: decisions/s, their spread, games/s."""
    table = Table(
        title="Decisions/s: median (smallest-largest); games/s",
        caption="✓ the median reaches the goal of the project, ✗ it does not; goals are for one thread",
    )
    table.add_column("games", justify="right")
    table.add_column("threads", justify="right")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    cells = {(figure.batch, figure.threads, figure.name): figure for figure in figures if figure.name in COLUMNS}
    rows = dict.fromkeys((batch, threads) for batch, threads, _ in cells)
    for batch, threads in rows:
        table.add_row(
            f"{batch:,}", str(threads), *(_cell(cells[batch, threads, column], per_game) for column in COLUMNS)
        )
    return table


def _cell(figure: Figure, per_game: float) -> str:
    return f"{with_spread(figure)}{_mark(figure)}\n{short(figure.median / per_game)} games/s"


def _table_of_others(figures: list[Figure], missing: dict[str, str]) -> Table:
    table = Table(title="Others")
    for heading in ("what", "median (smallest-largest)", "goal", ""):
        table.add_column(heading)
    for figure in figures:
        if figure.name in COLUMNS:
            continue
        goal = "" if figure.goal is None else str(figure.goal)
        table.add_row(figure.label, f"{with_spread(figure)} {figure.unit}", goal, _mark(figure))
    for label, reason in missing.items():
        table.add_row(label, f"not measured: {reason}")
    return table


def _mark(figure: Figure) -> str:
    return "" if figure.is_reached is None else " ✓" if figure.is_reached else " ✗"


def with_spread(figure: Figure) -> str:
    """Median, smallest and largest in the median's scale: ``846 k (587-1,010)``."""
    size, letter = scale(figure.median)
    text = f"{three_digits(figure.median / size)}{letter}"
    if len(figure.values) > 1:
        text += f" ({three_digits(min(figure.values) / size)}-{three_digits(max(figure.values) / size)})"
    return text


def short(value: float) -> str:
    """A number with three digits and its thousands or millions as a letter: 5.31 M, 64.2 k, 0.38."""
    size, letter = scale(value)
    return f"{three_digits(value / size)}{letter}"


def three_digits(value: float) -> str:
    """A number rounded to three digits, all of which are shown, never as a power of ten: 0.300, 5.10, 587, 1,010."""
    rounded = f"{value:.2e}"
    exponent = int(rounded.partition("e")[2])
    return f"{float(rounded):,.{max(0, 2 - exponent)}f}"


def scale(value: float) -> tuple[float, str]:
    """What to divide a number by, and the letter for it."""
    rounded = float(f"{value:.2e}")
    return (1e6, " M") if rounded >= 1e6 else (1e3, " k") if rounded >= 1e3 else (1, "")
