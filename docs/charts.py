"""The charts of the result pages: ``python -m docs.charts`` writes them into ``docs/images``.

Each has its numbers from where they are kept: the tables of the benchmark, ``studies/exploitability.toml``, and for
speed the tables of the pages themselves.
"""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from studies.exploits import KNOWN_EXPLOITS
from ursuppe_env.files import write_atomically
from ursuppe_lab.benchmark import task_named
from ursuppe_lab.benchmark.table import table_of
from ursuppe_lab.reports.plotting import COLOURS, INK, LINE, as_file, drawing, name_lines, points
from ursuppe_lab.statistics import Interval

DOCS = Path(__file__).parent
_OWN, _OTHER = COLOURS[0], COLOURS[7]
_UNITS = {"": 1, " k": 1e3, " M": 1e6}
_FIGURE = re.compile(r"\*\*([\d.]+)( [kM]|)\*\*")


def charts() -> dict[str, bytes]:
    """Each chart by the name of its file."""
    return {f"{name}.svg": chart() for name, chart in _CHARTS.items()}


def _benchmark() -> bytes:
    """Both figures of each agent of the table."""
    rows = table_of(task_named("ladder4-v1"))
    with drawing(0.8 + LINE * len(rows)) as canvas:
        left, right = canvas.subplots(1, 2, sharey=True)
        lines = np.arange(len(rows))
        for axes, found, chance, label in (
            (left, [row.visit for row in rows], 25, "visit: wins alone among the others, %"),
            (right, [row.host for row in rows], 0, "host: what a guest wins above chance, points"),
        ):
            points(axes, [interval.times(100) for interval in found], lines)
            axes.axvline(chance, color=INK, linewidth=0.8, alpha=0.5)
            axes.set_xlabel(label)
        name_lines(left, [row.name for row in rows])
        return as_file(canvas, "benchmark", "Visit and host of each agent with 4 players")


def _exploitability() -> bytes:
    """What the best response, and the policy's own search, win alone among copies of each agent."""
    known = KNOWN_EXPLOITS
    with drawing(0.9 + 1.2 * LINE * len(known)) as canvas:
        axes = canvas.subplots()
        lines = np.arange(len(known))
        points(axes, [_percent(one.wins, one.low, one.high) for one in known], lines)
        for line, one in enumerate(known):
            sides = 2 if one.agent == "policy:duel" else one.players
            axes.plot(100 / sides, line, "|", color=INK, markersize=14, markeredgewidth=2)
            _beside(axes, one.high, line, one.by.partition(" of ")[0].partition(",")[0].replace("`", ""))
            for thought in one.thinking:
                points(axes, [_percent(thought.wins, thought.low, thought.high)], np.array([line + 0.3]), COLOURS[1])
                _beside(axes, thought.high, line + 0.3, "search of the same policy")
        tables = ["" if one.agent == "policy:duel" else f", {one.players} players" for one in known]
        name_lines(axes, [one.agent + table for one, table in zip(known, tables, strict=True)])
        axes.set_xlim(0, 125)
        axes.set_xticks(range(0, 101, 25))
        axes.set_ylim(len(known) - 0.3, -0.6)
        axes.set_xlabel("wins alone among copies of the agent, %; the stroke is par")
        return as_file(canvas, "exploitability", "What the best opponent found wins alone among copies of an agent")


def _percent(*shares: float) -> Interval:
    return Interval(*(100 * share for share in shares))


def _beside(axes: Axes, share: float, line: float, said: str) -> None:
    axes.text(100 * share + 1.5, line, said, va="center", fontsize=8)


def _performance() -> bytes:
    """Decisions a second of this package, of a GPU and of other libraries."""
    speeds, gpu = _rows("performance.md"), _rows("gpu.md")
    ways = (", random play", ", steps and masks", ", with observations")
    bars: list[tuple[str, str, str]] = []
    for rows, key, name in (
        (gpu, ("1,048,576",), "1,048,576 games on an H200"),
        (speeds, ("1,024", "1"), "1,024 games on a core"),
    ):
        cells = next(cells for cells in rows if tuple(cells[: len(key)]) == key)
        bars += [(name + way, cell, _OWN) for way, cell in zip(ways, cells[-3:], strict=True)]
    one = next(cells for cells in speeds if cells[:2] == ["1", "1"])
    bars.append((f"1 game{ways[2]}", one[-1], _OWN))
    named = {cells[0]: cells[1] for cells in speeds if len(cells) == 2}
    bars.append(("PettingZoo's interface (raw AEC)", named["raw AEC environment"], _OWN))
    bars += [
        ("OpenSpiel's backgammon, random play", named["OpenSpiel backgammon"], _OTHER),
        ("OpenSpiel's backgammon, with observations", named["OpenSpiel backgammon, with observation"], _OTHER),
        ("PettingZoo's connect four", named["PettingZoo connect_four_v3"], _OTHER),
    ]
    with drawing(0.7 + LINE * len(bars)) as canvas:
        axes = canvas.subplots()
        for line, (_, cell, colour) in enumerate(bars):
            number, unit = _FIGURE.search(cell).groups()  # type: ignore[union-attr]
            axes.barh(line, float(number) * _UNITS[unit], color=colour, height=0.6)
            axes.text(float(number) * _UNITS[unit] * 1.15, line, f"{number}{unit}", va="center", fontsize=8)
        axes.set_xscale("log")
        axes.set_xlim(1e4, 5e8)
        axes.set_xticks([1e4, 1e5, 1e6, 1e7, 1e8], ["10 k", "100 k", "1 M", "10 M", "100 M"])
        axes.minorticks_off()
        axes.set_ylim(len(bars) - 0.4, -0.7)
        axes.set_yticks(range(len(bars)), [name for name, *_ in bars])
        axes.set_xlabel("decisions a second")
        axes.grid(axis="x")
        return as_file(canvas, "performance", "Decisions a second of this package and of others")


def _rows(page: str) -> list[list[str]]:
    """The cells of all rows of a page's tables."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [row.split(" | ") for row in re.findall(r"^\| (.+?) \|$", text, re.MULTILINE)]


_CHARTS: dict[str, Callable[[], bytes]] = {
    "benchmark": _benchmark,
    "exploitability": _exploitability,
    "performance": _performance,
}

if __name__ == "__main__":
    for name, chart in charts().items():
        write_atomically(DOCS / "images" / name, chart)
