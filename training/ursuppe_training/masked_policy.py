"""The policy that learns: that of sb3-contrib, with tensors of logits in place of its distribution objects.

The distributions check and normalise their parameters three times for each use; without them a rollout takes two thirds
of the time. Probabilities, entropies and values are the same (a test compares them).
"""

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn


def hidden_layers(policy: MaskableActorCriticPolicy) -> tuple[nn.Sequential, nn.Sequential, nn.Sequential]:
    """Those that actor and critic of a policy with a ``BoardView`` share, and those of each behind them."""
    extractor: Any = policy.features_extractor
    return extractor.layers, policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net


class MaskedCategoricalPolicy(MaskableActorCriticPolicy):
    """``MaskableActorCriticPolicy`` for a flat observation and discrete actions, always called with masks.

    Attributes:
        precision: in which the products of the hidden layers are computed, float32 or bfloat16; weights are float32.
    """

    precision: torch.dtype = torch.float32

    def latents(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, L) float32 twice: what the last hidden layers of actor and critic make of (n, I) inputs."""
        is_reduced = self.precision != torch.float32
        shared, actor, critic = hidden_layers(self)
        with torch.autocast(inputs.device.type, self.precision, enabled=is_reduced):
            features = shared(inputs)
            return actor(features).float(), critic(features).float()

    def hidden_parameters(self) -> list[nn.Parameter]:
        """The weights of all layers but the last ones."""
        return [parameter for layers in hidden_layers(self) for parameter in layers.parameters()]

    def forward(  # type: ignore[override]
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n,), values (n, 1) and log-probabilities (n,) of the actions; see the base class."""
        log_probs, values = self._log_probs_and_values(obs, action_masks)
        if deterministic:
            actions = log_probs.argmax(dim=1)
        else:  # the first of exponential arrivals at these rates is drawn with these probabilities
            actions = (log_probs.exp() / torch.empty_like(log_probs).exponential_()).argmax(dim=1)
        return actions, values, log_probs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values (n, 1), log-probabilities (n,) of these actions and entropies (n,); see the base class."""
        log_probs, values = self._log_probs_and_values(obs, action_masks)
        entropies = -(log_probs.exp() * log_probs.clamp_min(torch.finfo(log_probs.dtype).min)).sum(dim=1)
        return values, log_probs.gather(1, actions[:, None])[:, 0], entropies

    def _log_probs_and_values(
        self, obs: torch.Tensor, action_masks: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, A) log-probabilities, -inf where an action is illegal, and (n, 1) values."""
        features = self.extract_features(obs)
        assert isinstance(features, torch.Tensor)  # policy and critic share them
        latent_policy, latent_value = self.mlp_extractor(features)
        logits = self.action_net(latent_policy)
        if action_masks is not None:
            is_legal = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device)
            logits = torch.where(is_legal, logits, -torch.inf)
        return logits.log_softmax(dim=1), self.value_net(latent_value)
