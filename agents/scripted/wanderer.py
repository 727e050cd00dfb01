"""Goes where the food is."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Wanderer(ScriptedAgent):
    """Buys everything that makes amoebas faster, cheaper to move and surer of their direction."""

    strategy = Strategy(
        wishes=("movement_1", "streamlining", "movement_2", "speed", "tentacle"),
        colony=3,
        reserve=4,
        debt=1.0,
        ransom=3,
    )
