"""The arena: agents play each other, and the results are measured with their uncertainty."""

from ursuppe_env.extras import extra

with extra("arena"):
    from ursuppe_agents.asking import AgentError
    from ursuppe_lab.arena.lineups import make_lineups
    from ursuppe_lab.arena.play import play_tournament, records_of
    from ursuppe_lab.arena.summary import Summary, summarise
    from ursuppe_lab.arena.tournament import Tournament
    from ursuppe_lab.reports.text import lineup_name

__all__ = [
    "AgentError",
    "Summary",
    "Tournament",
    "lineup_name",
    "make_lineups",
    "play_tournament",
    "records_of",
    "summarise",
]
