"""One step of looking ahead: the action after which the value function sees the best chance of winning."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.search import compiled
from ursuppe_agents.search.lookahead import Workspace, look_ahead, new_workspace
from ursuppe_agents.search.value import weights_for
from ursuppe_env import Games, counting
from ursuppe_env.rules.flow import advance, apply
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import STOP_AT_CHANCE
from ursuppe_env.rules.state import rules_of
from ursuppe_env.validation import checked_decisions

_ILLEGAL = -1.0  # less than any chance of winning


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
        rows = checked_decisions(rows, games.player)
        return np.argmax(action_values(games, rows, weights_for(games.num_players), self._workspace), axis=1)


def action_values(
    games: Games, rows: NDArray[np.int64], weights: NDArray[np.float64], workspace: Workspace
) -> NDArray[np.float64]:
    """(n, A) the expected chance of winning after each action, for the player who decides; -1 where illegal."""
    values = np.full((len(rows), games.num_actions), _ILLEGAL)
    workspace.decisions[0] = 0
    _value_actions(games.state, rows, games.rules, weights, workspace, values)
    counting.add(int(workspace.decisions[0]))
    return values


@compiled.announced("the agent greedy", seconds=6)
def _value_actions(states, rows, rules_array, weights, workspace, values):
    """Write into ``values`` (n, A) the chance of winning that each legal action gives to the player who takes it."""
    for place in range(len(rows)):
        game = states[rows[place]]
        rules = rules_of(game, rules_array)
        for number in range(game["num_legal"]):
            action = legal_action(game, number)
            workspace.games[0] = game
            workspace.decisions[0] += 1
            apply(workspace.games[0], rules, action)
            advance(workspace.games[0], rules, STOP_AT_CHANCE)
            look_ahead(workspace, rules, weights, game["turn"], game["amoeba"])
            values[place, action] = workspace.values[0, game["player"]]
