"""Safe from gene defects."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Hoarder(ScriptedAgent):
    """Ray Protection first, BP put by to pay what is owed: so it can own many genes and keep them."""

    strategy = Strategy(
        wishes=(
            "ray_protection",
            "movement_1",
            "substitution",
            "movement_2",
            "escape",
            "intelligence",
            "life_expectancy",
        ),
        colony=6,
        reserve=6,
        debt=2.5,
        ransom=8,
        effort=0.35,
    )
