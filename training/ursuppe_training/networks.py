"""The policy and value network of a training run."""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from ursuppe_env.observation import observation_bounds, observation_size
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.board_features import num_features, with_board_features
from ursuppe_training.config import TrainingConfig

#: The most weights of a policy, 40 MB: no file can make a reader build more.
MOST_WEIGHTS = 10_000_000


class BoardView(BaseFeaturesExtractor):
    """An observation, features of the board (``ursuppe_training.board_features``), and layers over all of it.

    Args:
        observation_space: of the game.
        players: P.
        widths: of the layers that policy and value network have in common; none: they begin behind this.
    """

    def __init__(self, observation_space: spaces.Box, players: int, widths: tuple[int, ...]) -> None:
        size = num_inputs(players, observation_space.shape[0])
        super().__init__(observation_space, widths[-1] if widths else size)
        self._players = players
        pairs = zip((size, *widths), widths, strict=False)
        self.layers = nn.Sequential(*(layer for pair in pairs for layer in (nn.Linear(*pair), nn.ReLU())))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(self.inputs(observations))

    def inputs(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, I) what the layers get, from (B, F) observations; no gradient goes through it."""
        inputs = with_board_features(observations.detach().cpu().numpy(), self._players)
        return torch.from_numpy(inputs).to(observations.device)


def new_policy(config: TrainingConfig) -> MaskableActorCriticPolicy:
    """A policy on the CPU that is not to learn, with any weights; nothing is drawn from torch's own generator."""
    low, high = observation_bounds(config.ruleset, config.observe_rules)
    with torch.random.fork_rng(devices=[]):
        policy = MaskableActorCriticPolicy(
            spaces.Box(low, high, dtype=np.float32),
            spaces.Discrete(len(actions_for(config.players))),
            lambda _: config.learning_rate,
            ortho_init=False,
            **network(config),
        )
    policy.set_training_mode(False)
    return policy.requires_grad_(False)


def check_size(config: TrainingConfig) -> None:
    """Refuse layers of too many weights, before anything is built of them.

    Raises:
        ValueError: there would be more than ``MOST_WEIGHTS``.
    """
    if (weights := num_weights(config)) > MOST_WEIGHTS:
        raise ValueError(
            f"shared_layers and layers make a network of {weights:,} weights; it must have at most {MOST_WEIGHTS:,}"
        )


def num_weights(config: TrainingConfig) -> int:
    """How many weights and biases policy and value network have together."""
    size = num_inputs(config.players, observation_size(config.players, config.observe_rules))
    shared = (size, *config.shared_layers)
    policy = (shared[-1], *config.layers, len(actions_for(config.players)))
    value = (shared[-1], *config.layers, 1)
    return sum((before + 1) * after for widths in (shared, policy, value) for before, after in pairwise(widths))


def network(config: TrainingConfig) -> dict[str, Any]:
    """The shape of the policy and value networks, as the policies of sb3-contrib take it."""
    layers = list(config.layers)
    return {
        "net_arch": {"pi": layers, "vf": layers},
        "activation_fn": nn.ReLU,
        "optimizer_kwargs": {"eps": 1e-5, "fused": True},  # all weights in one pass
        "features_extractor_class": BoardView,
        "features_extractor_kwargs": {"players": config.players, "widths": config.shared_layers},
    }


def num_inputs(players: int, observation_size: int) -> int:
    """How many numbers the layers of a ``BoardView`` get, I: of the observation, and the features."""
    return observation_size + num_features(players)
