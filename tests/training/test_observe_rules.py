"""A policy that sees what the rules are."""

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_agents.policies.files import policy_layout
from ursuppe_agents.policies.inputs import num_inputs
from ursuppe_env import Games, Ruleset
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.files import load_policy, save_policy
from ursuppe_training.runs.trainer import Trainer

from support.policies import random_policy

SEES_RULES = TrainingConfig(layers=(16, 8), critic_width=8, observe_rules=True)
DEAR = [Ruleset(), Ruleset(price={"speed": 9, "spores": 9}), Ruleset(income=20)]


def test_it_acts_differently_under_other_rules():
    policy = random_policy(SEES_RULES)
    games = Games(30, DEAR, index=np.arange(30) // 3)  # three games with the same dice each
    probabilities = PolicyAgent(np.random.default_rng(0), weights=policy.weights())._network.action_probabilities(games)
    first, second, third = (probabilities[number::3] for number in range(3))
    assert (games.legal()[0::3] == games.legal()[1::3]).all()
    assert (np.abs(first - second).max(axis=1) > 1e-6).all()
    assert (np.abs(first - third).max(axis=1) > 1e-6).all()


def test_its_file_says_so(tmp_path):
    policy, path = random_policy(SEES_RULES), tmp_path / "policy.zip"
    save_policy(policy, SEES_RULES, path)
    loaded, config = load_policy(path)
    assert config.observe_rules
    assert loaded.weights().observe_rules
    assert policy_layout(4, True) != policy_layout(4)
    games = Games(6, DEAR)
    games.play_random(60)
    rows = np.flatnonzero(~games.finished)
    with pytest.warns(TrainedElsewhereWarning, match="several other rulesets"):  # it saw one alone
        priors, values = make_agent(f"policy:{path}", 0).evaluate(games, rows)
    assert (priors > 0).any(axis=1).all()
    np.testing.assert_allclose(values.sum(axis=1), 1)


def test_it_is_refused_in_games_of_other_numbers_of_players():
    agent = PolicyAgent(np.random.default_rng(0), weights=random_policy(SEES_RULES).weights())
    with pytest.raises(ValueError, match="the policy was trained with 4 players; these games have 3"):
        agent(Games(2, Ruleset(players=3)), np.arange(2))


def test_it_is_learned_from():
    settings = {"observe_rules": True, "envs": 4, "rollout": 8, "batch_size": 16, "steps": 64}
    trainer = Trainer(TrainingConfig(layers=(8,), evaluate_every=10**9, **settings))
    before = trainer.policy.action_net.weight.detach().clone()
    assert trainer.self_play.rollout.decisions.inputs.shape[1] == num_inputs(4, observe_rules=True)
    trainer.run()
    assert (trainer.policy.action_net.weight != before).any()
