"""What the sections of the ladder read from a tournament."""

from ursuppe_lab.arena import Summary
from ursuppe_lab.arena.summary import AgentFigures
from ursuppe_lab.reports.text import percent, value
from ursuppe_lab.statistics import Interval

#: The headings of ``standing``.
STANDING = ("agent", "rating", "wins", "rank", "margin")


def alone_rates(summary: Summary) -> dict[tuple[str, str], Interval]:
    """(one, rest): how often the one wins, at tables of one against several of another."""
    return {
        (figures.lineup[0], figures.lineup[-1]): figures.win_rates[figures.lineup[0]] for figures in summary.lineups
    }


def standing(figures: AgentFigures) -> list[str]:
    """How an agent does at mixed tables: the cells of a row."""
    return [
        f"`{figures.agent}`",
        value(figures.rating, "+.0f"),
        percent(figures.win_rate),
        f"{figures.rank.estimate:.2f}",
        f"{figures.margin.estimate:+.1f}",
    ]


def games_of(summary: Summary) -> str:
    """How many games a lineup played."""
    return f"{max(figures.games for figures in summary.lineups):,}"
