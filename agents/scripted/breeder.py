"""Many amoebas, cheaply."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Breeder(ScriptedAgent):
    """Divides at a lower price and into any space; a dead amoeba is soon replaced."""

    strategy = Strategy(
        wishes=("division_rate", "spores", "life_expectancy", "movement_1", "escape"),
        colony=3,
        reserve=4,
        debt=1.0,
        ransom=3,
    )
