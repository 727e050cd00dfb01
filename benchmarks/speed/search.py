"""The search."""

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_env import Games


class TreeSearch:
    """Time of 1,000 simulations on one thread, for a decision in the middle of a game."""

    number = 1
    repeat = (3, 20, 2.0)
    rounds = 3

    def setup(self) -> None:
        """A position, and a player that has searched nothing yet."""
        self.games = Games(1, seed=1)
        self.games.play_random(150)
        self.agent = make_agent("search:sims=1000,threads=1", seed=0)

    def time_1000_simulations(self) -> None:
        """A decision."""
        self.agent.act(self.games, np.zeros(1, np.int64))
