"""Opponents that win more are drawn more often; and a game keeps those that it began with."""

import numpy as np
import pytest

from ursuppe_env import Games
from ursuppe_training.opponent_draw import learners_sides
from ursuppe_training.opponent_pool import OpponentPool
from ursuppe_training.processes import Processes
from ursuppe_training.trainer import Trainer
from ursuppe_training.win_rates import WinRates

from support.training import LEAGUE, TINY

PAIR = TINY.changed({"opponents": {"self": 0.4, "random": 0.3, "grow": 0.3}, "whole_tables": 1.0})


def seats_of(pool, games):
    """(N, P) the numbers of the players in all seats but the learner's, which has -1."""
    seats = np.empty((len(games), 4), np.int64)
    for seat in range(4):
        games._states["player"][:] = seat
        seats[:, seat] = pool.players(games)
    seats[np.arange(len(games)), learners_sides(games.state["key"], 4)] = -1
    return seats


def shares(pool):
    """How often each name has a whole table of new games."""
    drawn = seats_of(pool, Games(6000, seed=9)).max(axis=1)
    return {name: (drawn == number).mean() for number, name in enumerate(pool.names)}


def with_win_rates(config, **win_rates):
    pool = OpponentPool(config, Trainer(config).model.policy)
    pool.load_state_dict({**pool.state_dict(), "win_rates": win_rates})
    pool.begin_rollout(1)
    return pool


def test_who_wins_more_is_drawn_more_often_and_the_present_policy_keeps_its_share():
    drawn = shares(with_win_rates(PAIR.changed({"prioritised": 1.0}), random=0.75, grow=0.25))
    # Ahead of one of them with the chance .9 or .5: weights in the ratio .1 to .5.
    assert drawn["self"] == pytest.approx(0.4, abs=0.02)
    assert drawn["random"] == pytest.approx(0.6 * 0.1 / 0.6, abs=0.02)
    assert drawn["grow"] == pytest.approx(0.6 * 0.5 / 0.6, abs=0.02)


def test_nobody_vanishes():
    drawn = shares(with_win_rates(PAIR.changed({"prioritised": 2.0}), random=1.0, grow=0.0))
    assert drawn["random"] == pytest.approx(0.6 * 0.05 / 1.05, abs=0.01)


def test_without_the_setting_weights_are_what_they_are():
    drawn = shares(with_win_rates(PAIR, random=1.0, grow=0.0))
    assert drawn == {
        "self": pytest.approx(0.4, abs=0.02),
        **dict.fromkeys(("random", "grow"), pytest.approx(0.3, abs=0.02)),
    }


def test_each_snapshot_and_each_exploiter_counts_on_its_own():
    policy = Trainer(LEAGUE).model.policy
    pool = OpponentPool(LEAGUE.changed({"snapshots": 2}), policy)
    for _ in range(3):
        pool.take_snapshot()
    for _ in range(2):
        pool.add_exploiter(policy.state_dict())
    win_rates = {"snapshots 2": 0.0, "snapshots 3": 1.0, "exploiters 1": 0.0, "exploiters 2": 1.0, "random": 0.25}
    pool.load_state_dict({**pool.state_dict(), "win_rates": win_rates})
    pool.begin_rollout(1)
    weights = {name.removesuffix("/weight"): weight for name, weight in pool.figures() if name.endswith("weight")}
    assert weights.keys() == win_rates.keys()
    assert weights["snapshots 2"] == pytest.approx(20 * weights["snapshots 3"])  # weights .2/2, priorities 1 and .05
    assert weights["exploiters 1"] == pytest.approx(1.5 * weights["snapshots 2"])  # of .3/2
    assert weights["random"] == pytest.approx(2 * weights["snapshots 2"] / 4)  # an equal: (1/2)^2 of .2
    assert sum(weights.values()) == pytest.approx(0.7)


