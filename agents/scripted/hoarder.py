"""Safe from gene defects."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Hoarder(ScriptedAgent):
    """Ray Protection first, BP put by to pay what is owed: so it can own many genes and keep them."""

    strategy = Strategy(
        wishes=("ray_protection", "life_expectancy", "substitution", "movement_1", "movement_2", "escape"),
        colony=4,
        reserve=8,
        debt=2.5,
        ransom=8,
    )
