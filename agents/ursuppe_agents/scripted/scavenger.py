"""Eats what is left."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Scavenger(ScriptedAgent):
    """Collects the genes that make meals possible where others starve: less, other or somebody else's food."""

    strategy = Strategy(
        wishes=("frugality", "parasitism", "substitution", "escape", "intelligence", "division_rate"),
        colony=2,
        reserve=5,
        debt=2.5,
        ransom=3,
    )
