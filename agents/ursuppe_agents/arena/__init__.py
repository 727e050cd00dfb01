"""The arena: agents play each other, and what comes out is measured honestly."""

from ursuppe_env.extras import extra

with extra("arena"):
    from ursuppe_agents.arena.arena import play_tournament
    from ursuppe_agents.arena.sitting import AgentError
    from ursuppe_agents.arena.summary import Summary, summarise
    from ursuppe_agents.arena.tables import make_tables
    from ursuppe_agents.arena.tournament import Tournament
    from ursuppe_agents.reports.figures import table_name

__all__ = ["AgentError", "Summary", "Tournament", "make_tables", "play_tournament", "summarise", "table_name"]
