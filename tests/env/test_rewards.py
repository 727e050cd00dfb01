"""What the end of a game is worth: ``ursuppe_env.envs.rewards``."""

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.rewards import REWARDS, final_rewards, reward_bounds


def test_win_gives_the_winner_1_and_the_others_their_part_of_the_loss():
    rewards = final_rewards("win", [[40, 45, 39, 42], [50, 3, 2, 1]], Ruleset(players=4))
    expected = np.array([[-1, 3, -1, -1], [3, -1, -1, -1]]) / 3
    np.testing.assert_allclose(rewards, expected, rtol=1e-6)
    assert rewards.dtype == np.float32


def test_rank_falls_evenly_from_1_to_minus_1():
    rewards = final_rewards("rank", [10, 50, 30, 20, 40], Ruleset(players=5))
    np.testing.assert_allclose(rewards, [-1, 1, 0, -0.5, 0.5])


def test_margin_is_the_lead_over_the_mean_in_tracks():
    ruleset = Ruleset(players=3)
    rewards = final_rewards("margin", [[30, 45, 42]], ruleset)
    np.testing.assert_allclose(rewards, np.array([[-9, 6, 3]]) / ruleset.end_zone, rtol=1e-6)


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("kind", REWARDS)
def test_rewards_of_finished_games_sum_to_zero_and_are_best_for_the_winner(kind, players):
    games = Games(50, Ruleset(players=players), seed=5)
    games.play_random()
    rewards = final_rewards(kind, games.markers, games.ruleset)
    assert rewards.shape == (50, players)
    np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-6)
    np.testing.assert_array_equal(rewards.argmax(axis=1), games.winner)
    exact = final_rewards(kind, games.markers, games.ruleset, np.float64)
    np.testing.assert_array_equal(exact.astype(np.float32), rewards)
    np.testing.assert_allclose(exact.sum(axis=1), 0, atol=1e-14)
    low, high = reward_bounds(kind, games.ruleset)
    assert low <= exact.min() < 0 < exact.max() <= high


def test_the_bounds_are_those_of_the_markers_that_there_can_be():
    ruleset = Ruleset(players=4)
    assert reward_bounds("win", ruleset) == (-1 / 3, 1)
    assert reward_bounds("rank", ruleset) == (-1, 1)
    low, high = reward_bounds("margin", ruleset)
    furthest = 41 + 6 + 4 + 3  # before the end zone, the best scoring, over all others
    assert high == pytest.approx((furthest - (furthest + 3) / 4) / 42)
    assert low == -high
    for call in (lambda: reward_bounds("points", ruleset), lambda: final_rewards("points", [1, 2, 3, 4], ruleset)):
        with pytest.raises(ValueError, match=r"reward is 'points'.*'win', 'rank', 'margin'"):
            call()


@pytest.mark.parametrize("markers", [3, [1, 2, 3], [[1], [2], [3], [4]]])
def test_markers_of_another_number_of_players_are_refused(markers):
    with pytest.raises(ValueError, match=r"markers has shape .* 4 entries"):
        final_rewards("win", markers, Ruleset(players=4))
