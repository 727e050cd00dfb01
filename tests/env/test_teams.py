"""Teams: who plays several colours, and which of their places counts."""

import itertools
import re

import gymnasium
import numpy as np
import pettingzoo
import pytest

from ursuppe_env import Games, Ruleset, UrsuppeVector, ursuppe_v0
from ursuppe_env.envs.rewards import REWARDS, final_rewards, reward_bounds
from ursuppe_env.envs.single_seat import UrsuppeVectorEnv
from ursuppe_env.teams import DUEL, SCORES, Teams, read_teams

from support.choices import choose

UNEVEN = ((1,), (0, 2, 3))
THREE_OF_TWO = ((5, 0), (1, 4), (2, 3))
ID = "ursuppe_env/UrsuppeDuel-v0"


# ---------------------------------------------------------------------- places


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


# ---------------------------------------------------------------------- what is refused

WRONG = [
    ((), "at least 2 teams"),
    (((0, 1, 2, 3),), "at least 2 teams"),
    (((0, 2), (1,)), "there are 4 players, so the seats are 0 ... 3"),
    (((0, 2), (1, 3, 4)), "there are 4 players"),
    (((0, 2), (1, 2)), "each of the seats 0 ... 2 must be in exactly one team"),
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


@pytest.mark.parametrize("score", ["mean", None, ["worst"]])
def test_an_unknown_score_is_refused(score):
    with pytest.raises(ValueError, match=r"score is .*; it must be one of 'worst', 'best', 'sum'"):
        Games(2).team_winner(DUEL, score)


def test_teams_as_text():
    assert read_teams("0+2,1+3") == DUEL
    assert str(Teams(((3, 1), (0,), (2,)))) == "1+3,0,2"
    assert read_teams(str(Teams(THREE_OF_TWO))) == ((0, 5), (1, 4), (2, 3))
    for text in ("", "0+2;1+3", "a,b", "0+,1", "-1,0"):
        with pytest.raises(ValueError, match=r"teams is .*such as 0\+2,1\+3"):
            read_teams(text)


# ---------------------------------------------------------------------- rewards


@pytest.mark.parametrize("seats", [DUEL, UNEVEN])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("kind", REWARDS)
def test_rewards_of_teams_sum_to_zero_and_are_best_for_the_winner(kind: str, score: str, seats):
    games, teams = Games(50, seed=5), Teams(seats, score)
    games.play_random()
    rewards = final_rewards(kind, games.markers, games.ruleset, np.float64, teams)
    assert rewards.shape == (50, 2)
    np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-14)
    low, high = reward_bounds(kind, games.ruleset, teams)
    assert low <= rewards.min() < 0 < rewards.max() <= high
    if kind == "margin":
        places = teams.places(games.markers)
        np.testing.assert_allclose(rewards[:, 0], (places[:, 0] - places[:, 1]) / 2 / 42)
    else:  # of two, the winner takes what the other one loses
        assert (rewards.argmax(axis=1) == games.team_winner(seats, score)).all()
        assert set(np.unique(rewards)) == {-1, 1}


def test_three_teams_share_the_loss_or_are_ranked():
    teams, markers = Teams(THREE_OF_TWO), [50, 40, 43, 44, 39, 48]  # worst: 48, 39, 43
    ruleset = Ruleset(players=6)
    assert final_rewards("win", markers, ruleset, teams=teams).tolist() == [1, -0.5, -0.5]
    assert final_rewards("rank", markers, ruleset, teams=teams).tolist() == [1, -1, 0]


# ---------------------------------------------------------------------- PettingZoo


def test_the_duel_is_registered():
    env = pettingzoo.make("aec", "ursuppe_duel_v0", reward="margin")
    assert env.possible_agents == ["team_0", "team_1"]
    assert env.unwrapped.teams == Teams(((0, 2), (1, 3)))
    assert gymnasium.make(ID).unwrapped.teams == gymnasium.make_vec(ID, num_envs=3).teams == Teams(DUEL)


