"""Outcomes: what becomes of each seat, seen from each; the reward that they are; and how the critic learns them."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.weights import KINDS, WIN
from ursuppe_env import Games
from ursuppe_env.envs.rewards import REWARDS, final_rewards
from ursuppe_training.networks.critic import critic_losses, outcomes_of, predicted_outcomes, reward_weights

from support.training import TEAMS, TINY


def test_every_kind_of_reward_is_predicted():
    assert set(KINDS) == set(REWARDS)


@pytest.mark.parametrize("settings", TEAMS.values(), ids=TEAMS)
def test_each_seat_sees_itself_first_with_its_teams_rewards_and_an_equal_part_of_its_chance(settings):
    config = TINY.changed(settings)
    players, teams, sides = config.players, config.partition, config.sides
    games = Games(50, config.ruleset, seed=4)
    games.play_random()
    outcomes = outcomes_of(games, teams)
    own = outcomes[:, :, 0]  # (n, P, 3)
    for seat in range(players):
        for place in range(players):
            np.testing.assert_array_equal(outcomes[:, seat, place], own[:, (seat + place) % players])
    winner = games.winner if teams is None else games.team_winner(teams.seats, teams.score)
    np.testing.assert_allclose(own[:, :, WIN], (sides.team_of == winner[:, None]) * len(sides) / players)
    rewards = {kind: final_rewards(kind, games.markers, games.ruleset, teams=teams)[:, sides.team_of] for kind in KINDS}
    for kind in ("rank", "margin"):
        np.testing.assert_allclose(own[:, :, KINDS.index(kind)], rewards[kind], atol=1e-6)
    for first in KINDS:
        for final in KINDS:  # the reward changes in a straight line
            for remaining in (1.0, 0.75, 0.0):
                weights = reward_weights(first, final, remaining, players, len(sides))
                found = own @ weights - weights[WIN] / players  # so much of a chance is worth nothing
                expected = remaining * rewards[first] + (1 - remaining) * rewards[final]
                np.testing.assert_allclose(found, expected, atol=1e-5)


def test_chances_of_winning_sum_to_1_and_rewards_to_0():
    outcomes = predicted_outcomes(torch.randn(50, 4, 3))
    assert outcomes.shape == (50, 4, 3)
    assert (outcomes[:, :, WIN] > 0).all()
    torch.testing.assert_close(outcomes[:, :, WIN].sum(dim=1), torch.ones(50))
    torch.testing.assert_close(outcomes[:, :, 1:].sum(dim=1), torch.zeros(50, 2), atol=1e-5, rtol=0)


def test_nothing_is_better_than_to_predict_the_returns():
    scores = torch.randn(20, 4, 3, requires_grad=True)
    returns = predicted_outcomes(torch.randn(20, 4, 3))
    optimizer = torch.optim.Adam([scores], lr=0.05)
    for _ in range(1500):
        optimizer.zero_grad()
        critic_losses(scores, returns).sum().backward()
        optimizer.step()
    torch.testing.assert_close(predicted_outcomes(scores), returns, atol=0.01, rtol=0)
