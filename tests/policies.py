"""Untrained policies for tests: as good as any where strength does not matter, and there at once."""

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env.observation import observation_bounds
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks import network

SMALL = TrainingConfig(shared_layers=(16,), layers=(8,))


def new_policy(config: TrainingConfig = SMALL, seed: int = 0) -> MaskableActorCriticPolicy:
    """A policy with random weights, larger than usual, so that its actions are of all kinds of likelihood."""
    low, high = observation_bounds(config.ruleset)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        policy = MaskableActorCriticPolicy(
            spaces.Box(low, high, dtype=np.float32),
            spaces.Discrete(len(actions_for(config.players))),
            lambda _: config.learning_rate,
            ortho_init=False,
            **network(config),
        )
    with torch.no_grad():
        policy.action_net.weight *= 10
    return policy
