"""Past states of the policy as opponents."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.draws import drawn_actions
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games
from ursuppe_training.networks.board import BoardPolicy


class Snapshots:
    """Copies of a policy, which act in the games that each of them has, one after the other.

    Args:
        policy: of which they are copies; there are none yet.
    """

    def __init__(self, policy: BoardPolicy) -> None:
        self._policy = policy
        self._policies: list[BoardPolicy] = []  # the oldest first

    def __len__(self) -> int:
        return len(self._policies)

    def state_dicts(self) -> list[dict[str, Any]]:
        """The weights of each."""
        return [policy.state_dict() for policy in self._policies]

    def load_state_dicts(self, snapshots: Sequence[dict[str, Any]]) -> None:
        """Replace all of them by ones with these weights, which are copied."""
        self._policies = [copy.deepcopy(self._policy).cpu() for _ in snapshots]
        for policy, weights in zip(self._policies, snapshots, strict=True):
            policy.load_state_dict(weights)
        self._networks = [BoardNetwork(policy.weights()) for policy in self._policies]

    def act(
        self, games: Games, rows: NDArray[np.int64], which: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.int64]:
        """The actions, (n,), of the snapshots of these numbers, (n,), in these rows, (n,), of the games."""
        uniforms = generator.random(len(rows))
        actions = np.empty(len(rows), np.int64)
        for number in np.unique(which):
            asked = np.flatnonzero(which == number)
            probabilities = self._networks[number].action_probabilities(games, rows[asked])
            actions[asked] = drawn_actions(probabilities, uniforms[asked])
        return actions
