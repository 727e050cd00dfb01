"""Policies for tests: untrained ones are as good as any where strength does not matter, and there at once."""

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies import shipped as default_policies
from ursuppe_agents.policies.board.weights import Widths
from ursuppe_env import Games, Ruleset
from ursuppe_env.teams import Teams
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.files import save_policy

SMALL = TrainingConfig()
NARROW = Widths(token=16, context=16, action=16, score=16, outcome=16)


def random_policy(config: TrainingConfig = SMALL, seed: int = 0) -> BoardPolicy:
    """A policy with random weights, so large that its actions are of all degrees of likelihood."""
    generator = torch.Generator().manual_seed(seed)
    policy = BoardPolicy(NARROW, (config.players,), config.partition, generator)
    for name in ("logit", "outcome", "rules"):
        policy.layers[name].data.normal_(generator=generator)
    for weights in policy.parameters():
        weights.data.copy_(weights.half())  # as a file has them
    return policy


def ship(names: str, folder: Path, patch: pytest.MonkeyPatch) -> dict[str, BoardPolicy]:
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


def announced(spec: str, ruleset: Ruleset | list[Ruleset] | None = None, teams: Teams | None = None) -> list[str]:
    """What an agent says of where it was trained when it plays such games, twice."""
    agent = make_agent(spec, 0)
    agent.teams = teams
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            agent(Games(2, ruleset), np.arange(2))
    assert all(one.category is TrainedElsewhereWarning for one in caught)
    return [str(one.message) for one in caught]


class Trap:
    """Makes the folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.folder),)
