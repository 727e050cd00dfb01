"""Drawing for pages: SVG that takes its ink from the page, so that it reads on light and dark."""

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_lab.reports.text import printable
from ursuppe_lab.statistics import Interval

with extra("arena"):
    import matplotlib
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

INK = "#010203"  # stands for the page's own colour, until the SVG is written
#: Lines and dots; each has a contrast of at least 3 on the light grounds and on the dark ones.
COLOURS = ("#2f83c9", "#d9713c", "#3f9b62", "#b8527f", "#8a6fd1", "#9a8427", "#3aa0a8", "#7d7d7d")
#: Of files that stand alone, with the ground, by the colour scheme that their reader prefers; those of the boards.
LIGHT, DARK = ("#24292f", "#ffffff"), ("#dde5ec", "#10181c")
WIDTH = 7.5  # inches
LINE = 0.32  # inches for an agent
_SIGN, _MARK = 0.08, 0.4  # inches for a sign of a name in a legend, and for what stands beside it
_LONGEST_NAME = 36  # characters; a policy's has the path of its file
_INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color")
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # $ and _ in a name are a part of it
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    **dict.fromkeys(_INKED, INK),
    "grid.alpha": 0.12,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


@contextmanager
def drawing(height: float, width: float = WIDTH) -> Iterator[Figure]:
    """A figure of so many inches, in the style of pages, to be drawn and written in the block."""
    with matplotlib.rc_context(STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def points(axes: Axes, values: Sequence[Interval], lines: np.ndarray, colour: str = COLOURS[0]) -> None:
    """A dot on each line, with its interval if it has one; the first line is the topmost."""
    draw_intervals(axes, values, lines, colour, width=2.5)
    axes.plot([value.estimate for value in values], lines, "o", color=colour, markersize=5)
    axes.set_ylim(len(values) - 0.4, -0.7)
    axes.grid(axis="x")


def draw_intervals(
    axes: Axes, values: Sequence[Interval], places: np.ndarray, colour: str, width: float, upright: bool = False
) -> None:
    """The intervals that there are, from left to right, each at its place; or upright."""
    known = [(place, *value.ends) for place, value in zip(places, values, strict=True) if value.ends is not None]
    if known:
        (axes.vlines if upright else axes.hlines)(*np.transpose(known), color=colour, linewidth=width, alpha=0.55)


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
    agent = printable(agent)
    return agent if len(agent) <= _LONGEST_NAME else f"{agent[:8]}…{agent[9 - _LONGEST_NAME :]}"


def draw_legend(figure: Figure, drawn: Mapping[str, Artist], most_columns: int = 4) -> None:
    """What the names stand for, above the axes, in as many columns as they leave room for.

    The artists need no labels: Matplotlib would pass over those that begin with an underscore.
    """
    names = [shortened(name) for name in drawn]
    room = figure.get_figwidth() / (_SIGN * max(map(len, names)) + _MARK)
    columns = max(1, min(most_columns, int(room)))
    look: dict[str, Any] = {"loc": "outside upper left", "frameon": False, "labelcolor": INK, "handlelength": 1}
    figure.legend(list(drawn.values()), names, ncols=columns, **look)


def as_svg(figure: Figure, name: str, title: str) -> str:
    """The figure as an SVG element; its ids begin with the name, because several share a page."""
    content = io.StringIO()
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the reader's fonts draw the text
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None, "Title": title})
    svg = content.getvalue()

    def adapted(tag: re.Match[str]) -> str:
        """A tag that takes its ink from the page and shares no id with another picture."""
        text = tag[0].replace(INK, "currentColor")
        return text.replace('id="', f'id="{name}-').replace('"#', f'"#{name}-').replace("url(#", f"url(#{name}-")

    return re.sub(r"<[^>]*>", adapted, svg[svg.index("<svg") :])  # not what stands between tags: names may look alike


def as_file(figure: Figure, name: str, title: str) -> bytes:
    """The figure as an SVG file that stands alone, on a ground of its own: a dark one where the reader prefers that."""
    (ink, ground), (dark_ink, dark_ground) = LIGHT, DARK
    dark = f"svg {{color: {dark_ink}}} .ground {{fill: {dark_ground}}}"
    begin = (
        f"<style>svg {{color: {ink}}} @media (prefers-color-scheme: dark) {{{dark}}}</style>"
        f'<rect class="ground" width="100%" height="100%" fill="{ground}"/>'
    )
    svg = as_svg(figure, name, title).replace("<svg ", f'<svg color="{ink}" ', 1)
    return svg.replace("</metadata>", f"</metadata>\n {begin}", 1).encode()
