"""The picture of the page: each gene's price beside its neutral price, and what the designers changed.

Nothing in it rests on colour: a stroke is a price, a mark with a line is a neutral price with its interval, the shape
of the mark says on which side of the price it is shown to lie, and what was changed stands at the side with an arrow.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from studies.findings.genes import neutral_price_of
from studies.findings.wording import title
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.verdicts import Verdict
from ursuppe_lab.balance.worth import GeneFigures
from ursuppe_lab.reports.plotting import INK, LINE, STYLE, WIDTH, as_file, draw_legend
from ursuppe_lab.statistics import FALSE_DISCOVERIES
from ursuppe_lab.statistics.discoveries import adjusted
from ursuppe_lab.statistics.quotients import two_sided

_MARKERS = {Verdict.CHEAP: "^", Verdict.OPEN: "o", Verdict.DEAR: "v"}
_MEANINGS = {
    "printed price": "|",
    "neutral price, above it": "^",
    "below it": "v",
    "neither is shown": "o",
}
_REACH = (-6.0, 16.0)  # BP that are drawn: what a player can have, and somewhat below 0
#: What was changed of a gene: field, unit, and whether more of it makes the gene better.
_CHANGED = (("price", "{} BP", False), ("mutation_points", "{} MP", False), ("cards", "cards {}", True))


def price_picture(genes: Sequence[GeneFigures], before: Ruleset, after: Ruleset, name: str, said: str) -> bytes:
    """The picture as an SVG file.

    Args:
        genes: the figures of ``after``, over all rounds.
        before: the ruleset that was corrected.
        after: what came of it.
        name: of the file, without its ending.
        said: the title of the picture.
    """
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 1.1 + LINE * len(genes)), layout="constrained")
        axes = canvas.subplots()
        draw_prices(axes, genes, before, after)
        signs = {
            meaning: Line2D([], [], color=INK, marker=marker, linestyle="", markerfacecolor=_face(marker), markersize=7)
            for meaning, marker in _MEANINGS.items()
        }
        draw_legend(canvas, signs)
        return as_file(canvas, name, said)


def draw_prices(axes: Axes, genes: Sequence[GeneFigures], before: Ruleset, after: Ruleset) -> None:
    """A line for each gene, the best buy at the top; an arrow to the right where the designers made it better.

    Arguments are those of ``price_picture``. An interval that reaches beyond the axes ends in an arrow; a gene has none
    where BP are no currency, or where it was tried too rarely.
    """
    low, high = _REACH
    ordered = sorted(genes, key=_surplus, reverse=True)
    sides = _sides(genes)
    for line, figures in enumerate(ordered):
        axes.plot(figures.price, line, "|", color=INK, markersize=15, markeredgewidth=2.5)
        found = neutral_price_of(figures)
        if found is not None:
            for begin, end in found.pieces:
                if begin < high and end > low:
                    axes.hlines(line, max(begin, low), min(end, high), color=INK, linewidth=1.2)
                    for place, mark, is_beyond in ((low, "<", begin < low), (high, ">", end > high)):
                        if is_beyond:
                            axes.plot(place, line, mark, color=INK, markersize=5, clip_on=False)
            if found.estimate is not None and low <= found.estimate <= high:
                marker = _MARKERS[sides[figures.gene]]
                axes.plot(found.estimate, line, marker, color=INK, markerfacecolor=_face(marker), markersize=7)
        arrow, _, said = changed_in_words(figures.gene, before, after).partition(" ")
        _beside(axes, 1.02, line, arrow, fontsize=14)
        _beside(axes, 1.07, line, said)
    _beside(axes, 1.02, -1, f"after {before.edition}", fontstyle="italic")
    axes.set_xlim(low, high)
    axes.set_xticks(range(int(low), int(high) + 1, 2))
    axes.set_ylim(len(ordered) - 0.4, -0.6)
    axes.set_yticks(range(len(ordered)), [title(figures.gene) for figures in ordered])
    axes.set_xlabel("BP: the price, and the price at which buying the gene would change nothing")
    axes.grid(axis="x", alpha=0.2)
    axes.set_axisbelow(True)


def _beside(axes: Axes, place: float, line: float, said: str, **style: Any) -> None:
    """Words to the right of the axes, which are 1 wide."""
    axes.text(place, line, said, transform=axes.get_yaxis_transform(), va="center", **style)


def changed_in_words(gene: str, before: Ruleset, after: Ruleset) -> str:
    """What was changed of a gene, and whether that made it better (an arrow to the right) or worse."""
    number = GENE_NAMES.index(gene)
    said = []
    for field, words, is_better in _CHANGED:
        old, new = getattr(before, field)[number], getattr(after, field)[number]
        if old != new:
            arrow = "→" if (new > old) == is_better else "←"
            said.append(f"{arrow} {words.format(new)}, was {old}")
    return "; ".join(said)


def _sides(genes: Sequence[GeneFigures]) -> dict[str, Verdict]:
    """On which side of the price the neutral price of each gene is shown to lie, at a false discovery rate among them.

    The page's verdicts are about purchases that could be paid; this is about prices, which gifts tell, too.
    """
    known = [figures for figures in genes if neutral_price_of(figures) is not None]
    found = {}
    for figures, p in zip(known, adjusted([two_sided(one.p_values.surplus) for one in known]), strict=True):
        is_shown = p is not None and p <= FALSE_DISCOVERIES
        is_above = (figures.p_values.surplus or 0) < 0.5
        found[figures.gene] = (Verdict.CHEAP if is_above else Verdict.DEAR) if is_shown else Verdict.OPEN
    return found


def _face(marker: str) -> str:
    """A verdict that is shown is a full mark."""
    return "none" if marker == _MARKERS[Verdict.OPEN] else INK


def _surplus(figures: GeneFigures) -> float:
    """How far the neutral price is above the price; genes for which there is none come last."""
    found = neutral_price_of(figures)
    return -float("inf") if found is None or found.estimate is None else found.estimate - figures.price
