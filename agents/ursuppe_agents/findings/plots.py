"""The plots of the findings, on a ground of their own, so that they read on any page."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ursuppe_agents.findings.agreement import same_setting
from ursuppe_agents.findings.genes import genes_of, paid_of
from ursuppe_agents.findings.places import PLACES, shares
from ursuppe_agents.findings.prices import BOUGHT, OWNERS, at_price, swept
from ursuppe_agents.findings.results import Compared, Results
from ursuppe_agents.findings.wording import title
from ursuppe_agents.reports.plotting import COLOURS, INK, STYLE, WIDTH, as_file, draw_intervals, draw_legend
from ursuppe_agents.statistics import Interval

GENES_PLOT, PLACES_PLOT, PRICES_PLOT = (f"balance-{name}.svg" for name in ("genes", "places", "prices"))

_REACH = 40  # points; what is known so badly that its interval reaches beyond is cut there


def findings_plots(results: Results) -> dict[str, bytes]:
    """Each picture by the name of its file."""
    colours = _colours(results)
    return {
        GENES_PLOT: _genes(results, colours),
        PLACES_PLOT: _places(results, colours),
        PRICES_PLOT: _prices(results.prices, colours),
    }


def _colours(results: Results) -> dict[str, str]:
    """Each agent's, the same in all pictures."""
    agents = [agent for compared in (*results.editions, results.prices) for agent in compared.agents]
    agents += [found.agent for found in results.worths]
    return dict(zip(dict.fromkeys(agents), cycle(COLOURS), strict=False))


def _genes(results: Results, colours: Mapping[str, str]) -> bytes:
    """What buying each gene does under each agent."""
    found = same_setting(results)
    order = [figures.gene for figures in found[0].trials.genes]
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 1.2 + 0.4 * len(order)), layout="constrained")
        axes = canvas.subplots()
        drawn = {}
        for number, worths in enumerate(found):
            figures = genes_of(worths)
            lines = np.arange(len(order)) + _shift(number, len(found))
            of_genes = [paid and paid.times(100) for gene in order for paid in (paid_of(figures[gene]),)]
            drawn[worths.agent] = _across(axes, of_genes, lines, worths.agent, colours)
        axes.axvline(0, color=INK, linewidth=0.8, alpha=0.5)
        low, high = axes.get_xlim()
        axes.set_xlim(max(low, -_REACH), min(high, _REACH))
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.set_yticks(range(len(order)), [title(gene) for gene in order])
        axes.set_xlabel(f"chance of winning by buying it, points, drawn as far as {_REACH}; {results.settings[0]}")
        _legend(canvas, drawn)
        return _finished(canvas, GENES_PLOT, "What buying genes does to the chance of winning, with 95 % intervals")


def _places(results: Results, colours: Mapping[str, str]) -> bytes:
    """Wins by start place: a panel for each number of players and edition."""
    by_players = results.editions_by_players
    editions = [ruleset.edition for _, ruleset in results.editions[0].study.variants]
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 0.6 + 2.3 * len(by_players)), layout="constrained")
        panels = canvas.subplots(len(by_players), len(editions), squeeze=False, sharey="row")
        drawn = {}
        for row, (players, studies) in zip(panels, by_players.items(), strict=True):
            series = [(compared, lineup) for compared in studies for lineup in range(len(compared.study.lineups))]
            for variant, axes in enumerate(row):
                for number, (compared, lineup) in enumerate(series):
                    found = list(shares(compared, lineup, variant, PLACES).values())
                    places = np.arange(1, len(found) + 1) + _shift(number, len(series))
                    agent = compared.agents[lineup]
                    drawn[agent] = _upright(axes, found, places, agent, colours)
                axes.axhline(100 / players, color=INK, linewidth=0.8, alpha=0.5)
                axes.set_xticks(range(1, players + 1))
                axes.set_title(f"{players} players, {editions[variant]}", fontsize=9)
            row[0].set_ylabel("wins, %")
        for axes in panels[-1]:
            axes.set_xlabel("start place")
        _legend(canvas, drawn)
        return _finished(canvas, PLACES_PLOT, "Wins by start place, with 95 % intervals")


def _prices(compared: Compared, colours: Mapping[str, str]) -> bytes:
    """How often genes are bought, and how often their owners win, by price."""
    genes = swept(compared)
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 4.4), layout="constrained")
        panels = canvas.subplots(2, len(genes), squeeze=False, sharey="row", sharex="col")
        drawn = {}
        for (gene, variants), column in zip(genes.items(), panels.T, strict=True):
            for axes, measure in zip(column, (BOUGHT, OWNERS), strict=True):
                for number, agent in enumerate(compared.agents):
                    found = [at_price(compared, number, variant, measure, gene) for variant in variants.values()]
                    known = [(price, share) for price, share in zip(variants, found, strict=True) if share is not None]
                    prices = np.array([price for price, _ in known]) + 0.3 * _shift(number, len(compared.agents))
                    drawn[agent] = _upright(axes, [share for _, share in known], prices, agent, colours, line="-")
                axes.set_xticks(list(variants))
            column[0].set_title(title(gene), fontsize=9)
            column[1].axhline(100 / compared.players, color=INK, linewidth=0.8, alpha=0.5)
            column[1].set_xlabel("price, BP")
        panels[0][0].set_ylabel("players who buy it, %")
        panels[1][0].set_ylabel("owners win, %")
        _legend(canvas, drawn)
        return _finished(canvas, PRICES_PLOT, "What a price does, with 95 % intervals")


def _shift(number: int, of: int) -> float:
    """Beside each other, so that intervals can be told apart."""
    return (number - (of - 1) / 2) * 0.75 / of


def _across(
    axes: Axes, values: Sequence[Interval | None], lines: np.ndarray, agent: str, colours: Mapping[str, str]
) -> Artist:
    """Dots with their intervals from left to right."""
    known = [(line, value) for line, value in zip(lines, values, strict=True) if value is not None]
    places, found = np.array([line for line, _ in known]), [value for _, value in known]
    draw_intervals(axes, found, places, colours[agent], width=1.6)
    axes.grid(axis="x")
    return axes.plot([value.estimate for value in found], places, "o", color=colours[agent], markersize=3)[0]


def _upright(
    axes: Axes, values: Sequence[Interval], places: np.ndarray, agent: str, colours: Mapping[str, str], line: str = ""
) -> Artist:
    """Dots in per cent with their intervals from bottom to top."""
    rates = [share.times(100) for share in values]
    draw_intervals(axes, rates, places, colours[agent], width=1.6, upright=True)
    axes.grid(axis="y")
    means = [rate.estimate for rate in rates]
    return axes.plot(places, means, f"o{line}", color=colours[agent], markersize=3, linewidth=0.8)[0]


def _legend(canvas: Figure, drawn: Mapping[str, Artist]) -> None:
    draw_legend(canvas, {agent.strip("`"): artist for agent, artist in drawn.items()}, most_columns=6)


def _finished(canvas: Figure, file: str, said: str) -> bytes:
    """An SVG file that stands alone."""
    return as_file(canvas, file.removesuffix(".svg"), said)
