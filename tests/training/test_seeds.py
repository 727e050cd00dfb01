"""The book of seeds: no two purposes share dice."""

import numpy as np
import pytest

from ursuppe_agents.policies.provenance import LARGEST_SEED
from ursuppe_env import Games
from ursuppe_training.config import TrainingConfig
from ursuppe_training.seeds import Seed


def test_no_two_purposes_share_dice():
    seeds = [0, *Seed]
    keys = np.concatenate([Games(1000, seed=seed).state["key"] for seed in seeds])
    assert len(np.unique(keys)) == len(keys)


def test_nothing_is_measured_on_dice_that_are_trained_with():
    assert min(Seed) > LARGEST_SEED
    with pytest.raises(ValueError, match="seed is"):
        TrainingConfig(seed=LARGEST_SEED + 1)
