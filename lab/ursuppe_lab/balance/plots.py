"""The plots of the laboratory's reports."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.fairer import FairerGame
from ursuppe_lab.balance.figures.comparison import Comparison, VariantFigure
from ursuppe_lab.balance.figures.effects import NEUTRAL_PRICE, PAID, Effects
from ursuppe_lab.balance.figures.worth import GeneFigures, TrialFigures
from ursuppe_lab.balance.study import AFTER, BEFORE
from ursuppe_lab.reports.plotting import (
    COLOURS,
    INK,
    as_file,
    as_svg,
    draw_cells,
    draw_intervals,
    draw_legend,
    drawing,
    name_lines,
    points,
)
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.quotients import Quotient

_BY_ROUND = {"amoebas": "amoebas a player after the round", "bp": "biopoints a player after the round"}
_REACH = (-6.0, 18.0)  # BP, of the neutral prices that are drawn: what a player can have, and somewhat below 0
_GREY = COLOURS[7]
_PER_CENT = {
    "wins_by_start_place": "wins, %",
    "genes_bought": "players who ever buy it, %",
    "wins_of_owners": "wins of those who ever buy it, %",
}
#: How dots are drawn where each gene has two of them: so many lines away from its own, and in which colour.
_LOOKS = {BEFORE: (-0.15, COLOURS[1]), AFTER: (0.15, COLOURS[0])}


def comparison_plots(comparison: Comparison, lineup: int, variants: Sequence[int]) -> dict[str, str]:
    """A plot for each measure that has one, with this lineup and these variants, which have a colour each."""
    names = [comparison.study.variants[variant][0] for variant in variants]
    drawn = {}
    for measure in comparison.study.measures:
        by_variant = [list(comparison.of(lineup, variant, measure).values()) for variant in variants]
        title = f"{measure}-{lineup}-{variants[-1]}"
        if measure in _BY_ROUND:
            drawn[measure] = _lines(names, by_variant, _BY_ROUND[measure], title)
        elif measure in _PER_CENT:
            drawn[measure] = _dots(names, by_variant, _PER_CENT[measure], title)
    return drawn


def _dots(names: Sequence[str], by_variant: Sequence[Sequence[VariantFigure]], label: str, title: str) -> str:
    """A line for each figure, with a dot and an interval for each variant."""
    figures = list(dict.fromkeys(figure.name for found in by_variant for figure in found if figure.value is not None))
    with drawing(1.1 + len(figures) * max(0.22, 0.11 * len(names)) + 0.2 * len(names) / 4) as canvas:
        axes = canvas.subplots()
        drawn = {}
        for variant, found in enumerate(by_variant):
            shift, colour = (variant - (len(names) - 1) / 2) * 0.8 / len(names), COLOURS[variant]
            known = {figure.name: figure.value.times(100) for figure in found if figure.value is not None}
            lines = np.array([figures.index(name) + shift for name in known])
            draw_intervals(axes, list(known.values()), lines, colour, width=2)
            means = [value.estimate for value in known.values()]
            [drawn[names[variant]]] = axes.plot(means, lines, "o", color=colour, markersize=4)
        axes.set(ylim=(len(figures) - 0.4, -0.6), xlabel=label)
        axes.grid(axis="x")
        name_lines(axes, figures)
        _legend(canvas, drawn)
        return as_svg(canvas, title, label)


def _lines(names: Sequence[str], by_variant: Sequence[Sequence[VariantFigure]], label: str, title: str) -> str:
    """A line for each variant, from round to round."""
    with drawing(3.2) as canvas:
        axes = canvas.subplots()
        drawn = {}
        for variant, found in enumerate(by_variant):
            known = [(number, figure.value) for number, figure in enumerate(found, 1) if figure.value is not None]
            rounds = [number for number, _ in known]
            means, lows, highs = np.array([value for _, value in known], np.float64).reshape(-1, 3).T  # None is NaN
            colour = COLOURS[variant]
            axes.fill_between(rounds, lows, highs, color=colour, alpha=0.25, linewidth=0)
            [drawn[names[variant]]] = axes.plot(rounds, means, "o-", color=colour, markersize=3, linewidth=1.2)
        axes.set(xticks=range(1, 1 + max(map(len, by_variant))), xlabel="round", ylabel=label, ylim=(0, None))
        axes.grid()
        _legend(canvas, drawn)
        return as_svg(canvas, title, label)


def _legend(canvas: Figure, drawn: Mapping[str, Artist]) -> None:
    if len(drawn) > 1:
        draw_legend(canvas, drawn)


def worth_plot(trials: TrialFigures, title: str) -> str:
    """What buying each gene does to the chance of winning, and its neutral price beside its price."""
    lines = np.arange(len(trials.genes))
    with drawing(1.1 + 0.24 * len(lines)) as canvas:
        left, right = canvas.subplots(1, 2, sharey=True)
        _known_points(left, lines, [figures.paid and figures.paid.times(100) for figures in trials.genes])
        left.set_xlabel("chance of winning by buying it, points")
        _neutral_prices(right, trials.genes)
        right.set_xlabel("neutral price, BP; the stroke is the price")
        for axes in (left, right):
            axes.axvline(0, color=INK, linewidth=0.6, alpha=0.4)
            axes.grid(axis="x")
        left.set_ylim(len(lines) - 0.4, -0.6)
        name_lines(left, [figures.gene for figures in trials.genes])
        return as_svg(canvas, title, "What buying genes does, and their neutral prices, with 95 % intervals")


def _neutral_prices(axes: Axes, genes: Sequence[GeneFigures]) -> None:
    """A line for each gene; what reaches beyond the axes ends in an arrow. Grey where BP are no currency."""
    low, high = _REACH
    for line, figures in enumerate(genes):
        axes.plot(figures.price, line, "|", color=COLOURS[1], markersize=11, markeredgewidth=2)
        found = figures.neutral_price
        if found is None:
            continue
        colour = COLOURS[0] if figures.is_currency else _GREY
        for begin, end in found.pieces:
            axes.hlines(line, max(begin, low), min(end, high), color=colour, linewidth=2.5, alpha=0.55)
            for place, mark, is_beyond in ((low, "<", begin < low), (high, ">", end > high)):
                if is_beyond:
                    axes.plot(place, line, mark, color=colour, markersize=4, clip_on=False)
        if found.estimate is not None and low <= found.estimate <= high:
            axes.plot(found.estimate, line, "o", color=colour, markersize=5)
    axes.set_xlim(low, high)


def rounds_plot(trials: TrialFigures, title: str) -> str:
    """What buying each gene does to the chance of winning in each round, and what one BP more does."""
    genes = [figures.gene for figures in trials.genes]
    rounds = list(trials.bp_by_round)
    changes = np.full((len(genes) + 1, len(rounds)), np.nan)
    for figures in trials.by_round:
        if figures.paid is not None:
            changes[genes.index(figures.gene), rounds.index(figures.round)] = 100 * figures.paid.estimate
    for column, bp in enumerate(trials.bp_by_round.values()):
        if bp is not None:
            changes[-1, column] = 100 * bp.estimate
    with drawing(0.9 + 0.26 * len(changes), 2.2 + 0.62 * len(rounds)) as canvas:
        axes = canvas.subplots()
        draw_cells(axes, changes, Normalize(-30, 30), "{:+.0f}")
        axes.set_xticks(np.arange(len(rounds)) + 0.5, [str(number) for number in rounds])
        axes.set_yticks(np.arange(len(changes)) + 0.5, [*genes, "1 BP more"])
        axes.set_xlabel("bought in round")
        return as_svg(canvas, title, "Change of the chance of winning by round, points")


def _known_points(
    axes: Axes, lines: NDArray[np.generic], values: Sequence[Interval | None], colour: str = COLOURS[0]
) -> None:
    known = [(line, value) for line, value in zip(lines, values, strict=True) if value is not None]
    if known:
        points(axes, [value for _, value in known], np.array([line for line, _ in known]), colour)


def gains_plot(game: FairerGame, lineup: int) -> str:
    """What buying each gene does with a lineup, before and after, on fresh dice."""
    before, after = (game.check.trials[variant * len(game.search.trials.lineups) + lineup] for variant in range(2))
    genes = [figures.gene for figures in before.genes]
    with drawing(1.2 + 0.28 * len(genes)) as canvas:
        axes = canvas.subplots()
        for trials, (shift, colour) in zip((before, after), _LOOKS.values(), strict=True):
            paid = {figures.gene: figures.paid and figures.paid.times(100) for figures in trials.genes}
            _known_points(axes, np.arange(len(genes)) + shift, [paid[gene] for gene in genes], colour)
        axes.set_xlabel("chance of winning by buying it, points")
        _name_genes(canvas, axes, genes)
        return as_svg(canvas, f"gains-{lineup}", "What buying genes does before and after, with 95 % intervals")


def candidates_plot(game: FairerGame) -> str:
    """The spread of each candidate, in the order in which they were tried."""
    with drawing(2.6) as canvas:
        axes = canvas.subplots()
        known = [(n, found.spread) for n, found in enumerate(game.candidates) if found.spread is not None]
        numbers, spreads = np.array([number for number, _ in known]), [figure.times(100) for _, figure in known]
        draw_intervals(axes, spreads, numbers, COLOURS[0], width=2, upright=True)
        axes.plot(numbers, [figure.estimate for figure in spreads], "o", color=COLOURS[0], markersize=4)
        axes.set(ylim=(0, None), xlabel="candidate", ylabel="spread of the genes, points")
        axes.grid(axis="y")
        return as_svg(canvas, "candidates", "Spread of the genes by candidate")


def effects_plots(found: Effects) -> tuple[str, bytes]:
    """Neutral price and *paid* of each gene, before and after a change: for a page, and as a file with a title."""
    question = found.question
    with drawing(1.2 + 0.3 * len(GENE_NAMES)) as canvas:
        left, right = canvas.subplots(1, 2, sharey=True)
        for name, (shift, colour) in _LOOKS.items():
            lines = np.arange(len(GENE_NAMES)) + shift
            for axes, figure, factor in ((left, NEUTRAL_PRICE, 1), (right, PAID, 100)):
                effects = found.of(figure)
                found_here = [getattr(effects[gene], name) for gene in GENE_NAMES]
                known = [value.interval() if isinstance(value, Quotient) else value for value in found_here]
                _known_points(axes, lines, [value and value.times(factor) for value in known], colour)
            left.plot(getattr(question, name).price, lines, "|", color=colour, markersize=8, markeredgewidth=1.5)
        left.set(xlim=_REACH, xlabel="neutral price, BP; strokes are prices")
        right.set_xlabel("chance of winning by buying it, points")
        right.axvline(0, color=INK, linewidth=0.6, alpha=0.4)
        for axes in (left, right):
            axes.grid(axis="x")
        _name_genes(canvas, left, GENE_NAMES)
        on_page = as_svg(canvas, "effects", "Genes before and after the change, with 95 % intervals")
        canvas.suptitle(question.title, fontsize=9)
        return on_page, as_file(canvas, "effects", f"{question.title}: genes before and after, with 95 % intervals")


def _name_genes(canvas: Figure, axes: Axes, genes: Sequence[str]) -> None:
    """The lines of genes, the upright line of what changes nothing, and which dots are before and which after."""
    axes.axvline(0, color=INK, linewidth=0.6, alpha=0.4)
    axes.set_ylim(len(genes) - 0.4, -0.6)
    name_lines(axes, genes)
    dots = {name: axes.plot([], [], "o", color=colour, markersize=5)[0] for name, (_, colour) in _LOOKS.items()}
    draw_legend(canvas, dots)
