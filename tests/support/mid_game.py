"""Games that are under way."""

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset


def mid_game(num_games: int = 6, seed: int = 4, **ruleset: object) -> Games:
    """Games in their second or third round, in which greedy players act."""
    games = Games(num_games, Ruleset(**ruleset), seed=seed)
    greedy = make_agent("greedy", 0)
    for _ in range(90):
        games.step(greedy.act(games, np.arange(num_games)))
    assert not games.finished.any()
    return games
