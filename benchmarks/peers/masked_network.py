"""The network of a job, for trainers that know no action masks."""

import torch
from torch import nn

from ursuppe_env.observation import observation_size
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks import new_policy

_ILLEGAL = -1e8  # a logit; finite, since a peer's entropy would be none with an infinite one


class MaskedNetwork(nn.Module):
    """The layers of the policy of ``ursuppe train``, which read the observations of ``MaskedGames``."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        self._size = observation_size(config.players, config.observe_rules)
        self.policy = new_policy(config).requires_grad_(True)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, A) logits, and (B, 1) values."""
        observations, masks = seen[:, : self._size], seen[:, self._size :]
        latent_policy, latent_value = self.policy.mlp_extractor(self.policy.extract_features(observations))
        logits = self.policy.action_net(latent_policy).masked_fill(masks == 0, _ILLEGAL)
        return logits, self.policy.value_net(latent_value)


def num_weights(network: nn.Module) -> int:
    """How many numbers it learns."""
    return sum(weights.numel() for weights in network.parameters())
