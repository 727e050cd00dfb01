"""One step of looking ahead: the action after which the value function sees the best chance of winning."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.search.kernels import value_actions
from ursuppe_agents.search.lookahead import Workspace, new_workspace
from ursuppe_agents.search.value import weights_for
from ursuppe_env import Games
from ursuppe_env.validation import checked_decisions


class GreedyAgent(Agent):
    """Takes the action with the highest expected value (``ursuppe_agents.search.value``), the first one of equals.

    Dice that the action leads to are enumerated, and what is under way is played to its end in thought
    (``ursuppe_agents.search.lookahead``).
    """

    deterministic = True

    def __init__(self, generator: np.random.Generator) -> None:
        super().__init__(generator)
        self._workspace = new_workspace()

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games."""
        rows = checked_decisions(rows, games.player)
        return np.argmax(action_values(games, rows, weights_for(games.num_players), self._workspace), axis=1)


def action_values(
    games: Games, rows: NDArray[np.int64], weights: NDArray[np.float64], workspace: Workspace
) -> NDArray[np.float64]:
    """(n, A) the expected chance of winning after each action, for the player who decides; -1 where illegal."""
    values = np.empty((len(rows), games.num_actions))
    value_actions(games.state, rows, games.rules, weights, workspace, values)
    return values
