"""The policy without distribution objects does what that of sb3-contrib does."""

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env import Games
from ursuppe_training.networks import network
from ursuppe_training.trainer import Trainer

from support.training import TINY


def test_the_masked_policy_computes_what_that_of_sb3_contrib_does():
    plain = Trainer(TINY).model.policy
    theirs = MaskableActorCriticPolicy(plain.observation_space, plain.action_space, lambda _: 1e-3, **network(TINY))
    theirs.load_state_dict(plain.state_dict())
    games = Games(300, seed=1)
    games.play_random(60)
    games = games.copy(np.flatnonzero(~games.finished))
    observations, masks = torch.as_tensor(games.observe()), games.legal()
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
