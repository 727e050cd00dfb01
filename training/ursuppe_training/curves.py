"""The win rates over a run, as a picture."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from ursuppe_agents.reports.plotting import COLOURS, INK, STYLE, as_file, shortened
from ursuppe_training.evaluation import WAYS
from ursuppe_training.history import WinRate

_SIZE = (9, 3.6)  # inches


def draw_curves(history: Sequence[WinRate]) -> bytes:
    """An SVG: win rates with their intervals over the decisions learned from, a panel for each way of playing.

    Args:
        history: of ``read_history``, at least one win rate.
    """
    opponents = list(dict.fromkeys(point.opponent for point in history))
    drawn: dict[str, Artist] = {}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        panels = figure.subplots(1, len(WAYS), sharex=True, sharey=True, squeeze=False)[0]
        for way, axes in zip(WAYS, panels, strict=True):
            for number, opponent in enumerate(opponents):
                points = [point for point in history if (point.opponent, point.way) == (opponent, way)]
                drawn[shortened(opponent)] = _curve(axes, points, COLOURS[number % len(COLOURS)])
            drawn["chance"] = axes.axhline(100 * history[0].chance, color=INK, linewidth=0.8, linestyle="--")
            axes.set_title(way, fontsize=9)
            axes.set_ylim(0, 100)
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.6)
        panels[0].set_ylabel("wins, %")
        title = f"one against {round(1 / history[0].chance) - 1}"
        figure.legend(list(drawn.values()), list(drawn), loc="outside right center", title=title, frameon=False)
        figure.supxlabel("decisions learned from", fontsize=9)
        return as_file(figure, "curves", "Win rates with 95 % intervals")


def _curve(axes: Axes, points: Sequence[WinRate], colour: str) -> Artist:
    steps = [point.step for point in points]
    rates = np.array([(point.mean, point.low, point.high) for point in points], np.float64)  # None is NaN
    means, lows, highs = 100 * rates.reshape(-1, 3).T
    axes.fill_between(steps, lows, highs, color=colour, alpha=0.18, linewidth=0)
    return axes.plot(steps, means, "o-", color=colour, markersize=3, linewidth=1.5)[0]
