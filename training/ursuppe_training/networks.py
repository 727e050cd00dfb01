"""The policy of a training run, by its settings."""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from ursuppe_env.rules.actions import actions_for
from ursuppe_training.config import TrainingConfig
from ursuppe_training.inputs import num_inputs, seat_inputs, situation_inputs
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.outcomes import KINDS
from ursuppe_training.seat_features import NUM_SEAT_FEATURES

#: The most weights of a policy, 20 MB: no file can make a reader build more.
MOST_WEIGHTS = 10_000_000


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


def check_size(config: TrainingConfig) -> None:
    """Refuse layers of too many weights, before anything is built of them.

    Raises:
        ValueError: there would be more than ``MOST_WEIGHTS``.
    """
    if (weights := num_weights(config)) > MOST_WEIGHTS:
        raise ValueError(
            f"layers and critic_width make a network of {weights:,} weights; it must have at most {MOST_WEIGHTS:,}"
        )


def num_weights(config: TrainingConfig) -> int:
    """How many weights and biases actor and critic have together."""
    actor = (num_inputs(config.players, config.observe_rules), *config.layers, len(actions_for(config.players)))
    width = config.critic_width
    situation = sum(part.stop - part.start for part in situation_inputs(config.players, config.observe_rules))
    critic = (NUM_SEAT_FEATURES + 1 + 2 * width + situation + config.players) * width + (width + 1) * len(KINDS)
    return sum((before + 1) * after for before, after in pairwise(actor)) + critic


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
