"""Environments that show the rules, and whose observations are of other dtypes."""

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test

from ursuppe_env import Ruleset, UrsuppeVector, ursuppe_v0
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.envs.single_seat import UrsuppeVectorEnv
from ursuppe_env.observation import observation_layout, observation_size

RULESETS = [Ruleset(end_zone=30), Ruleset(end_zone=60, own_clinging=True)]
SHOWN = {"observe_rules": True, "dtype": np.float16}
END_ZONE = observation_layout(4, rules=True)["rules_end_zone"]
SIZE = observation_size(4, rules=True)


def end_zones(observations: np.ndarray) -> list[int]:
    return np.round(observations[:, END_ZONE].astype(float)[:, 0] * 42).astype(int).tolist()


def test_every_seat_in_arrays():
    env = UrsuppeVector(8, RULESETS, **SHOWN)
    now = env.reset(seed=1)
    assert env.observation_size == SIZE
    assert (now.observations.shape, now.observations.dtype) == ((8, SIZE), np.float16)
    assert end_zones(now.observations) == [env.games.ruleset_of(row).end_zone for row in range(8)]
    np.testing.assert_array_equal(now.action_mask, env.games.legal())
    low, high = env.observation_bounds()
    for _ in range(40):
        now = env.step(now.action_mask.argmax(axis=1))
        assert ((now.observations >= low) & (now.observations <= high)).all()
    for buffer in (now.observations, now.action_mask):
        assert buffer.__array_interface__["data"][0] % 64 == 0


def test_one_learner():
    env = gymnasium.make("ursuppe_env/Ursuppe-v0", ruleset=RULESETS, **SHOWN)
    observation, info = env.reset(seed=1)
    assert env.observation_space.dtype == np.float16
    for _ in range(30):
        assert env.observation_space.contains(observation)
        assert end_zones(observation[np.newaxis]) == [info["ruleset"].end_zone]
        observation, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        if terminated:
            break


def test_one_learner_in_many_games():
    rows = UrsuppeVectorEnv(4, ruleset=RULESETS, observe_rules=True, dtype="uint8")
    observations, infos = rows.reset(seed=1)
    assert observations.dtype == np.uint8
    zones = observations[:, END_ZONE][:, 0].tolist()  # as they are
    assert zones == [rows.rulesets[number].end_zone for number in infos["ruleset_index"]]
    assert rows.observation_space.contains(observations)
    trained = UrsuppeVecEnv(4, RULESETS, seed=1, **SHOWN)
    assert end_zones(trained.reset()) == [trained.games.ruleset_of(row).end_zone for row in range(4)]
    assert trained.observation_space.dtype == np.float16


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
def test_aec(dtype: type):
    env = ursuppe_v0.env(ruleset=lambda generator: RULESETS[generator.integers(2)], observe_rules=True, dtype=dtype)
    api_test(env, num_cycles=30)
    env.reset(seed=3)
    for agent in env.possible_agents:
        seen = env.observe(agent)
        assert env.observation_space(agent).contains(seen)
        assert seen["action_mask"].any() == (agent == env.agent_selection)
    assert env.unwrapped.state_space.contains(env.state())


def test_rules_are_hidden_unless_asked_for():
    env = UrsuppeVector(2, RULESETS)
    assert env.reset(seed=1).observations.shape == (2, observation_size(4))
    assert env.reset(seed=1).observations.dtype == np.float32
