"""The critic: one outlook for the whole table, learned from every seat."""

import pytest
import torch

from ursuppe_agents.policies.weights import WIN
from ursuppe_training.networks.seat_critic import SeatCritic, critic_losses, predicted_outcomes
from ursuppe_training.networks.who_plays import UNKNOWN, WhoPlays


@pytest.fixture
def critic():
    torch.manual_seed(0)
    critic = SeatCritic(players=4, num_features=6, size_of_situation=5, width=8)
    torch.nn.init.normal_(critic.places)
    return critic


def test_chances_of_winning_sum_to_1_and_rewards_to_0(critic):
    outcomes = predicted_outcomes(critic(torch.randn(50, 4, 6), torch.randn(50, 5)))
    assert outcomes.shape == (50, 4, 3)
    assert (outcomes[:, :, WIN] > 0).all()
    torch.testing.assert_close(outcomes[:, :, WIN].sum(dim=1), torch.ones(50))
    torch.testing.assert_close(outcomes[:, :, 1:].sum(dim=1), torch.zeros(50, 2), atol=1e-5, rtol=0)


def test_what_it_knows_of_a_seat_holds_wherever_that_sits(critic):
    torch.nn.init.zeros_(critic.places)  # but for its place
    features, situation, order = torch.randn(5, 4, 6), torch.randn(5, 5), [2, 0, 3, 1]
    torch.testing.assert_close(critic(features[:, order], situation), critic(features, situation)[:, order])


def test_the_others_at_the_table_matter(critic):
    features, situation = torch.randn(5, 4, 6), torch.randn(5, 5)
    changed = features.clone()
    changed[:, 3] += 1
    assert (critic(features, situation)[:, 0] != critic(changed, situation)[:, 0]).any()


def test_the_situation_matters(critic):
    features = torch.randn(5, 4, 6)
    outcomes = [predicted_outcomes(critic(features, situation)) for situation in torch.randn(2, 5, 5)]
    assert (outcomes[0][:, :, WIN] != outcomes[1][:, :, WIN]).any()


def test_nothing_is_better_than_to_predict_the_returns():
    scores = torch.randn(20, 4, 3, requires_grad=True)
    returns = predicted_outcomes(torch.randn(20, 4, 3))
    optimizer = torch.optim.Adam([scores], lr=0.05)
    for _ in range(1500):
        optimizer.zero_grad()
        critic_losses(scores, returns).sum().backward()
        optimizer.step()
    torch.testing.assert_close(predicted_outcomes(scores), returns, atol=0.01, rtol=0)


def test_of_who_is_unknown_nothing_is_told_and_nothing_learned(critic):
    who_plays = WhoPlays(num_players=3, width=8)
    seen = torch.randn(5, 4, 6), torch.randn(5, 5)
    told = torch.full((5, 4), UNKNOWN)
    torch.testing.assert_close(critic(*seen, who_plays(told)), critic(*seen))
    told[:, 1] = 2
    critic(*seen, who_plays(told)).square().sum().backward()
    of_players = who_plays.embedding.weight.grad.abs().sum(dim=1)
    assert (of_players > 0).tolist() == [False, False, True, False]
