"""Lives on the others."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Hunter(ScriptedAgent):
    """Buys Struggle for Survival first: whoever is hungry and not alone eats his neighbour."""

    strategy = Strategy(
        wishes=("struggle_for_survival", "escape", "movement_1", "aggression", "frugality", "intelligence"),
        colony=4,
        reserve=6,
        debt=1.0,
        ransom=3,
        hunt=1.25,
    )
