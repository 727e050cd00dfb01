"""The weights of a policy as arrays: those of torch, by name, in order."""

import numpy as np
import pytest

from ursuppe_agents.policies.files import read_policy, write_policy
from ursuppe_agents.policies.weights import num_weights, weight_shapes
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.actor_critic import new_policy
from ursuppe_training.provenance import provenance_of

from support.policies import SMALL, random_policy

CONFIGS = {
    "small": SMALL,
    "six players": SMALL.changed({"players": 6}),
    "sees the ruleset": SMALL.changed({"observe_rules": True}),
    "no hidden layers": SMALL.changed({"layers": ()}),
    "three of them": SMALL.changed({"layers": (12, 8, 4), "critic_width": 5}),
    "in teams": SMALL.changed({"teams": "0+2,1+3"}),
    "as a run has them": TrainingConfig(),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_names_shapes_and_order_are_those_of_the_policy_that_learns(config):
    arrays = new_policy(config).weights().arrays
    assert list(weight_shapes(config).items()) == [(name, array.shape) for name, array in arrays.items()]
    assert num_weights(config) == sum(array.size for array in arrays.values())


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_file_has_what_the_policy_has(config, tmp_path):
    weights = random_policy(config).weights()
    write_policy(tmp_path / "policy.zip", weights, config, provenance_of(config))
    saved = read_policy(tmp_path / "policy.zip").weights
    assert (saved.players, saved.observe_rules) == (weights.players, weights.observe_rules)
    assert (saved.players, saved.observe_rules) == (config.players, config.observe_rules)
    if config.teams:
        np.testing.assert_array_equal(saved.team_shares, weights.team_shares)
    else:
        assert saved.team_shares is weights.team_shares is None
    assert list(saved.arrays) == list(weights.arrays)
    for name, array in saved.arrays.items():
        assert array.dtype == weights.arrays[name].dtype == np.float32
        np.testing.assert_array_equal(array, weights.arrays[name].astype(np.float16))


def test_what_is_learned_later_leaves_weights_as_they_were():
    policy = random_policy()
    weights = policy.weights()
    before = {name: array.copy() for name, array in weights.arrays.items()}
    for parameter in policy.parameters():
        parameter.detach().add_(1)
    for name, array in weights.arrays.items():
        np.testing.assert_array_equal(array, before[name])