def test_a_game_keeps_its_opponents_when_weights_change_and_others_join():
    policy = Trainer(LEAGUE).model.policy
    pool = OpponentPool(LEAGUE, policy)
    pool.take_snapshot()
    pool.begin_rollout(1)
    games = Games(500, seed=5)
    before = seats_of(pool, games)
    pool.take_snapshot()
    pool.add_exploiter(policy.state_dict())
    pool.load_state_dict({**pool.state_dict(), "win_rates": {"random": 1.0, "snapshots 1": 0.0}})
    pool.begin_rollout(2)
    np.testing.assert_array_equal(seats_of(pool, games), before)
    games.reset(np.arange(500) < 250)
    after = seats_of(pool, games)
    np.testing.assert_array_equal(after[250:], before[250:])
    assert (after[:250] >= pool._first_exploiter).sum() > (before[:250] >= pool._first_exploiter).sum()
    assert pool._first_exploiter in after[:250]


def test_the_games_of_a_snapshot_that_goes_are_left_to_the_oldest_one():
    config = TINY.changed({"opponents": {"self": 0.0, "snapshots": 1.0}, "snapshots": 2})
    pool = OpponentPool(config, Trainer(config).model.policy)
    for _ in range(2):
        pool.take_snapshot()
    pool.begin_rollout(1)
    games = Games(50, seed=5)
    players = pool.players(games)
    for _ in range(2):
        pool.take_snapshot()
    pool.begin_rollout(2)
    np.testing.assert_array_equal(pool.players(games), players)
    rows = np.flatnonzero(~pool.is_learner(players))
    assert len(rows) > 0
    assert games.legal()[rows, pool.act(games, rows, players[rows])].all()


def test_wins_are_counted_at_whole_tables_alone():
    config = PAIR.changed({"whole_tables": 0.5})
    pool = OpponentPool(config, Trainer(config).model.policy)
    games = Games(600, seed=2)
    seats = seats_of(pool, games)
    games.play_random()
    pool.note_ends(games, np.arange(300))
    pool.note_ends(games, np.arange(300, 600))
    pool.end_rollout(Processes())
    others = np.sort(seats, axis=1)[:, 1:]
    is_whole = pool.draw.kinds(games.state["key"]).is_whole
    won = games.winner == learners_sides(games.state["key"], 4)
    assert 250 < is_whole.sum() < 350
    expected = WinRates(4)
    for name in ("random", "grow"):
        number = pool.names.index(name)
        these = is_whole & (others == number).all(axis=1)
        expected.take_in(name, int(these.sum()), int(won[these].sum()))
    assert pool.state_dict()["win_rates"] == expected.state_dict()


def test_estimates_begin_at_an_equal_share_and_follow_what_comes_in():
    win_rates = WinRates(4)
    assert win_rates["greedy"] == 0.25
    assert "greedy" not in win_rates
    assert win_rates.priority("greedy", 2.0) == pytest.approx(0.25)  # ahead of an equal one in half of all games
    win_rates.take_in("greedy", 400, 400)
    assert win_rates["greedy"] == pytest.approx(1 - 0.75 * np.exp(-1), abs=0.001)
    for _ in range(10):
        win_rates.take_in("greedy", 300, 30)
    assert win_rates["greedy"] == pytest.approx(0.1, abs=0.001)
    assert win_rates.priority("greedy", 1.0) == pytest.approx(0.75, abs=0.001)  # .9 / (.9 + 3 * .1)
    win_rates.forget("greedy")
    assert "greedy" not in win_rates


def test_what_is_known_of_opponents_is_logged():
    trainer = Trainer(PAIR.changed({"envs": 32, "rollout": 128, "steps": 4096, "prioritised": 2.0}))
    trainer.run()
    figures = dict(trainer.model.opponent_pool.figures())
    assert figures.keys() == {f"{name}/{what}" for name in ("random", "grow") for what in ("win_rate", "weight")}
    assert figures["random/weight"] + figures["grow/weight"] == pytest.approx(0.6)
