"""Many amoebas, cheaply."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Breeder(ScriptedAgent):
    """Divides at a lower price and into any space; a dead amoeba is soon replaced."""

    strategy = Strategy(
        wishes=("division_rate", "life_expectancy", "movement_1", "escape", "spores", "intelligence"),
        colony=2,
        reserve=2,
        debt=3.0,
        ransom=7,
        effort=0.65,
    )
