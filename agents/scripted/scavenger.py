"""Eats what is left."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Scavenger(ScriptedAgent):
    """Collects the genes that make meals possible where others starve: less, other or somebody else's food."""

    strategy = Strategy(
        wishes=("frugality", "parasitism", "substitution", "life_expectancy", "escape", "intelligence"),
        colony=3,
        reserve=6,
        debt=1.0,
        ransom=3,
    )
