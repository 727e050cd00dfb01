"""Goes where the food is."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Wanderer(ScriptedAgent):
    """Buys everything that makes amoebas faster, cheaper to move and surer of their direction."""

    strategy = Strategy(
        wishes=("movement_1", "movement_2", "streamlining", "speed", "tentacle", "endurance"),
        colony=3,
        reserve=6,
        debt=2.0,
        ransom=5,
        effort=0.1,
    )
