"""The policy of a training run, by its settings."""

from typing import Any

import numpy as np
from gymnasium import spaces

from ursuppe_env.extras import extra
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.config import TrainingConfig
from ursuppe_training.inputs import num_inputs, seat_inputs, situation_inputs
from ursuppe_training.masked_policy import MaskedCategoricalPolicy

with extra("train"):
    import torch


def new_policy(config: TrainingConfig) -> MaskedCategoricalPolicy:
    """A policy on the CPU that is not to learn, with any weights; nothing is drawn from torch's own generator."""
    size = num_inputs(config.players, config.observe_rules)
    with torch.random.fork_rng(devices=[]):
        policy = MaskedCategoricalPolicy(
            spaces.Box(-np.inf, np.inf, (size,), np.float32),
            spaces.Discrete(len(actions_for(config.players))),
            lambda _: config.learning_rate,
            ortho_init=False,
            **network(config),
        )
    policy.set_training_mode(False)
    return policy.requires_grad_(False)


def network(config: TrainingConfig) -> dict[str, Any]:
    """The shape of actor and critic, as ``MaskedCategoricalPolicy`` takes it."""
    return {
        "layers": config.layers,
        "players": config.players,
        "seats": seat_inputs(config.players),
        "situation": situation_inputs(config.players, config.observe_rules),
        "critic_width": config.critic_width,
        "teams": config.partition,
    }
