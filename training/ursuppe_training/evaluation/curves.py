"""The win rates over a run, or over runs with several seeds, as pictures."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_lab.reports.plotting import COLOURS, INK, as_file, as_svg, drawing, shortened
from ursuppe_lab.statistics import bootstrap
from ursuppe_training.evaluation.history import WinRate

with extra("train"):
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.ticker import EngFormatter

_WIDTH, _HEIGHT = 7, 3.6  # inches
_PANELS_A_ROW, _PANEL_HEIGHT = 3, 2.1  # of the pictures of several seeds; inches


def draw_curves(history: Sequence[WinRate]) -> bytes:
    """An SVG: win rates with their intervals over the decisions learned from.

    Args:
        history: of ``read_history``, at least one win rate.
    """
    opponents = list(dict.fromkeys(point.opponent for point in history))
    drawn: dict[str, Artist] = {}
    with drawing(_HEIGHT, _WIDTH) as figure:
        axes = figure.subplots()
        for number, opponent in enumerate(opponents):
            points = [point for point in history if point.opponent == opponent]
            rates = [(point.mean, point.low, point.high) for point in points]
            colour = COLOURS[number % len(COLOURS)]
            drawn[shortened(opponent)] = _curve(axes, [point.step for point in points], rates, colour, 1.5)
        drawn["chance"] = axes.axhline(100 * history[0].chance, color=INK, linewidth=0.8, linestyle="--")
        axes.set_ylim(0, 100)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.6)
        axes.set_ylabel("wins, %")
        title = f"one against {round(1 / history[0].chance) - 1}"
        figure.legend(list(drawn.values()), list(drawn), loc="outside right center", title=title, frameon=False)
        figure.supxlabel("decisions learned from", fontsize=9)
        return as_file(figure, "curves", "Win rates with 95 % intervals")


def _curve(axes: Axes, steps: Sequence[float], rates: Sequence[Any], colour: str, width: float) -> Artist:
    """Win rates, each with the ends of its interval, if it has one."""
    means, lows, highs = 100 * np.array(rates, np.float64).reshape(-1, 3).T  # None is NaN
    axes.fill_between(steps, lows, highs, color=colour, alpha=0.18, linewidth=0)
    return axes.plot(steps, means, "o-", color=colour, markersize=3, linewidth=width)[0]


def draw_seed_curves(histories: Sequence[Sequence[WinRate]]) -> str:
    """An SVG element: a panel for each opponent, with a thin line for each run and a thick one for their mean.

    Args:
        histories: of runs with several seeds, each of ``read_history``; drawn are the evaluations that all have.
    """
    of_opponent, chance = _in_all(histories), histories[0][0].chance
    rows = -(-len(of_opponent) // _PANELS_A_ROW)
    with drawing(0.4 + _PANEL_HEIGHT * rows) as figure:
        panels = figure.subplots(rows, _PANELS_A_ROW, sharex=True, sharey=True, squeeze=False).ravel()
        for axes in panels[len(of_opponent) :]:
            axes.set_axis_off()
        for number, (opponent, evaluations) in enumerate(of_opponent.items()):
            axes, colour = panels[number], COLOURS[number % len(COLOURS)]
            steps = [float(np.mean([one.step for one in points])) for points in evaluations]
            rates = [[one.mean for one in points] for points in evaluations]
            axes.plot(steps, 100 * np.array(rates), color=colour, linewidth=0.8, alpha=0.6)
            _curve(axes, steps, [bootstrap(shares, np.random.default_rng(0)) for shares in rates], colour, 2)
            axes.axhline(100 * chance, color=INK, linewidth=0.8, linestyle="--")
            axes.set_title(f"{round(1 / chance) - 1} {shortened(opponent)}", fontsize=9)
            axes.set_ylim(0, 100)
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.grid(axis="y")
        figure.supylabel("wins, %", fontsize=9)
        figure.supxlabel("decisions learned from", fontsize=9)
        return as_svg(figure, "seeds", "Win rates of runs with several seeds")


def _in_all(histories: Sequence[Sequence[WinRate]]) -> dict[str, list[tuple[WinRate, ...]]]:
    """By opponent the evaluations that all runs have, each with the win rate of every run."""
    found = {}
    for opponent in dict.fromkeys(one.opponent for history in histories for one in history):
        of_runs = [[one for one in history if one.opponent == opponent] for history in histories]
        if evaluations := list(zip(*of_runs, strict=False)):
            found[opponent] = evaluations
    return found
