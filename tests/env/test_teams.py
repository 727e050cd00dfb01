"""Teams: who plays several colours, and which of their places counts."""

import itertools
import re

import gymnasium
import numpy as np
import pettingzoo
import pytest

from ursuppe_env import Games, Ruleset, ursuppe_v0
from ursuppe_env.envs.rewards import REWARDS, final_rewards, reward_bounds
from ursuppe_env.envs.single_seat import UrsuppeVectorEnv
from ursuppe_env.teams import DUEL, SCORES, Teams, read_teams

UNEVEN = ((1,), (0, 2, 3))
THREE_OF_TWO = ((5, 0), (1, 4), (2, 3))
ID = "ursuppe_env/UrsuppeDuel-v0"


def test_a_teams_place_is_that_of_its_worst_or_best_colour_or_the_sum():
    markers = [40, 43, 38, 30]
    assert Teams(DUEL).places(markers).tolist() == [38, 30]
    assert Teams(DUEL, "best").places(markers).tolist() == [40, 43]
    assert Teams(DUEL, "sum").places(markers).tolist() == [78, 73]
    assert [int(Teams(DUEL, score).winner(markers)) for score in SCORES] == [0, 1, 0]
    assert Teams(UNEVEN, "sum").places(markers).tolist() == [43, 108]


def test_of_teams_with_the_same_sum_that_with_the_better_best_marker_is_in_front():
    teams = Teams(DUEL, "sum")
    assert teams.places([40, 39, 41, 42]).tolist() == [81, 81]
    assert teams.ahead([40, 39, 41, 42]).tolist() == [1, 0]
    assert teams.winner([[40, 39, 41, 42], [42, 41, 39, 40]]).tolist() == [1, 0]


@pytest.mark.parametrize("seats", [DUEL, UNEVEN, ((0,), (1,), (2,), (3,))])
@pytest.mark.parametrize("score", SCORES)
def test_teams_never_share_a_rank(seats, score: str):
    markers = np.array(list(itertools.permutations(range(1, 7), 4)))
    ranks = Teams(seats, score).ahead(markers)
    assert (np.sort(ranks) == np.arange(len(seats))).all()
    assert (ranks.argmin(axis=1) == Teams(seats, score).winner(markers)).all()


def test_teams_of_one_are_the_players_themselves():
    games = Games(50, seed=1)
    games.play_random()
    for score in SCORES:
        alone = Teams(((0,), (1,), (2,), (3,)), score)
        assert (alone.winner(games.markers) == games.winner).all()
        for kind in REWARDS:
            rewards = final_rewards(kind, games.markers, games.ruleset, teams=alone)
            np.testing.assert_array_equal(rewards, final_rewards(kind, games.markers, games.ruleset))


def test_own_seats_are_counted_from_the_seat_that_looks():
    assert Teams(DUEL).own_seats.tolist() == [[1, 0, 1, 0]] * 4
    around = Teams(((0, 3), (1, 2))).own_seats
    assert around.tolist() == [[1, 0, 0, 1], [1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0]]
    assert Teams(UNEVEN).team_of.tolist() == [1, 0, 1, 1]


def test_the_winner_among_teams_is_minus_1_until_the_end():
    games = Games(20, seed=3)
    assert games.team_winner(DUEL).tolist() == [-1] * 20
    games.play_random(200)
    games.play_random()
    worst = games.markers.reshape(20, 2, 2).min(axis=1)  # of the seats 0 and 2, of 1 and 3
    assert (games.team_winner(DUEL) == worst.argmax(axis=1)).all()
    assert games.team_winner(DUEL).dtype == np.int8
    assert (games.team_winner(DUEL, "best") == games.winner % 2).all()


