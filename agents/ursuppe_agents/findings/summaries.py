"""What the sections of the ladder read from a tournament."""

from ursuppe_agents.arena import Summary
from ursuppe_agents.statistics import Interval


def alone_rates(summary: Summary) -> dict[tuple[str, str], Interval]:
    """(one, rest): how often the one wins, at tables of one against several of another."""
    return {
        (figures.lineup[0], figures.lineup[-1]): figures.win_rates[figures.lineup[0]] for figures in summary.lineups
    }


def games_of(summary: Summary) -> str:
    """How many games a lineup played."""
    return f"{max(figures.games for figures in summary.lineups):,}"
