"""The pictures of the page, on a ground of their own, so that they read on any page.

Nothing in that of the prices rests on colour: a stroke is a price, a mark with a line is a neutral price with its
interval, the shape of the mark says on which side of the price it is shown to lie, and what was changed stands at the
side with an arrow.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from studies.genes import correlations, neutral_price_of, rated, reflected
from studies.lead import tables_of
from studies.places import PLACES, shares
from studies.results import NEW, OLD, Compared, StudyResults
from ursuppe_env import Ruleset
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.figures.verdicts import Verdict
from ursuppe_lab.balance.figures.worth import GeneFigures
from ursuppe_lab.reports.plotting import COLOURS, INK, LINE, as_file, draw_intervals, draw_legend, drawing, shortened
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.discoveries import adjusted, counts, two_sided

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")  # beside the colours, for print and for those who see none


def pictures_of(results: StudyResults) -> dict[str, bytes]:
    """Those of the game as it is printed, by name."""
    drawn = {"genes": _genes, "strength": _strength, "places": _places, "lead": _lead}
    return {name: draw(results) for name, draw in drawn.items()}


def _genes(results: StudyResults) -> bytes:
    """Prices and neutral prices, and what was changed."""
    leading = results.leading[0]
    genes = leading.trials.genes
    with drawing(1.1 + LINE * len(genes)) as canvas:
        before, after = (Ruleset(players=leading.setting.players, edition=edition) for edition in (OLD, NEW))
        draw_prices(canvas.subplots(), genes, before, after)
        signs = {
            meaning: Line2D([], [], color=INK, marker=marker, linestyle="", markerfacecolor=_face(marker), markersize=7)
            for meaning, marker in _MEANINGS.items()
        }
        draw_legend(canvas, signs)
        said = f"Prices and neutral prices of genes with {leading.setting}, with 95 % intervals"
        return as_file(canvas, "balance-genes", said)


def _strength(results: StudyResults) -> bytes:
    """How far each agent ranks the genes as the strongest one does, by its rating."""
    agents = rated(results)
    with drawing(3.8) as canvas:
        axes = canvas.subplots()
        known = [
            (shortened(one.worths.agent.strip("`")), one.rating.estimate, reflected(found))
            for one, found in correlations(agents)
        ]
        ratings, agreement = np.array([rating for _, rating, _ in known]), [found for *_, found in known]
        draw_intervals(axes, agreement, ratings, COLOURS[0], width=2, upright=True)
        axes.plot(ratings, [found.estimate for found in agreement], "o", color=COLOURS[0], markersize=5)
        for name, rating, found in known:
            is_left = rating <= (ratings.min() + ratings.max()) / 2  # names stay inside
            offset, side = (5, "left") if is_left else (-5, "right")
            axes.annotate(name, (rating, found.estimate), (offset, 2), textcoords="offset points", fontsize=8, ha=side)
        axes.axhline(0, color=INK, linewidth=0.8, alpha=0.5)
        axes.set_ylim(-1, 1)
        axes.margins(x=0.15)
        strongest = f"{shortened(agents[-1].worths.agent.strip('`'))}, has {agents[-1].rating.estimate:+.0f}"
        axes.set_xlabel(f"rating; {results.settings[0]}; the strongest, {strongest}")
        axes.set_ylabel("agreement with the strongest")
        axes.grid()
        return as_file(canvas, "balance-strength", "Agreement on genes by rating, with 95 % intervals")


def _places(results: StudyResults) -> bytes:
    """Wins by start place: a panel for each number of players and edition."""
    by_players: dict[int, list[Compared]] = {}
    for compared in sorted(results.editions, key=lambda one: one.players):
        by_players.setdefault(compared.players, []).append(compared)
    looks = _looks(agent for compared in results.editions for agent in compared.agents)
    editions = [ruleset.edition for _, ruleset in results.editions[0].study.variants]
    with drawing(0.6 + 2.1 * len(by_players)) as canvas:
        panels = canvas.subplots(len(by_players), len(editions), squeeze=False, sharey="row")
        drawn = {}
        for row, (players, studies) in zip(panels, by_players.items(), strict=True):
            series = [(compared, lineup) for compared in studies for lineup in range(len(compared.study.lineups))]
            for variant, axes in enumerate(row):
                for number, (compared, lineup) in enumerate(series):
                    found = list(shares(compared, lineup, variant, PLACES).values())
                    places = np.arange(1, len(found) + 1) + _shift(number, len(series))
                    agent = compared.agents[lineup]
                    drawn[agent.strip("`")] = _upright(axes, found, places, looks[agent])
                axes.axhline(100 / players, color=INK, linewidth=0.8, alpha=0.5)
                axes.set_xticks(range(1, players + 1))
                axes.set_title(f"{players} players, {editions[variant]}", fontsize=9)
            row[0].set_ylabel("wins, %")
        for axes in panels[-1]:
            axes.set_xlabel("start place")
        draw_legend(canvas, drawn, most_columns=6)
        return as_file(canvas, "balance-places", "Wins by start place, with 95 % intervals")


def _lead(results: StudyResults) -> bytes:
    """Wins of the leader and of the last after each round."""
    tables = list(tables_of(results))
    looks = _looks(table.name for table in tables)
    with drawing(3.4) as canvas:
        panels = canvas.subplots(1, 2, sharey=True)
        drawn = {}
        for axes, who, said in zip(panels, ("leader", "last"), ("the leader wins, %", "the last wins, %"), strict=True):
            for number, table in enumerate(tables):
                by_round = {after: getattr(table, who)(after) for after in range(1, 10)}
                known = {after: share for after, share in by_round.items() if share is not None}
                rounds = np.array(list(known)) + 0.5 * _shift(number, len(tables))
                drawn[table.name] = _upright(axes, list(known.values()), rounds, looks[table.name], line="-")
            axes.set_xticks(range(1, 10))
            axes.set_xlabel("after round")
            axes.set_title(said, fontsize=9)
        panels[0].set_ylim(0, 100)
        draw_legend(canvas, drawn, most_columns=6)
        return as_file(canvas, "balance-lead", "Wins of the leader and of the last by round, with 95 % intervals")


def _looks(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The colour and the marker of each series."""
    looks = zip(cycle(COLOURS), cycle(_MARKERS), strict=True)
    return dict(zip(dict.fromkeys(names), looks, strict=False))


