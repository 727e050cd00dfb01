"""Behaviour cloning: teachers' decisions become likelier, and it fades out."""

import numpy as np
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games
from ursuppe_training.ppo.buffer import as_tensor
from ursuppe_training.runs.trainer import Trainer, train

from support.training import MIXED, TINY, under_way


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
