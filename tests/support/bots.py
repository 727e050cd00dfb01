"""Games with agents in other processes."""

import numpy as np

from ursuppe_agents import Agent
from ursuppe_env import Games, Ruleset

#: A game that is over soon.
SHORT = Ruleset(players=3, end_zone=12)


def play_out(agent: Agent, games: Games) -> Games:
    """Let the agent play all seats to the end, and hear of it."""
    while (rows := np.flatnonzero(~games.finished)).size > 0:
        games.step(agent.act(games, rows), rows)
    agent.games_over(games, np.arange(len(games)))
    return games
