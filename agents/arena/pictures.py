"""The report's pictures: SVG that takes its ink from the page, so that it reads on light and dark."""

import io
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from ursuppe_agents.arena.summary import Summary
from ursuppe_agents.statistics import Interval

_INK = "#010203"  # stands for the page's own colour, until the SVG is written
_POINT = "#2f83c9"
_WIDTH = 7.5  # inches
_LINE = 0.32  # inches for an agent
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def ratings_picture(summary: Summary) -> str:
    """Each agent's rating with its interval."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 0.8 + _LINE * len(summary.agents)), layout="constrained")
        axes = figure.subplots()
        ratings = [figures.rating for figures in summary.agents]
        _points(axes, ratings, np.arange(len(ratings)))
        for y, rating in enumerate(ratings):
            axes.annotate(
                f"{rating.mean:+.0f}".replace("-", "−"),
                (rating.mean, y),
                (0, 6),
                textcoords="offset points",
                ha="center",
            )
        axes.axvline(0, color=_INK, linewidth=0.6, alpha=0.4)
        axes.margins(x=0.08)
        axes.set_xlabel("rating in points; 400 are a factor of ten in worth")
        _name_lines(axes, [figures.agent for figures in summary.agents])
        return _svg(figure, "ratings", "Ratings with 95 % intervals")


def seats_picture(summary: Summary) -> str:
    """Each agent's win rate in each seat, with its interval."""
    players = summary.tournament.ruleset.players
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, 1.0 + 0.9 * _LINE * len(summary.agents)), layout="constrained")
        panels = figure.subplots(1, players, sharex=True, sharey=True, squeeze=False)[0]
        for seat, axes in enumerate(panels):
            rates = [figures.win_rate_by_seat[seat] for figures in summary.agents]
            _points(axes, [Interval(*(100 * number for number in rate)) for rate in rates], np.arange(len(rates)))
            axes.axvline(100 / players, color=_INK, linewidth=0.6, alpha=0.4)
            axes.set_title(f"player {seat}", fontsize=9)
        figure.supxlabel("wins, %; the line is chance", fontsize=9)
        _name_lines(panels[0], [figures.agent for figures in summary.agents])
        return _svg(figure, "seats", "Win rates by seat with 95 % intervals")


def before_picture(summary: Summary) -> str:
    """How often the agent of the row finishes before the agent of the column."""
    agents = [figures.agent for figures in summary.agents]
    shares = np.full((len(agents), len(agents)), np.nan)
    for (agent, other), share in summary.before.items():
        shares[agents.index(agent), agents.index(other)] = 100 * share.mean
    with matplotlib.rc_context(_STYLE):
        side = 1.2 + 0.55 * len(agents)
        figure = Figure(figsize=(max(side + 1.5, 4), side), layout="constrained")
        axes = figure.subplots()
        colours = matplotlib.colormaps["RdBu"]
        scale = Normalize(0, 100)
        axes.pcolormesh(np.ma.masked_invalid(shares), cmap=colours, norm=scale)
        for (row, column), share in np.ndenumerate(shares):
            if not np.isnan(share):
                is_dark = np.dot(colours(scale(share))[:3], (0.299, 0.587, 0.114)) < 0.5
                ink = "white" if is_dark else "black"
                axes.text(column + 0.5, row + 0.5, f"{share:.0f}", ha="center", va="center", color=ink)
        middles = np.arange(len(agents)) + 0.5
        axes.set_xticks(middles, agents, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_yticks(middles, agents)
        axes.invert_yaxis()
        axes.set_aspect("equal")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        return _svg(figure, "before", "How often each agent finishes before each other")


def _points(axes: Axes, values: Sequence[Interval], lines: np.ndarray) -> None:
    """A dot with its interval on each line; the first line is the topmost."""
    means, lows, highs = np.array(values).T
    axes.hlines(lines, lows, highs, color=_POINT, linewidth=2.5, alpha=0.55)
    axes.plot(means, lines, "o", color=_POINT, markersize=5)
    axes.set_ylim(len(values) - 0.4, -0.7)
    axes.grid(axis="x", color=_INK, alpha=0.12, linewidth=0.6)
    axes.set_axisbelow(True)


def _name_lines(axes: Axes, agents: Sequence[str]) -> None:
    axes.set_yticks(range(len(agents)), agents)


def _svg(figure: Figure, name: str, title: str) -> str:
    """The figure as an SVG element; its ids begin with the name, because several share a page."""
    content = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None, "Title": title})
    svg = content.getvalue()
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    return svg.replace('id="', f'id="{name}-').replace('"#', f'"#{name}-').replace("url(#", f"url(#{name}-")
