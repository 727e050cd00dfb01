"""The output of a network that sees the board: probabilities of actions, and each player's chance of winning."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.forward import Layers, forward, lanes_of, new_activations, write_probabilities
from ursuppe_agents.policies.board.inputs import BoardInputs, board_inputs
from ursuppe_agents.policies.board.weights import Weights, weight_shapes, widths_of
from ursuppe_agents.policies.inputs import MOST_BATCHES, TheVeryRulesets, standardised_rules
from ursuppe_agents.policies.weights import KINDS, WIN, team_shares
from ursuppe_env import Games
from ursuppe_env.teams import Teams

_AT_ONCE = 64  # positions whose inputs stay in the processor's cache


class BoardNetwork:
    """A network, for inference only; it plays among 3 to 6 players.

    Args:
        weights: of its layers.
        teams: who plays together; None: each seat for itself.
    """

    def __init__(self, weights: Weights, teams: Teams | None = None) -> None:
        self._widths = widths_of(weights)
        self._weights = {name: np.ascontiguousarray(weights[name], np.float32) for name in weight_shapes(self._widths)}
        self._lanes = lanes_of(self._widths)
        self._teams = teams
        self._layers = lru_cache(MOST_BATCHES)(self._layers_for)

    def action_probabilities(self, games: Games) -> NDArray[np.float64]:
        """How likely each action is, (N, A); 0 where it is illegal. In each game a player is about to act."""
        return self._evaluate(games, critic=False)[0]

    def probabilities_and_chances(self, games: Games) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same, and each player's chance of winning by the critic, (N, P), in sum 1."""
        return self._evaluate(games, critic=True)

    def outputs(
        self, games: Games, critic: bool = True
    ) -> tuple[BoardInputs, NDArray[np.float32], NDArray[np.float32]]:
        """The inputs of N games, the (M,) logits of all their legal actions, and (N, P, 3) scores of the critic.

        The scores are of the seats from the one on that decides, and those of all seats of a team are equal; without
        the critic they are 0.
        """
        inputs = board_inputs(games, self._teams)
        players = games.num_players
        logits = np.empty(len(inputs.actions), np.float32)
        scores = np.zeros((len(games), players, len(KINDS)), np.float32)
        layers = self._layers(TheVeryRulesets(games.rulesets))
        forward(inputs, layers, new_activations(self._widths), self._lanes, critic, logits, scores)
        if self._teams is not None:
            seats = (inputs.player[:, np.newaxis] + np.arange(players)) % players
            scores = team_shares(self._teams)[seats[:, :, np.newaxis], seats[:, np.newaxis]] @ scores
        return inputs, logits, scores

    def _evaluate(self, games: Games, critic: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        players = games.num_players
        probabilities, chances = np.zeros((len(games), games.num_actions)), np.zeros((len(games), players))
        for start in range(0, len(games), _AT_ONCE):
            part = games if len(games) <= _AT_ONCE else games.copy(slice(start, start + _AT_ONCE))
            inputs, logits, scores = self.outputs(part, critic)
            rows = slice(start, start + len(part))
            write_probabilities(inputs.first, inputs.actions, logits, probabilities[rows])
            if critic:
                chances[rows] = _by_player(_softmax(scores[:, :, WIN].astype(np.float64)), inputs.player)
        return probabilities, chances

    def _layers_for(self, batch: TheVeryRulesets) -> Layers:
        arrays = {name: np.atleast_2d(array) for name, array in self._weights.items()}
        arrays["amoeba"] = np.concatenate([arrays["amoeba"], arrays.pop("amoeba_space")])
        arrays["rules"] = standardised_rules(batch.rulesets) @ arrays["rules"] + arrays["context_bias"]
        return Layers(**arrays)


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return likely / likely.sum(axis=1, keepdims=True)


def _by_player(values: NDArray[np.float64], first: NDArray[np.int64]) -> NDArray[np.float64]:
    """(n, P) values of players 0, 1, ..., from those of the seats that follow player ``first``, (n,)."""
    players = values.shape[1]
    seats = (np.arange(players) - first[:, np.newaxis]) % players
    return np.take_along_axis(values, seats, axis=1)