def _shift(number: int, of: int) -> float:
    """Beside each other, so that intervals can be told apart."""
    return (number - (of - 1) / 2) * 0.75 / of


def _upright(
    axes: Axes, values: Sequence[Interval], places: np.ndarray, look: tuple[str, str], line: str = ""
) -> Artist:
    """Marks in per cent with their intervals from bottom to top."""
    rates, (colour, marker) = [share.times(100) for share in values], look
    draw_intervals(axes, rates, places, colour, width=1.6, upright=True)
    axes.grid(axis="y")
    means = [rate.estimate for rate in rates]
    return axes.plot(places, means, f"{marker}{line}", color=colour, markersize=3.5, linewidth=0.8)[0]


_VERDICTS = {Verdict.CHEAP: "^", Verdict.OPEN: "o", Verdict.DEAR: "v"}
_MEANINGS = {"printed price": "|", "neutral price, above it": "^", "below it": "v", "neither is shown": "o"}
_REACH = (-6.0, 16.0)  # BP that are drawn: what a player can have, and somewhat below 0
#: What was changed of a gene: field, unit, and whether more of it makes the gene better.
_CHANGED = (("price", "{} BP", False), ("mutation_points", "{} MP", False), ("cards", "cards {}", True))


def draw_prices(axes: Axes, genes: Sequence[GeneFigures], before: Ruleset, after: Ruleset) -> None:
    """A line for each gene, the best buy at the top; an arrow to the right where the designers made it better.

    An interval that reaches beyond the axes ends in an arrow; a gene has none where BP are no currency, or where it was
    tried too rarely. The figures are of ``after``, which came of ``before``, over all rounds.
    """
    low, high = _REACH
    ordered = sorted(genes, key=_above_price, reverse=True)
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
                marker = _VERDICTS[sides[figures.gene]]
                axes.plot(found.estimate, line, marker, color=INK, markerfacecolor=_face(marker), markersize=7)
        arrow, _, said = changed_in_words(figures.gene, before, after).partition(" ")
        _beside(axes, 1.02, line, arrow, fontsize=14)
        _beside(axes, 1.07, line, said)
    _beside(axes, 1.02, -1, f"after {before.edition}", fontstyle="italic")
    axes.set_xlim(low, high)
    axes.set_xticks(range(int(low), int(high) + 1, 2))
    axes.set_ylim(len(ordered) - 0.4, -0.6)
    axes.set_yticks(range(len(ordered)), [gene_title(figures.gene) for figures in ordered])
    axes.set_xlabel("BP: the price, and the price at which buying the gene would change nothing")
    axes.grid(axis="x", alpha=0.2)


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
        is_above = (figures.p_values.surplus or 0) < 0.5
        found[figures.gene] = (Verdict.CHEAP if is_above else Verdict.DEAR) if counts(p) else Verdict.OPEN
    return found


def _face(marker: str) -> str:
    """A verdict that is shown is a full mark."""
    return "none" if marker == _VERDICTS[Verdict.OPEN] else INK


def _above_price(figures: GeneFigures) -> float:
    """How far the neutral price is above the price; genes for which there is none come last."""
    found = neutral_price_of(figures)
    return -float("inf") if found is None or found.estimate is None else found.estimate - figures.price
