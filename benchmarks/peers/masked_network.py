"""The network of a job, for trainers that know no action masks."""

import torch
from torch import nn

from ursuppe_training.config import TrainingConfig
from ursuppe_training.inputs import num_inputs
from ursuppe_training.networks import new_policy

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
        latents, outcomes = self.policy.mlp_extractor(inputs)
        logits = self.policy.action_net(latents).masked_fill(masks == 0, _ILLEGAL)
        return logits, self.policy.value_net(outcomes)


def num_weights(network: nn.Module) -> int:
    """How many numbers it learns."""
    return sum(weights.numel() for weights in network.parameters())
