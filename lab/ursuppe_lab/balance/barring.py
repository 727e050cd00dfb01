"""An agent that may not have a gene."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.positions.state_checks import fill_legal_actions
from ursuppe_env.rules.actions import PASS
from ursuppe_env.rules.nodes import Decision

NO_GENE = -1


class Barred(Agent):
    """Plays as another agent does, to whom the last card of a gene seems to be sold, in some games and seats.

    So it chooses what it would choose if it could not buy that gene; where nothing else is left, it passes. For all
    others the gene is there as before.

    Args:
        agent: that chooses.
        player: (N,) who may not have the gene in each game.
        gene: (N,) which one; -1: they may have all.
    """

    def __init__(self, agent: Agent, player: NDArray[np.int64], gene: NDArray[np.int64]) -> None:
        super().__init__(agent.generator)
        self._agent = agent
        self._player = player
        self._gene = gene

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        state = games.state
        is_barred = (self._gene[rows] != NO_GENE) & (state["player"][rows] == self._player[rows])
        is_barred &= state["node"][rows] == Decision.BUY
        if not is_barred.any():
            return self._agent.act(games, rows)
        sold = state[rows]
        for row in np.flatnonzero(is_barred):
            sold["supply"][row, self._gene[rows[row]]] = 0
            fill_legal_actions(sold[row], games.ruleset_of(rows[row]))
        seen = trusted_games(sold, games.rulesets, threads=1)
        asked = np.flatnonzero(sold["num_legal"] > 1)
        actions = np.full(len(rows), PASS, np.int64)
        if len(asked):
            actions[asked] = self._agent.act(seen, asked)
        return actions
