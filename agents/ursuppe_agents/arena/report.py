"""A tournament's summary as one HTML page that needs nothing else."""

from ursuppe_agents.arena.pictures import before_picture, ratings_picture, seats_picture
from ursuppe_agents.arena.summary import Summary
from ursuppe_agents.reports.page import render_page


def html_report(summary: Summary) -> str:
    """The page: ratings, win rates, who finishes before whom, by seat and by table."""
    return render_page(
        "ursuppe_agents.arena",
        "report.html.j2",
        summary=summary,
        tournament=summary.tournament,
        ruleset=summary.tournament.ruleset,
        ratings_picture=ratings_picture(summary),
        before_picture=before_picture(summary),
        seats_picture=seats_picture(summary),
    )
