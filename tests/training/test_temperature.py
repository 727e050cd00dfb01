"""The temperature of a policy: in what it draws, and its limits."""

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_training.networks.files import save_policy

from support.policies import SMALL, random_policy
from support.training import under_way


@pytest.mark.parametrize("temperature", [0.25, 0.5, 1.0, 2.0])
def test_actions_are_drawn_with_logits_divided_by_the_temperature(temperature):
    policy = random_policy()
    games = under_way(1, 30)
    chances = BoardNetwork(policy.weights()).action_probabilities(games, np.arange(len(games)))[0] ** (1 / temperature)
    chances /= chances.sum()
    agent = PolicyAgent(np.random.default_rng(1), weights=policy.weights(), temperature=temperature)
    drawn = agent.act(games.copy(np.zeros(20_000, np.int64), reseed=1), np.arange(20_000))
    np.testing.assert_allclose(np.bincount(drawn, minlength=len(chances)) / 20_000, chances, atol=0.015)


def test_the_lowest_temperature_takes_a_likeliest_action():
    policy = random_policy()
    with np.errstate(all="raise"):
        agent = PolicyAgent(np.random.default_rng(1), weights=policy.weights(), temperature=0.01)
    games = under_way(1, 30)
    chances = BoardNetwork(policy.weights()).action_probabilities(games, np.arange(len(games)))[0]
    assert chances[agent.act(games, np.zeros(1, np.int64))[0]] > 0.9 * chances.max()


@pytest.mark.parametrize("temperature", [0.0, -1.0, 1000.0, float("nan")])
def test_impossible_temperatures_are_refused(temperature, tmp_path):
    with pytest.raises(ValueError, match=r"^temperature is .*; it must be from 0\.01 to 100$"):
        save_policy(random_policy(), SMALL, tmp_path / "none.zip", temperature=temperature)
    assert not (tmp_path / "none.zip").exists()
    save_policy(random_policy(), SMALL, tmp_path / "policy.zip")
    with pytest.raises(ValueError, match=r"temperature is .*; it must be from 0\.01 to 100"):
        make_agent(f"policy:{tmp_path / 'policy.zip'},temperature={temperature}", 0)