@pytest.mark.parametrize("seats", [DUEL, ((3, 0), (2, 1)), UNEVEN])
def test_the_agent_is_the_team_whose_colour_decides_and_sees_as_that_colour(seats):
    env, games, teams = ursuppe_v0.raw_env(teams=seats, reward="margin"), Games(1, seed=4), Teams(seats)
    env.reset(seed=4)
    assert env.possible_agents == env.agents == ["team_0", "team_1"]
    choices = np.random.default_rng(0)
    last = {team: seats[0] for team, seats in enumerate(teams.seats)}
    while not games.finished[0]:
        seat = int(games.player[0])
        team = int(teams.team_of[seat])
        last[team] = seat
        assert env.agent_selection == f"team_{team}"
        observation, reward, terminated, _, info = env.last()
        np.testing.assert_array_equal(observation["observation"], games.observe(seat)[0])
        np.testing.assert_array_equal(observation["action_mask"], games.legal()[0])
        assert (reward, terminated, info["decision"], info["seat"]) == (0.0, False, games.decision[0], seat)
        assert info["own_seats"].tolist() == [int(teams.team_of[(seat + k) % 4] == team) for k in range(4)]
        other = env.observe(f"team_{1 - team}")  # from where it decided last, at first from its first seat
        np.testing.assert_array_equal(other["observation"], games.observe(last[1 - team])[0])
        assert not other["action_mask"].any()
        assert env.infos[f"team_{1 - team}"]["seat"] == last[1 - team]
        assert env.infos[f"team_{1 - team}"]["decision"] == -1
        action = int(choose(games.legal(), choices)[0])
        env.step(action)
        games.step([action])
    expected = final_rewards("margin", games.markers, games.ruleset, teams=teams)[0].tolist()
    assert env.rewards == {"team_0": expected[0], "team_1": expected[1]}
    assert all(type(reward) is float for reward in env.rewards.values())
    assert env.terminations == {"team_0": True, "team_1": True}


def test_the_last_action_is_told_of_the_colour():
    env = ursuppe_v0.raw_env(teams=DUEL, render_mode="ansi")
    env.reset(seed=1)
    seat = env.games.player[0]
    env.step(int(env.games.legal()[0].argmax()))
    assert f"player_{seat}: start" in env.render()


# ---------------------------------------------------------------------- many games


@pytest.mark.parametrize(("seats", "score"), [(DUEL, "worst"), (UNEVEN, "best"), (((0, 1), (2,), (3,)), "sum")])
@pytest.mark.parametrize("autoreset", [True, False])
def test_in_many_games_each_team_gets_its_reward_when_the_game_ends(seats, score: str, autoreset: bool):
    env, teams = UrsuppeVector(8, reward="rank", autoreset=autoreset, teams=seats, score=score), Teams(seats, score)
    now = env.reset(seed=1)
    assert now.rewards.shape == (8, len(seats))
    choices, ended = np.random.default_rng(0), 0
    for _ in range(400):
        over = now.terminated.copy()
        now = env.step(choose(now.action_mask, choices))
        new = now.terminated if autoreset else now.terminated & ~over
        ended += int(new.sum())
        final = env.final_games if autoreset else env.games.copy(new) if new.any() else None
        if final is not None:
            expected = final_rewards("rank", final.markers, final.ruleset, teams=teams)
            np.testing.assert_array_equal(now.rewards[new], expected)
        assert not now.rewards[~new].any()
    assert ended > 5


# ---------------------------------------------------------------------- one learner


def test_the_team_is_the_one_that_was_asked_for_or_drawn():
    env = UrsuppeVectorEnv(300, teams=DUEL)
    env.reset(seed=1)
    assert 100 < (env.teams.team_of[env.seats] == 0).sum() < 200
    env.team = 1
    env.reset(seed=1)
    assert (env.teams.team_of[env.seats] == 1).all()
    with pytest.raises(ValueError, match=re.escape("team is 7; it must be 0 ... 1")):
        env.team = 7


@pytest.mark.parametrize("score", SCORES)
def test_a_learner_wins_with_its_team(score: str):
    env = UrsuppeVectorEnv(30, teams=DUEL, score=score, team=1, autoreset_mode="SameStep")
    env.reset(seed=1)
    choices, wins, games = np.random.default_rng(0), 0, 0
    for _ in range(250):
        _, rewards, terminations, _, infos = env.step(choose(env.action_masks(), choices))
        if terminations.any():
            success = infos["final_info"]["is_success"][terminations]
            assert rewards[terminations].tolist() == np.where(success, 1, -1).tolist()
            assert (infos["final_info"]["own_seats"][terminations] == [1, 0, 1, 0]).all()
            assert set(infos["final_info"]["seat"][terminations].tolist()) <= {1, 3}
            wins, games = wins + success.sum(), games + len(success)
    assert 0 < wins < games
