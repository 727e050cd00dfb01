"""Policies for tests: untrained ones are as good as any where strength does not matter, and there at once."""

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks import new_policy

SMALL = TrainingConfig(shared_layers=(16,), layers=(8,))


def random_policy(config: TrainingConfig = SMALL, seed: int = 0) -> MaskableActorCriticPolicy:
    """A policy with random weights, so large that its actions are of all degrees of likelihood."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        policy = new_policy(config)
    policy.action_net.weight *= 10
    return policy
