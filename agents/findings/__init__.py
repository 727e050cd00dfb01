"""The findings about the balance of the game: ``python -m ursuppe_agents.findings`` writes ``docs/balance.md``."""
