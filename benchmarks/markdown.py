"""The tables of docs/performance.md from the JSON of the benchmark.

ursuppe bench --cold --json > bench.json
python benchmarks/markdown.py bench.json
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ursuppe_env.bench import COLUMNS, Figure
from ursuppe_env.cli.bench import scale, short

Figures = dict[tuple[Any, ...], dict[str, Any]]


def main(arguments: Sequence[str]) -> int:
    """Print the tables of one file of JSON."""
    if len(arguments) != 1:
        print("usage: python benchmarks/markdown.py bench.json", file=sys.stderr)
        return 2
    printed = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    figures: Figures = {(f["name"], f["batch"], f["threads"]): f for f in printed["figures"]}
    print("\n".join([*head(printed), "", *batches(figures, printed["decisions_per_game"]), "", *others(figures)]))
    for what, reason in printed["missing"].items():
        print(f"| {what} | not measured: {reason} | |")
    return 0


def head(printed: dict[str, Any]) -> list[str]:
    """What was measured, on what."""
    versions = ", ".join(f"{name} {number}" for name, number in printed["versions"].items() if number)
    return [
        f"Commit `{printed['commit']}`{' with changes' if printed['dirty'] else ''}, Python {printed['python']}, "
        f"{versions}; {printed['processor']}, {printed['cores']} cores, {printed['system']}, "
        f"load at the start {printed['load']}."
    ]


def batches(figures: Figures, per_game: float) -> list[str]:
    """A row for each batch and number of threads."""
    lines = ["| games | threads | " + " | ".join(COLUMNS) + " |", "| ---: " * (2 + len(COLUMNS)) + "|"]
    rows = dict.fromkeys((batch, threads) for name, batch, threads in figures if name in COLUMNS)
    for batch, threads in rows:
        cells = [cell(figures[column, batch, threads], per_game) for column in COLUMNS]
        lines.append(f"| {batch:,} | {threads} | " + " | ".join(cells) + " |")
    return lines


def cell(figure: dict[str, Any], per_game: float) -> str:
    """Decisions/s with spread and mark, games/s below."""
    return f"{spread(figure)}{mark(figure)}<br>{short(figure['median'] / per_game)} games/s"


def others(figures: Figures) -> list[str]:
    """A row for each of the other figures."""
    lines = ["| | median (smallest–largest) | goal |", "| --- | --- | --- |"]
    for (name, batch, threads), figure in figures.items():
        if name not in COLUMNS:
            label = Figure(name, figure["unit"], (), batch=batch, threads=threads).label
            lines.append(f"| {label} | {spread(figure)} {figure['unit']} | {figure['goal'] or ''}{mark(figure)} |")
    return lines


def spread(figure: dict[str, Any]) -> str:
    """Median, smallest and largest in the median's scale."""
    size, letter = scale(figure["median"])
    text = f"**{figure['median'] / size:.3g}{letter}**"
    if figure["repetitions"] > 1:
        text += f" ({figure['min'] / size:.3g}–{figure['max'] / size:.3g})"
    return text


def mark(figure: dict[str, Any]) -> str:
    """Whether the goal is reached, where there is one."""
    return "" if figure["reached"] is None else " ✓" if figure["reached"] else " ✗"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
