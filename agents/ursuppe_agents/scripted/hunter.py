"""Lives on the others."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Hunter(ScriptedAgent):
    """Buys Struggle for Survival first: amoebas that are hungry and not alone eat a neighbour."""

    strategy = Strategy(
        wishes=("struggle_for_survival", "movement_1", "speed", "escape", "aggression", "frugality", "intelligence"),
        colony=5,
        reserve=7,
        debt=1.0,
        ransom=5,
        effort=0.3,
    )
