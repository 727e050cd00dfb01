"""Past states of the policy as opponents."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.inputs import InputsView
from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.actor_critic import ActorCritic, draw_actions, new_policy
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.policy import Policy

with extra("train"):
    import torch
    from torch import nn
    from torch.func import stack_module_state


class Snapshots(ABC):
    """Copies of a policy, which act in the games that each of them has.

    Attributes:
        policies: on the processor, the oldest first; not to be changed.
    """

    def __init__(self) -> None:
        self.policies: list[Any] = []

    def __len__(self) -> int:
        return len(self.policies)

    def state_dicts(self) -> list[dict[str, Any]]:
        """The weights of each."""
        return [policy.state_dict() for policy in self.policies]

    @abstractmethod
    def load_state_dicts(self, snapshots: Sequence[dict[str, Any]]) -> None:
        """Replace all of them by ones with these weights, which are copied."""

    @abstractmethod
    def act(
        self, games: Games, rows: NDArray[np.int64], which: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.int64]:
        """The actions, (n,), of the snapshots of these numbers, (n,), in these rows, (n,), of the games."""


def snapshots_of(config: TrainingConfig, policy: Policy) -> Snapshots:
    """Room for copies of a policy of a run with these settings; there are none yet."""
    if isinstance(policy, BoardPolicy):
        return BoardSnapshots(policy)
    assert isinstance(policy, ActorCritic)
    return DenseSnapshots(config, policy)


class BoardSnapshots(Snapshots):
    """Those of a policy that sees the board: one is asked after the other.

    Args:
        policy: of which they are copies.
    """

    def __init__(self, policy: BoardPolicy) -> None:
        super().__init__()
        self._policy = policy

    def load_state_dicts(self, snapshots: Sequence[dict[str, Any]]) -> None:
        """See ``Snapshots``, as for ``act``."""
        self.policies = [copy.deepcopy(self._policy).cpu() for _ in snapshots]
        for policy, weights in zip(self.policies, snapshots, strict=True):
            policy.load_state_dict(weights)
        weights_of_all = [policy.weights() for policy in self.policies]
        self._networks = [BoardNetwork(weights.arrays, weights.teams) for weights in weights_of_all]

    def act(
        self, games: Games, rows: NDArray[np.int64], which: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.int64]:
        uniforms = generator.random((len(rows), 1))
        actions = np.empty(len(rows), np.int64)
        for number in np.unique(which):
            asked = np.flatnonzero(which == number)
            reached = self._networks[number].action_probabilities(games.copy(rows[asked])).cumsum(axis=1)
            actions[asked] = (reached > uniforms[asked] * reached[:, -1:]).argmax(axis=1)
        return actions


class DenseSnapshots(Snapshots):
    """Those of a dense policy: all of them are asked in one pass.

    Args:
        config: of their shape.
        policy: of which they are copies; its device and precision are theirs, too.
    """

    def __init__(self, config: TrainingConfig, policy: ActorCritic) -> None:
        super().__init__()
        self._config = config
        self._policy = policy
        self._view = InputsView(config.observe_rules)

    def load_state_dicts(self, snapshots: Sequence[dict[str, Any]]) -> None:
        """See ``Snapshots``, as for ``act``."""
        self.policies = [new_policy(self._config) for _ in snapshots]
        for policy, weights in zip(self.policies, snapshots, strict=True):
            policy.load_state_dict(weights)
        self._last_layers = [policy.action_net for policy in self.policies]
        actors = [policy.actor for policy in self.policies]
        self._hidden = stacked(actors, self._policy.device, self._policy.precision) if actors else []

    def act(
        self, games: Games, rows: NDArray[np.int64], which: NDArray[np.int64], generator: np.random.Generator
    ) -> NDArray[np.int64]:
        order = np.argsort(which, kind="stable")
        asked = games.copy(rows[order])
        inputs, masks = torch.from_numpy(self._view.of(asked)), asked.legal().view(np.bool_)
        counts = np.bincount(which, minlength=len(self))
        starts = np.cumsum(counts) - counts
        latents = self._latents(inputs, which[order], np.arange(len(rows)) - starts[which[order]])
        uniforms = generator.random(len(rows), np.float32)
        actions = np.empty(len(rows), np.int64)
        for layer, start, count in zip(self._last_layers, starts, counts, strict=True):
            mine = slice(start, start + count)
            actions[order[mine]], _ = draw_actions(layer, latents[mine], masks[mine], uniforms[mine])
        return actions

    def _latents(self, inputs: torch.Tensor, which: NDArray[np.int64], place: NDArray[np.int64]) -> torch.Tensor:
        """(n, L) what the last hidden layers make of (n, I) inputs.

        Args:
            inputs: sorted by snapshot.
            which: (n,) the number of the snapshot.
            place: (n,) the number of the input among those of its snapshot.
        """
        at = torch.from_numpy(which), torch.from_numpy(place)
        padded = inputs.new_zeros((len(self), int(place.max()) + 1, inputs.shape[1]))
        padded[at] = inputs
        latents = padded.to(self._policy.device, self._policy.precision)
        with torch.inference_mode():
            for weights, biases in self._hidden:
                latents = torch.baddbmm(biases, latents, weights).relu_()
            return latents.cpu()[at].float()


def stacked(
    networks: Sequence[nn.Sequential], device: torch.device, precision: torch.dtype
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Weights, (S, inputs, outputs), and biases, (S, 1, outputs), of each linear layer of networks of one shape."""
    stacked, _ = stack_module_state(list(networks))
    tensors = [tensor.detach().to(device, precision) for tensor in stacked.values()]
    return [
        (weights.transpose(1, 2), biases[:, None]) for weights, biases in zip(tensors[::2], tensors[1::2], strict=True)
    ]
