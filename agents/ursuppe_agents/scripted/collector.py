"""Genes for their points."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Collector(ScriptedAgent):
    """Works its way up to the advanced genes, which count twice, and takes Ray Protection to be able to keep them."""

    strategy = Strategy(
        wishes=(
            "movement_2",
            "endurance",
            "aggression",
            "intelligence",
            "movement_1",
            "speed",
            "struggle_for_survival",
            "ray_protection",
        ),
        colony=1,
        reserve=5,
        debt=1.5,
        ransom=5,
        effort=0.45,
    )
