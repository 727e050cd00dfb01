"""A tournament's summary as one HTML page that needs nothing else, with its plots."""

from collections.abc import Mapping

import numpy as np
from matplotlib.colors import Normalize

from ursuppe_agents.evaluator import Origin
from ursuppe_lab.arena.equilibrium import in_words
from ursuppe_lab.arena.fit import Fit
from ursuppe_lab.arena.summary import Summary
from ursuppe_lab.reports.page import render_page
from ursuppe_lab.reports.plotting import (
    COLOURS,
    INK,
    LINE,
    WIDTH,
    as_svg,
    draw_cells,
    draw_intervals,
    draw_legend,
    drawing,
    name_lines,
    points,
    shortened,
)

_MOST_OFF = 10  # cells that are shown to be wrong with a number in the picture and a line in the report


def html_report(summary: Summary, origins: Mapping[str, Origin] | None = None) -> str:
    """The page: ratings and whether they fit, who finishes before whom, win rates, and origins of policies by name."""
    shown = {
        "summary": summary,
        "tournament": summary.tournament,
        "ruleset": summary.tournament.ruleset,
        "ratings_plot": _ratings_plot(summary),
        "fit_plot": "" if summary.fit is None else _fit_plot(summary.fit),
        "off": [] if summary.fit is None else summary.fit.off[:_MOST_OFF],
        "cycles": [in_words(cycle) for cycle in summary.cycles],
        "before_plot": _before_plot(summary),
        "seats_plot": _seats_plot(summary),
    }
    return render_page("ursuppe_lab.arena", "report.html.j2", origins, **shown)


def _ratings_plot(summary: Summary) -> str:
    """Each agent's rating with its interval."""
    with drawing(0.8 + LINE * len(summary.agents)) as figure:
        axes = figure.subplots()
        ratings = [figures.rating for figures in summary.agents]
        points(axes, ratings, np.arange(len(ratings)))
        for y, rating in enumerate(ratings):
            text = f"{rating.estimate:+.0f}".replace("-", "−")
            axes.annotate(text, (rating.estimate, y), (0, 6), textcoords="offset points", ha="center")
        axes.axvline(0, color=INK, linewidth=0.6, alpha=0.4)
        axes.margins(x=0.08)
        axes.set_xlabel("rating in points; 400 are a factor of ten in worth")
        name_lines(axes, [figures.agent for figures in summary.agents])
        return as_svg(figure, "ratings", "Ratings with 95 % intervals")


def _fit_plot(fit: Fit) -> str:
    """The share of wins that the ratings predict for each agent at each table, against the one that was seen."""
    groups = {
        "not shown to be wrong": (COLOURS[0], [cell for cell in fit.cells if not cell.is_off]),
        "shown to be wrong": (COLOURS[1], fit.off),
    }
    with drawing(0.72 * WIDTH) as figure:
        axes = figure.subplots()
        axes.plot([0, 100], [0, 100], color=INK, linewidth=0.8, alpha=0.4)
        drawn = {}
        for name, (colour, cells) in groups.items():
            predicted = np.array([100 * cell.predicted.estimate for cell in cells])
            observed = [cell.observed.times(100) for cell in cells]
            draw_intervals(axes, observed, predicted, colour, width=1.6, upright=True)
            seen = [value.estimate for value in observed]
            [drawn[name]] = axes.plot(predicted, seen, "o", color=colour, markersize=4, linestyle="none")
        for number, cell in enumerate(fit.off[:_MOST_OFF], start=1):  # their names would cover each other
            place = (100 * cell.predicted.estimate, 100 * cell.observed.estimate)
            axes.annotate(str(number), place, (5, 2), textcoords="offset points", fontsize=8)
        axes.set(xlabel="predicted wins, %", ylabel="observed wins, %", xlim=(-2, 102), ylim=(-2, 102))
        axes.grid()
        draw_legend(figure, drawn)
        return as_svg(figure, "fit", "Wins that the ratings predict and those that were seen, with 95 % intervals")


def _seats_plot(summary: Summary) -> str:
    """Each agent's win rate in each seat, or in each team, with its interval."""
    sides = summary.tournament.sides
    side = "player" if summary.tournament.teams is None else "team"
    with drawing(1.0 + 0.9 * LINE * len(summary.agents)) as figure:
        panels = figure.subplots(1, sides, sharex=True, sharey=True, squeeze=False)[0]
        for number, axes in enumerate(panels):
            rates = [figures.win_rate_by_seat[number] for figures in summary.agents]
            points(axes, [rate.times(100) for rate in rates], np.arange(len(rates)))
            axes.axvline(100 / sides, color=INK, linewidth=0.6, alpha=0.4)
            axes.set_title(f"{side} {number}", fontsize=9)
        figure.supxlabel("wins, %; the line is chance", fontsize=9)
        name_lines(panels[0], [figures.agent for figures in summary.agents])
        return as_svg(figure, "seats", f"Win rates by {'seat' if side == 'player' else side} with 95 % intervals")


def _before_plot(summary: Summary) -> str:
    """How often the agent of the row finishes before the agent of the column."""
    agents = [figures.agent for figures in summary.agents]
    proportions = np.full((len(agents), len(agents)), np.nan)
    for (agent, other), proportion in summary.before.items():
        proportions[agents.index(agent), agents.index(other)] = 100 * proportion.estimate
    side = 1.2 + 0.55 * len(agents)
    with drawing(side, max(side + 1.5, 4)) as figure:
        axes = figure.subplots()
        draw_cells(axes, proportions, Normalize(0, 100), "{:.0f}")
        middles = np.arange(len(agents)) + 0.5
        names = [shortened(agent) for agent in agents]
        axes.set_xticks(middles, names, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_yticks(middles, names)
        axes.set_aspect("equal")
        return as_svg(figure, "before", "How often each agent finishes before each other")