WRONG = [
    ((), "at least 2 teams"),
    (((0, 1, 2, 3),), "at least 2 teams"),
    (((0, 2), (1,)), "there are 4 players, so the seats are 0 ... 3"),
    (((0, 2), (1, 3, 4)), "there are 4 players"),
    (((0, 2), (1, 2)), "each of the seats 0 ... 3 must be in exactly one team"),
    (((0, 2), (1, 3), ()), "it must be the seats of each team"),
    (((0, 2), (1, -1)), "must be in exactly one team"),
    (((0, 2), (1, 3.0)), "with the seat 3.0"),
    (((0, 2), (1, True)), "with the seat True"),
    (((0, 2), "13"), "it must be the seats of each team"),
    ("0+2,1+3", "it must be the seats of each team"),
    (2, "it must be the seats of each team"),
    ({0: (0, 2), 1: (1, 3)}, "it must be the seats of each team"),
]


@pytest.mark.parametrize(("teams", "says"), WRONG)
def test_what_is_no_partition_of_the_seats_is_refused(teams, says: str):
    with pytest.raises(ValueError, match=rf"^teams is .*{re.escape(says)}"):
        Games(2).team_winner(teams)


def test_teams_as_text():
    assert read_teams("0+2,1+3") == DUEL
    assert str(Teams(((3, 1), (0,), (2,)))) == "1+3,0,2"
    assert read_teams(str(Teams(THREE_OF_TWO))) == ((0, 5), (1, 4), (2, 3))
    for text in ("", "0+2;1+3", "a,b", "0+,1", "-1,0"):
        with pytest.raises(ValueError, match=r"teams is .*such as 0\+2,1\+3"):
            read_teams(text)


@pytest.mark.parametrize("seats", [DUEL, UNEVEN])
@pytest.mark.parametrize("score", SCORES)
def test_of_two_teams_the_winner_takes_what_the_other_one_loses(score: str, seats):
    games, teams = Games(50, seed=5), Teams(seats, score)
    games.play_random()
    won = np.where(games.team_winner(seats, score) == 0, 1, -1)
    places = teams.places(games.markers)
    expected = {"win": won, "rank": won, "margin": (places[:, 0] - places[:, 1]) / 2 / 42}
    for kind in REWARDS:
        rewards = final_rewards(kind, games.markers, games.ruleset, np.float64, teams)
        np.testing.assert_allclose(rewards, np.stack([expected[kind], -expected[kind]], axis=1))
        low, high = reward_bounds(kind, games.ruleset, teams)
        assert low <= rewards.min() < 0 < rewards.max() <= high


def test_three_teams_share_the_loss_or_are_ranked():
    teams, markers = Teams(THREE_OF_TWO), [50, 40, 43, 44, 39, 48]  # worst: 48, 39, 43
    ruleset = Ruleset(players=6)
    assert final_rewards("win", markers, ruleset, teams=teams).tolist() == [1, -0.5, -0.5]
    assert final_rewards("rank", markers, ruleset, teams=teams).tolist() == [1, -1, 0]


def test_the_duel_is_registered():
    env = pettingzoo.make("aec", "ursuppe_duel_v0", reward="margin")
    assert env.possible_agents == ["team_0", "team_1"]
    assert env.unwrapped.teams == Teams(((0, 2), (1, 3)))
    assert gymnasium.make(ID).unwrapped.teams == gymnasium.make_vec(ID, num_envs=3).teams == Teams(DUEL)


def test_the_last_action_is_told_of_the_colour():
    env = ursuppe_v0.raw_env(teams=DUEL, render_mode="ansi")
    env.reset(seed=1)
    seat = env.games.player[0]
    env.step(int(env.games.legal()[0].argmax()))
    assert f"player_{seat}: start" in env.render()


def test_the_team_is_the_one_that_was_asked_for_or_drawn():
    env = UrsuppeVectorEnv(300, teams=DUEL)
    env.reset(seed=1)
    assert 100 < (env.teams.team_of[env.seats] == 0).sum() < 200
    env.team = 1
    env.reset(seed=1)
    assert (env.teams.team_of[env.seats] == 1).all()
    with pytest.raises(ValueError, match=re.escape("team is 7; it must be 0 ... 1")):
        env.team = 7
