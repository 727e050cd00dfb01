"""A tournament's summary as one HTML page that needs nothing else."""

from collections.abc import Mapping

from ursuppe_agents.evaluator import Origin
from ursuppe_lab.arena.cycles import in_words
from ursuppe_lab.arena.plots import MOST_OFF, before_plot, fit_plot, ratings_plot, seats_plot
from ursuppe_lab.arena.summary import Summary
from ursuppe_lab.reports.page import render_page


def html_report(summary: Summary, origins: Mapping[str, Origin] | None = None) -> str:
    """The page: ratings and whether they fit, who finishes before whom, win rates by seat and by lineup.

    Args:
        summary: of the tournament.
        origins: of the policies among its agents, by name.
    """
    return render_page(
        "ursuppe_lab.arena",
        "report.html.j2",
        origins,
        summary=summary,
        tournament=summary.tournament,
        ruleset=summary.tournament.ruleset,
        ratings_plot=ratings_plot(summary),
        fit_plot="" if summary.fit is None else fit_plot(summary.fit),
        off=[] if summary.fit is None else summary.fit.off[:MOST_OFF],
        cycles=[in_words(cycle) for cycle in summary.cycles],
        before_plot=before_plot(summary),
        seats_plot=seats_plot(summary),
    )
