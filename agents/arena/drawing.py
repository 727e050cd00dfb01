"""Drawing for pages: SVG that takes its ink from the page, so that it reads on light and dark."""

import io
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ursuppe_agents.statistics import Interval

INK = "#010203"  # stands for the page's own colour, until the SVG is written
POINT = "#2f83c9"
WIDTH = 7.5  # inches
LINE = 0.32  # inches for an agent
_LONGEST_NAME = 36  # characters; a policy's has the path of its file
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def points(axes: Axes, values: Sequence[Interval], lines: np.ndarray, colour: str = POINT) -> None:
    """A dot with its interval on each line; the first line is the topmost."""
    means, lows, highs = np.array(values).T
    axes.hlines(lines, lows, highs, color=colour, linewidth=2.5, alpha=0.55)
    axes.plot(means, lines, "o", color=colour, markersize=5)
    axes.set_ylim(len(values) - 0.4, -0.7)
    axes.grid(axis="x", color=INK, alpha=0.12, linewidth=0.6)
    axes.set_axisbelow(True)


def draw_cells(axes: Axes, values: NDArray[np.float64], scale: Normalize, form: str) -> None:
    """Values, (rows, columns), in cells coloured from red to blue; the first row is the topmost. NaN: none."""
    colours = matplotlib.colormaps["RdBu"]
    axes.pcolormesh(np.ma.masked_invalid(values), cmap=colours, norm=scale)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            is_dark = np.dot(colours(scale(value))[:3], (0.299, 0.587, 0.114)) < 0.5
            ink = "white" if is_dark else "black"
            text = form.format(value).replace("-", "−")
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=ink)
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def name_lines(axes: Axes, agents: Sequence[str]) -> None:
    axes.set_yticks(range(len(agents)), [shortened(agent) for agent in agents])


def shortened(agent: str) -> str:
    """The name without its middle if it is so long that it would leave no room for the picture."""
    return agent if len(agent) <= _LONGEST_NAME else f"{agent[:8]}…{agent[9 - _LONGEST_NAME :]}"


def as_svg(figure: Figure, name: str, title: str) -> str:
    """The figure as an SVG element; its ids begin with the name, because several share a page."""
    content = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None, "Title": title})
    svg = content.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    return svg.replace('id="', f'id="{name}-').replace('"#', f'"#{name}-').replace("url(#", f"url(#{name}-")
