"""Outcomes: what becomes of each seat, seen from each; and the reward that they are."""

import numpy as np
import pytest

from ursuppe_agents.policies.board.weights import KINDS, WIN
from ursuppe_env import Games
from ursuppe_env.envs.rewards import REWARDS, final_rewards
from ursuppe_training.networks.outcomes import Reward

from support.training import outcomes_of


@pytest.fixture(scope="module")
def games():
    games = Games(50, seed=4)
    games.play_random()
    return games


def test_every_kind_of_reward_is_predicted():
    assert set(KINDS) == set(REWARDS)


def test_each_seat_sees_itself_first_and_the_others_as_they_follow(games):
    outcomes = outcomes_of(games)
    for seat in range(4):
        for place in range(4):
            who = (seat + place) % 4
            np.testing.assert_array_equal(outcomes[:, seat, place, WIN], games.winner == who)
            for kind in ("rank", "margin"):
                rewards = final_rewards(kind, games.markers, games.ruleset)[:, who]
                np.testing.assert_allclose(outcomes[:, seat, place, KINDS.index(kind)], rewards, atol=1e-6)


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("final", KINDS)
def test_the_reward_changes_in_a_straight_line(first, final, games):
    reward = Reward(first, final, 4, sides=4)
    outcomes = outcomes_of(games)
    before, after = (final_rewards(kind, games.markers, games.ruleset) for kind in (first, final))
    for remaining in (1.0, 0.75, 0.0):
        reward.progress_remaining = remaining
        found = outcomes[:, :, 0] @ reward.weights
        found -= reward.weights[WIN] / 4  # of a chance of winning, 1/4 is worth nothing
        np.testing.assert_allclose(found, remaining * before + (1 - remaining) * after, atol=1e-6)
