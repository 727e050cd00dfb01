"""A tournament's summary as one HTML page that needs nothing else."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from ursuppe_agents.arena.pictures import before_picture, ratings_picture, seats_picture
from ursuppe_agents.arena.summary import Summary
from ursuppe_agents.arena.tables import table_name


def html_report(summary: Summary) -> str:
    """The page: ratings, win rates, who finishes before whom, by seat and by table."""
    environment = Environment(
        loader=PackageLoader("ursuppe_agents.arena", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["table_name"] = table_name
    return environment.get_template("report.html.j2").render(
        summary=summary,
        tournament=summary.tournament,
        ruleset=summary.tournament.ruleset,
        ratings_picture=ratings_picture(summary),
        before_picture=before_picture(summary),
        seats_picture=seats_picture(summary),
    )
