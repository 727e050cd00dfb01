"""The network of a job, for trainers that know no action masks."""

import torch
from torch import nn

from ursuppe_agents.policies.inputs import num_inputs
from ursuppe_agents.policies.weights import WIN
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.actor_critic import new_policy
from ursuppe_training.networks.seat_critic import predicted_outcomes

_ILLEGAL = -1e8  # a logit; finite, since a peer's entropy would be none with an infinite one


class MaskedNetwork(nn.Module):
    """The actor and the critic of ``ursuppe train``, which read what ``MaskedGames`` show."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        self._size = num_inputs(config.players, config.observe_rules)
        self.policy = new_policy(config).requires_grad_(True)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, A) logits, and (B, 1) values."""
        inputs, masks = seen[:, : self._size], seen[:, self._size :]
        logits = self.policy.action_net(self.policy.latents(inputs)).masked_fill(masks == 0, _ILLEGAL)
        return logits, values(predicted_outcomes(self.policy.scores(inputs)))


def values(outcomes: torch.Tensor) -> torch.Tensor:
    """(B, 1) the reward for who looks, from 1 for a sure win to -1 / (P - 1), of (B, P, 3) outcomes."""
    players = outcomes.shape[1]
    return (outcomes[:, :1, WIN] * players - 1) / (players - 1)


def num_weights(network: nn.Module) -> int:
    """How many numbers it learns."""
    return sum(weights.numel() for weights in network.parameters())
