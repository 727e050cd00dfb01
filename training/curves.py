"""How a run's win rates grew: a picture."""

import io
from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from matplotlib.ticker import EngFormatter

from ursuppe_agents.arena.drawing import INK, POINT, STYLE
from ursuppe_training.evaluation import WAYS
from ursuppe_training.history import Figure

COLOURS = (POINT, "#e07b1a", "#1c9a6c", "#b04a9d", "#8a6d1f", "#d1495b", "#5b5f97", "#4a4a4a")
_SIZE = (9, 3.6)  # inches


def draw_curves(history: Sequence[Figure]) -> bytes:
    """An SVG: win rates with their intervals over the decisions learned from, a panel for each way of playing.

    Args:
        history: of ``read_history``, at least one figure.
    """
    opponents = list(dict.fromkeys(figure.opponent for figure in history))
    colour_of = {opponent: COLOURS[k % len(COLOURS)] for k, opponent in enumerate(opponents)}
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "curves"}):
        picture = Picture(figsize=_SIZE, layout="constrained")
        panels = picture.subplots(1, len(WAYS), sharex=True, sharey=True, squeeze=False)[0]
        for way, axes in zip(WAYS, panels, strict=True):
            for opponent, colour in colour_of.items():
                points = [figure for figure in history if (figure.opponent, figure.way) == (opponent, way)]
                _curve(axes, points, opponent, colour)
            axes.axhline(100 * history[0].chance, color=INK, linewidth=0.8, linestyle="--", label="chance")
            axes.set_title(way, fontsize=9)
            axes.set_ylim(0, 100)
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.grid(axis="y", alpha=0.25, linewidth=0.6)
        panels[0].set_ylabel("wins, %")
        handles, labels = panels[0].get_legend_handles_labels()
        title = f"one against {round(1 / history[0].chance) - 1}"
        picture.legend(handles, labels, loc="outside right center", title=title, frameon=False)
        picture.supxlabel("decisions learned from", fontsize=9)
        content = io.BytesIO()
        picture.savefig(content, format="svg", metadata={"Date": None, "Title": "Win rates with 95 % intervals"})
    return content.getvalue().replace(INK.encode(), b"black")  # a file of its own takes no ink from a page


def _curve(axes: Axes, points: Sequence[Figure], opponent: str, colour: str) -> None:
    steps = [figure.step for figure in points]
    means, lows, highs = 100 * np.array([(figure.mean, figure.low, figure.high) for figure in points]).reshape(-1, 3).T
    axes.fill_between(steps, lows, highs, color=colour, alpha=0.18, linewidth=0)
    axes.plot(steps, means, "o-", color=colour, markersize=3, linewidth=1.5, label=opponent)
