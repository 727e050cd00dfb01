"""The agent that every other one must beat."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_env import Games
from ursuppe_env.validation import checked_decisions


class RandomAgent(Agent):
    """Takes uniformly random legal actions."""

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        masks = games.copy(rows).legal()
        legal = np.nonzero(masks)[1]  # of all rows, one after the other
        counts = np.count_nonzero(masks, axis=1)
        return legal[np.cumsum(counts) - counts + self.generator.integers(counts)]
