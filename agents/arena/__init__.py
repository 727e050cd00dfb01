"""The arena: agents play each other, and what comes out is measured honestly."""

from ursuppe_env.extras import extra

with extra("arena"):
    from ursuppe_agents.arena.arena import play_tournament
    from ursuppe_agents.arena.sitting import AgentError
    from ursuppe_agents.arena.summary import Summary, summarise
    from ursuppe_agents.arena.tables import make_tables, table_name
    from ursuppe_agents.arena.tournament import Tournament

__all__ = ["AgentError", "Summary", "Tournament", "make_tables", "play_tournament", "summarise", "table_name"]
