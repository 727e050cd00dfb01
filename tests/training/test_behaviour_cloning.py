"""Behaviour cloning: teachers' decisions become likelier, and it fades out."""

import numpy as np
import torch

from ursuppe_agents import make_agent
from ursuppe_env import Games
from ursuppe_training.inputs import InputsView
from ursuppe_training.trainer import Trainer, train

from support.training import MIXED, TINY


def test_what_teachers_do_becomes_likelier():
    settings = {"opponents": {"hunter": 1.0}, "steps": 6000, "learning_rate": 2e-3, "final_learning_rate": 2e-3}
    games = Games(200, seed=8)
    games.play_random(60)
    games = games.copy(np.flatnonzero(~games.finished))
    taught = make_agent("hunter", 0).act(games, np.arange(len(games)))
    likelihood = {}
    for teachers in ((), ("hunter",)):
        policy = train(TINY.changed({**settings, "teachers": teachers, "teaching": 1.0})).policy
        _, log_probs, _ = policy.evaluate_actions(
            torch.as_tensor(InputsView(False).of(games)), torch.as_tensor(taught), torch.as_tensor(games.legal())
        )
        likelihood[teachers] = float(log_probs.detach().exp().mean())
    assert likelihood["hunter",] > likelihood[()] + 0.05


def test_behaviour_cloning_fades_out():
    settings = {"opponents": MIXED, "teachers": ("grow",), "teaching": 0.5, "steps": 512 * 4}
    trainer = Trainer(TINY.changed(settings))
    weights_ = []
    trainer.run(on_rollout=lambda: weights_.append(trainer.model.cloning_weight))
    weights_.append(trainer.model.cloning_weight)
    np.testing.assert_allclose(weights_[1:], [1, 0.5, 0, 0], atol=0.05)


def test_behaviour_cloning_leaves_the_learning_rate_as_it_was():
    trainer = Trainer(TINY.changed({"teachers": ("grow",), "opponents": MIXED, "rollout": 2, "envs": 4}))
    model = trainer.model
    policy, optimizer = model.policy, model.policy.optimizer
    games = Games(12, seed=1)
    inputs, masks = torch.as_tensor(InputsView(False).of(games)), torch.as_tensor(games.legal()).bool()
    actions = masks.int().argmax(dim=1)
    for taught in model.cloning.groups:  # there is room for 4 decisions in each of two
        taught.add(inputs, masks, actions)
        assert taught.used == 4
    before = optimizer.param_groups[0]["lr"]

    def likelihood():
        return float(policy.evaluate_actions(inputs, actions, masks)[1].detach().mean())

    untaught = likelihood()
    for _ in range(20):
        model.cloning.train(model._gradients, optimizer, model._step, weight=0.5)
    assert optimizer.param_groups[0]["lr"] == before
    assert likelihood() > untaught
