"""Policies for tests: untrained ones are as good as any where strength does not matter, and there at once."""

from pathlib import Path

import pytest
import torch

from ursuppe_agents.policies import shipped as default_policies
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.actor_critic import ActorCritic, new_policy
from ursuppe_training.networks.files import save_policy

SMALL = TrainingConfig(layers=(16, 8), critic_width=8)


def random_policy(config: TrainingConfig = SMALL, seed: int = 0) -> ActorCritic:
    """A policy with random weights, so large that its actions are of all degrees of likelihood."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        policy = new_policy(config)
    policy.action_net.weight *= 10
    for weights in policy.parameters():
        weights.copy_(weights.half())  # as a file has them
    return policy


def ship(names: str, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, ActorCritic]:
    """Let untrained policies come with the package, and no others.

    Args:
        names: such as ``3 4 duel``.
        folder: for their files.
        patch: that ends it.
    """
    shipped = {}
    for number, name in enumerate(names.split()):
        config = SMALL.changed({"players": 4 if name == default_policies.DUEL else int(name)})
        shipped[name] = random_policy(config, seed=number)
        save_policy(shipped[name], config, folder / f"{name}.zip")
    patch.setattr(default_policies, "FOLDER", folder)
    return shipped
