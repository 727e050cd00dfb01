"""Goes where the food is."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Wanderer(ScriptedAgent):
    """Buys everything that makes amoebas faster, cheaper to move and surer of their direction."""

    strategy = Strategy(
        wishes=("endurance", "movement_1", "streamlining", "speed", "tentacle", "escape"),
        colony=3,
        reserve=6,
        debt=3.0,
        ransom=5,
        effort=0.1,
    )
