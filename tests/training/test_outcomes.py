"""Outcomes: what becomes of each seat, seen from each; and the reward that they are."""

import numpy as np
import pytest

from ursuppe_agents.policies.board.weights import KINDS, WIN
from ursuppe_env import Games
from ursuppe_env.envs.rewards import REWARDS, final_rewards
from ursuppe_training.networks.critic import reward_weights

from support.training import TEAMS, TINY, outcomes_of


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
                np.testing.assert_allclose(
                    found, remaining * rewards[first] + (1 - remaining) * rewards[final], atol=1e-5
                )
