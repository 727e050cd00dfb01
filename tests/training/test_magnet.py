"""The magnet: where a policy was on average, and that it holds the policy back."""

import numpy as np
import pytest
import torch

from ursuppe_training.magnet import Magnet
from ursuppe_training.trainer import Trainer

from support.training import TINY


def test_it_is_a_moving_average_of_the_actor():
    policy = Trainer(TINY).model.policy
    magnet = Magnet(policy, decisions=1000)
    before = [parameter.clone() for parameter in magnet.parameters()]
    theirs = [*policy.actor.parameters(), *policy.action_net.parameters()]
    with torch.no_grad():
        for parameter in theirs:
            parameter += 1
    magnet.follow(policy, 1000)
    for parameter, old in zip(magnet.parameters(), before, strict=True):
        torch.testing.assert_close(parameter, old + 1 - np.exp(-1))
    for _ in range(20):
        magnet.follow(policy, 1000)
    for parameter, other in zip(magnet.parameters(), theirs, strict=True):
        torch.testing.assert_close(parameter, other)
    assert not any(parameter.requires_grad for parameter in magnet.parameters())


def test_a_policy_stays_nearer_to_where_it_began_the_more_the_magnet_pulls():
    # An average over so many decisions is where the policy began.
    changes = {"steps": 3000, "learning_rate": 3e-3, "magnet_decisions": 10**9}
    distances = []
    for weight in (0.0, 1.0, 30.0):
        trainer = Trainer(TINY.changed(changes | {"magnet": weight}))
        first = trainer.model.policy.action_net.weight.detach().clone()
        trainer.run()
        distances.append((trainer.model.policy.action_net.weight.detach() - first).norm().item())
    assert distances[0] > distances[1] > distances[2]


def test_a_resumed_run_has_the_magnet_that_it_had():
    trainer = Trainer(TINY.changed({"magnet": 0.1, "magnet_decisions": 500}))
    trainer.run()
    other = Trainer(trainer.config)
    other.load_state_dict(trainer.state_dict())
    for mine, theirs in zip(other.model.magnet.parameters(), trainer.model.magnet.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_the_learner_of_one_seat_has_none():
    with pytest.raises(ValueError, match=r"magnet is 0\.1; it needs learner 'every_seat'"):
        TINY.changed({"magnet": 0.1, "learner": "one_seat"})
