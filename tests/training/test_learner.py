"""What a policy learns from: its own decisions and those of teachers, and the gradients of its losses."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games
from ursuppe_training.devices import Processes
from ursuppe_training.evaluation.evaluate import evaluate_policy
from ursuppe_training.networks.critic import predicted_outcomes
from ursuppe_training.networks.files import save_policy
from ursuppe_training.ppo.learner import Learner, Losses, LossWeights, choose
from ursuppe_training.ppo.rollout import Minibatch, as_tensor
from ursuppe_training.runs.trainer import Trainer, train

from support.training import MIXED, TINY, under_way

CONFIG = TINY.changed({"learning_rate": 3e-3})
WEIGHTS = LossWeights(clip_range=0.1, entropy=0.03)


@pytest.fixture(scope="module")
def decided():
    """A learner that has chosen in games with several rulesets, and its decisions."""
    trainer = Trainer(CONFIG.changed({"rulesets": "varied", "steps": 600}))
    trainer.run()
    learner = trainer.learner
    games = under_way(1500, 60, learner.rulesets)
    uniforms = np.random.default_rng(1).random(len(games), np.float32)
    return learner, games, choose(BoardNetwork(learner.policy.weights()), games, uniforms)


def test_what_is_collected_is_what_an_update_finds_at_first(decided):
    learner, games, decisions = decided
    assert games.legal()[np.arange(len(games)), decisions.actions].all()
    assert 0.05 < decisions.is_learned.float().mean() <= 1
    log_probs, taken, scores = learner._seen(decisions.states, decisions.actions)
    np.testing.assert_allclose(taken.detach(), decisions.log_probs, atol=2e-4)
    np.testing.assert_allclose(predicted_outcomes(scores).detach(), decisions.values, atol=2e-4)
    assert float(log_probs.detach().exp().sum()) == pytest.approx(len(games), rel=1e-5)
    batch = Minibatch(torch.arange(len(games)), torch.ones(len(games)), decisions.values, len(games))
    losses = Losses(*learner.ppo_gradients(decisions, batch, WEIGHTS).tolist())
    assert losses.kl == pytest.approx(0, abs=1e-6)
    assert losses.clipped == 0
    assert losses.policy == pytest.approx(-1, abs=1e-3)


def test_gradients_are_those_of_all_decisions_at_once_in_however_many_slices(decided, monkeypatch):
    learner, games, decisions = decided
    generator = np.random.default_rng(2)
    advantages = torch.from_numpy(generator.normal(size=len(games))).float()
    batch = Minibatch(torch.arange(len(games)), advantages, decisions.values.flip(0), len(games))
    found = []
    for size in (10_000, 400):
        monkeypatch.setattr("ursuppe_training.ppo.learner._SLICE", size)
        with ThreadPoolExecutor(2) as workers:
            anew = Learner(learner.policy, learner.rulesets, workers, Processes())
            losses = anew.ppo_gradients(decisions, batch, WEIGHTS)
            found.append([losses, *(parameter.grad for parameter in learner.policy.parameters())])
            anew.cloning_gradients(decisions.states, decisions.actions, len(games))
        critic = learner.policy.layers["outcome"]
        assert critic.grad is None  # of a critic nothing is cloned
    for at_once, in_slices in zip(*found, strict=True):
        torch.testing.assert_close(at_once.float(), in_slices.float(), atol=1e-5, rtol=1e-3)


def test_a_short_training_beats_chance_by_far(tmp_path):
    settings = {"seed": 1, "steps": 20_000, "envs": 32, "rollout": 32, "batch_size": 256, "epochs": 3}
    config = CONFIG.changed({**settings, "learning_rate": 4e-3, "opponents": {"random": 1.0}})
    save_policy(train(config), config, tmp_path / "policy.zip")
    [result] = evaluate_policy(tmp_path / "policy.zip", ["random"], 400, seed=77).results
    assert result.win_rate.estimate > 0.5


def test_what_teachers_do_becomes_likelier():
    settings = {"opponents": {"hunter": 1.0}, "steps": 6000, "learning_rate": 6e-3, "final_learning_rate": 6e-3}
    games = under_way(200, 60)
    taught = make_agent("hunter", 0).act(games, np.arange(len(games)))
    likelihood = {}
    for teachers in ((), ("hunter",)):
        policy = train(TINY.changed({**settings, "teachers": teachers, "teaching": 1.0}))
        likelihood[teachers] = likelihood_of(policy, games, taught)
    assert likelihood["hunter",] > likelihood[()] + 0.05


def likelihood_of(policy, games, actions):
    """Of these actions, on average."""
    chances = BoardNetwork(policy.weights()).action_probabilities(games, np.arange(len(games)))
    return chances[np.arange(len(games)), actions].mean()


def test_behaviour_cloning_fades_out():
    settings = {"opponents": MIXED, "teachers": ("grow",), "teaching": 0.5, "steps": 512 * 4}
    trainer = Trainer(TINY.changed(settings))
    weights_ = []
    trainer.run(log=lambda figures, _: weights_.append(figures["train/cloning_weight"]))
    np.testing.assert_allclose(weights_, [1, 0.5, 0, 0], atol=0.05)


def test_behaviour_cloning_leaves_the_learning_rate_as_it_was():
    trainer = Trainer(TINY.changed({"teachers": ("grow",), "opponents": MIXED, "rollout": 2, "envs": 4}))
    policy, ppo, demonstrations = trainer.policy, trainer.ppo, trainer.self_play.demonstrations
    games = Games(12, seed=1)
    actions = games.legal().argmax(axis=1)
    for shown in demonstrations:  # there is room for 4 decisions in each of two
        shown.add(as_tensor(games), actions)
        assert [len(part) for part in shown.shown] == [4, 4]
    before, untaught = ppo.optimizer.param_groups[0]["lr"], likelihood_of(policy, games, actions)
    for _ in range(20):
        ppo.clone(demonstrations, 0.5, torch.Generator())
    assert ppo.optimizer.param_groups[0]["lr"] == before
    assert likelihood_of(policy, games, actions) > untaught
