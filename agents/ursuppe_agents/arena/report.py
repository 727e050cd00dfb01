"""A tournament's summary as one HTML page that needs nothing else."""

from ursuppe_agents.arena.plots import before_plot, ratings_plot, seats_plot
from ursuppe_agents.arena.summary import Summary
from ursuppe_agents.reports.page import render_page


def html_report(summary: Summary) -> str:
    """The page: ratings, win rates, who finishes before whom, by seat and by lineup."""
    return render_page(
        "ursuppe_agents.arena",
        "report.html.j2",
        summary=summary,
        tournament=summary.tournament,
        ruleset=summary.tournament.ruleset,
        ratings_plot=ratings_plot(summary),
        before_plot=before_plot(summary),
        seats_plot=seats_plot(summary),
    )
