"""The agent that plays a strategy."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.scripted.strategy import Strategy
from ursuppe_agents.scripted.tactics.decide import decide
from ursuppe_env import Games
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.validation import checked_decisions


class ScriptedAgent(Agent):
    """Plays a strategy with the tactics that all scripted agents share; a subclass has the ``strategy``."""

    deterministic = True
    strategy: ClassVar[Strategy]

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        actions = np.empty(len(rows), np.int64)
        soup = np.empty((2, NUM_SPACES))
        decide(games.state, games.rules, self.strategy.record, rows, soup, actions)
        return actions
