"""Amoebas, and nothing but amoebas."""

from ursuppe_agents.scripted.agent import ScriptedAgent
from ursuppe_agents.scripted.strategy import Strategy


class Grow(ScriptedAgent):
    """Divides as often as it can and never buys a gene: the measure of what genes are worth."""

    strategy = Strategy()
