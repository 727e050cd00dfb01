"""The policy without distribution objects does what that of sb3-contrib does."""

import copy

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env import Games
from ursuppe_training.inputs import InputsView
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.trainer import Trainer

from support.training import TINY


class Theirs(MaskedCategoricalPolicy):
    """The same networks, with the methods of sb3-contrib."""

    forward = MaskableActorCriticPolicy.forward
    evaluate_actions = MaskableActorCriticPolicy.evaluate_actions


def test_the_masked_policy_computes_what_that_of_sb3_contrib_does():
    trainer = Trainer(TINY.changed({"reward": "margin"}))
    plain = trainer.model.policy
    theirs = copy.copy(plain)
    theirs.__class__ = Theirs
    games = Games(300, seed=1)
    games.play_random(60)
    games = games.copy(np.flatnonzero(~games.finished))
    observations, masks = torch.as_tensor(InputsView(False).of(games)), games.legal()
    actions, values, log_probs = plain(observations, action_masks=masks)
    assert masks[np.arange(len(games)), actions].all()
    for one, other in zip(
        plain.evaluate_actions(observations, actions, masks),
        theirs.evaluate_actions(observations, actions, masks),
        strict=True,
    ):
        np.testing.assert_allclose(one.detach(), other.detach(), atol=1e-5)
    np.testing.assert_allclose(values.detach(), plain.predict_values(observations).detach(), atol=1e-6)
    np.testing.assert_allclose(
        log_probs.detach(), theirs.evaluate_actions(observations, actions, masks)[1].detach(), atol=1e-5
    )
    likeliest, _, _ = plain(observations, deterministic=True, action_masks=masks)
    np.testing.assert_array_equal(likeliest, theirs(observations, deterministic=True, action_masks=masks)[0])
    # What is drawn from one position comes as often as it should.
    drawn = plain(observations[:1].repeat(20_000, 1), action_masks=masks[:1].repeat(20_000, axis=0))[0]
    probabilities = theirs.get_distribution(observations[:1], masks[:1]).distribution.probs[0].detach()
    np.testing.assert_allclose(np.bincount(drawn, minlength=len(probabilities)) / 20_000, probabilities, atol=0.02)


def test_a_model_is_saved_and_loaded_by_stable_baselines3(tmp_path):
    model = Trainer(TINY.changed({"learner": "one_seat"})).model
    model.policy.save(tmp_path / "policy.pt")
    loaded = MaskedCategoricalPolicy.load(tmp_path / "policy.pt")
    for name, tensor in model.policy.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], tensor)
