"""The search."""

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_env import Games


class Search:
    """Time of a search of 64 decisions in the middle of games on one thread, up to 16 play-outs each."""

    number = 1
    repeat = (3, 20, 2.0)
    rounds = 3

    def setup(self) -> None:
        """Positions, and a player that has searched nothing yet."""
        self.games = Games(64, seed=1)
        self.games.play_random(150)
        self.agent = make_agent("search:sims=16", seed=0)

    def time_64_decisions(self) -> None:
        """One decision of each game."""
        self.agent.act(self.games, np.arange(64))
