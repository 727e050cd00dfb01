"""The plots of the findings, on a ground of their own, so that they read on any page."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies.findings.lead import tables_of
from studies.findings.picture import price_picture
from studies.findings.places import PLACES, shares
from studies.findings.results import NEW, OLD, Results
from studies.findings.strength import correlations, rated, reflected
from studies.findings.wording import image_name
from ursuppe_env import Ruleset
from ursuppe_lab.reports.plotting import COLOURS, INK, STYLE, WIDTH, as_file, draw_intervals, draw_legend, shortened
from ursuppe_lab.statistics import Interval

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")  # beside the colours, for print and for those who see none


class _Look(NamedTuple):
    """Of a series: the same in all pictures."""

    colour: str
    marker: str


def findings_plots(results: Results) -> dict[str, bytes]:
    """Each picture by the name of its file."""
    drawn = {"genes": _genes, "strength": _strength, "places": _places, "lead": _lead}
    found = {image_name(name): draw(results) for name, draw in drawn.items()}
    return found | {name: picture for section in results.sections for name, picture in section.pictures.items()}


def _genes(results: Results) -> bytes:
    """Prices and neutral prices, and what was changed."""
    leading = results.leading[0]
    before, after = (Ruleset(players=leading.setting.players, edition=edition) for edition in (OLD, NEW))
    said = f"Prices and neutral prices of genes with {leading.setting}, with 95 % intervals"
    return price_picture(leading.trials.genes, before, after, _id("genes"), said)


def _strength(results: Results) -> bytes:
    """How far each agent ranks the genes as the strongest one does, by its rating."""
    agents = rated(results)
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 3.8), layout="constrained")
        axes = canvas.subplots()
        known = [
            (one, reflected(found, 1))
            for one, found in zip(agents, correlations(agents), strict=False)
            if found is not None
        ]
        ratings = np.array([one.rating.estimate for one, _ in known])
        agreement = [found for _, found in known]
        draw_intervals(axes, agreement, ratings, COLOURS[0], width=2, upright=True)
        axes.plot(ratings, [found.estimate for found in agreement], "o", color=COLOURS[0], markersize=5)
        for one, found in known:
            name = shortened(one.worths.agent.strip("`"))
            place = (one.rating.estimate, found.estimate)
            is_left = one.rating.estimate <= (ratings.min() + ratings.max()) / 2  # names stay inside
            offset, side = (5, "left") if is_left else (-5, "right")
            axes.annotate(name, place, (offset, 2), textcoords="offset points", fontsize=8, ha=side)
        axes.axhline(0, color=INK, linewidth=0.8, alpha=0.5)
        axes.set_ylim(-1, 1)
        axes.margins(x=0.15)
        strongest = shortened(agents[-1].worths.agent.strip("`"))
        axes.set_xlabel(
            f"rating; {results.settings[0]}; the strongest, {strongest}, has {agents[-1].rating.estimate:+.0f}"
        )
        axes.set_ylabel("agreement with the strongest")
        axes.grid()
        axes.set_axisbelow(True)
        return as_file(canvas, _id("strength"), "Agreement on genes by rating, with 95 % intervals")


def _places(results: Results) -> bytes:
    """Wins by start place: a panel for each number of players and edition."""
    by_players = dict(sorted(results.editions_by_players.items()))
    looks = _looks(agent for compared in results.editions for agent in compared.agents)
    editions = [ruleset.edition for _, ruleset in results.editions[0].study.variants]
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 0.6 + 2.1 * len(by_players)), layout="constrained")
        panels = canvas.subplots(len(by_players), len(editions), squeeze=False, sharey="row")
        drawn = {}
        for row, (players, studies) in zip(panels, by_players.items(), strict=True):
            series = [(compared, lineup) for compared in studies for lineup in range(len(compared.study.lineups))]
            for variant, axes in enumerate(row):
                for number, (compared, lineup) in enumerate(series):
                    found = list(shares(compared, lineup, variant, PLACES).values())
                    places = np.arange(1, len(found) + 1) + _shift(number, len(series))
                    agent = compared.agents[lineup]
                    drawn[agent] = _upright(axes, found, places, looks[agent])
                axes.axhline(100 / players, color=INK, linewidth=0.8, alpha=0.5)
                axes.set_xticks(range(1, players + 1))
                axes.set_title(f"{players} players, {editions[variant]}", fontsize=9)
            row[0].set_ylabel("wins, %")
        for axes in panels[-1]:
            axes.set_xlabel("start place")
        _legend(canvas, drawn)
        return as_file(canvas, _id("places"), "Wins by start place, with 95 % intervals")


def _lead(results: Results) -> bytes:
    """Wins of the leader and of the last after each round."""
    tables = list(tables_of(results))
    looks = _looks(table.name for table in tables)
    with matplotlib.rc_context(STYLE):
        canvas = Figure(figsize=(WIDTH, 3.4), layout="constrained")
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
        _legend(canvas, drawn)
        return as_file(canvas, _id("lead"), "Wins of the leader and of the last by round, with 95 % intervals")


def _looks(names: Iterable[str]) -> dict[str, _Look]:
    """Each one's."""
    looks = map(_Look, cycle(COLOURS), cycle(_MARKERS))
    return dict(zip(dict.fromkeys(names), looks, strict=False))


def _shift(number: int, of: int) -> float:
    """Beside each other, so that intervals can be told apart."""
    return (number - (of - 1) / 2) * 0.75 / of


def _upright(axes: Axes, values: Sequence[Interval], places: np.ndarray, look: _Look, line: str = "") -> Artist:
    """Marks in per cent with their intervals from bottom to top."""
    rates = [share.times(100) for share in values]
    draw_intervals(axes, rates, places, look.colour, width=1.6, upright=True)
    axes.grid(axis="y")
    means = [rate.estimate for rate in rates]
    return axes.plot(places, means, f"{look.marker}{line}", color=look.colour, markersize=3.5, linewidth=0.8)[0]


def _legend(canvas: Figure, drawn: Mapping[str, Artist]) -> None:
    draw_legend(canvas, {name.strip("`"): artist for name, artist in drawn.items()}, most_columns=6)


def _id(name: str) -> str:
    """Of a picture, in whose file all ids begin with it."""
    return image_name(name).removesuffix(".svg")
