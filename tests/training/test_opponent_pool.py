"""Opponents: drawn by weight, the same whatever is beside them, never learned from."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games
from ursuppe_training.networks.files import new_policy
from ursuppe_training.opponents import OpponentPool
from ursuppe_training.runs.trainer import Trainer

from support.training import TEAMS, TINY, Table, are_equal, under_way, weights


@pytest.mark.parametrize("settings", TEAMS.values(), ids=TEAMS)
def test_seats_are_drawn_by_weight_and_each_game_has_a_learner(settings):
    config = TINY.changed({**settings, "opponents": {"self": 1.0, "random": 2.0, "grow": 1.0}})
    table, sides = Table(config, Games(4000, config.ruleset, seed=5)), config.sides
    seats = table.everyone()
    by_side = seats[:, sides.first_seats]
    np.testing.assert_array_equal(seats, by_side[:, sides.team_of])
    learning = by_side == table.pool.learner
    assert learning.any(axis=1).all()
    # One side always learns, each other one with chance 1/4.
    count = len(sides)
    np.testing.assert_allclose(learning.mean(axis=0), 1 / count + (count - 1) / count / 4, atol=0.03)


@pytest.mark.parametrize("settings", TEAMS.values(), ids=TEAMS)
def test_at_a_whole_table_one_draw_is_for_all_other_seats(settings):
    config = TINY.changed({**settings, "opponents": {"self": 1.0, "random": 1.0}, "whole_tables": 0.6})
    table, count = Table(config, Games(4000, config.ruleset, seed=5)), len(config.sides)
    learning = (table.everyone() == table.pool.learner)[:, config.sides.first_seats].sum(axis=1)
    # All others are the policy, too, or none is: either at half of the whole tables, and by chance at some others.
    for sides in (count, 1):
        assert (learning == sides).mean() == pytest.approx(0.6 / 2 + 0.4 / 2 ** (count - 1), abs=0.03)


def test_the_opponents_of_a_game_do_not_depend_on_the_games_beside_it():
    config = TINY.changed({"opponents": {"self": 1.0, "grow": 1.0, "hunter": 1.0}})
    games = under_way(60, 90)
    table = Table(config, games)
    players = table.see()
    rows = np.flatnonzero(players != table.pool.learner)
    together = table.pool.act(games, rows, players[rows])
    for row, action in zip(rows, together, strict=True):
        alone = games.copy([row])
        player = Table(config, alone, table.pool).see()
        assert player == players[row]
        assert table.pool.act(alone, np.zeros(1, np.int64), player) == action


def test_a_game_keeps_its_opponents_whatever_the_weights_become():
    config = TINY.changed({"opponents": {"random": 1.0, "grow": 1.0}})
    table = Table(config, Games(200, seed=5))
    before = table.everyone()
    table.seated.pool = OpponentPool(config.changed({"opponents": {"random": 1.0, "grow": 9.0}}), new_policy(config))
    np.testing.assert_array_equal(table.everyone(), before)
    table.games.reset(np.arange(200) < 100)
    changed = (table.everyone() != before).any(axis=1)
    assert changed[:100].any()
    assert not changed[100:].any()


def test_snapshots_are_what_the_policy_was():
    config = TINY.changed({"opponents": {"snapshots": 1.0}, "snapshots": 2})
    policy = Trainer(config).policy
    pool = OpponentPool(config, policy)
    past = []
    for _ in range(3):
        with torch.no_grad():
            policy.layers["action"].normal_()
        past.append(weights(policy))
        pool.take_snapshot()
    snapshots = pool.state_dict()["snapshots"]
    assert len(snapshots) == 2  # the oldest made room
    for saved, old in zip(snapshots, past[1:], strict=True):
        assert are_equal({name: tensor.numpy() for name, tensor in saved.items()}, old)


def test_snapshots_that_are_asked_together_play_as_each_alone():
    policy = new_policy(TINY)
    pool = OpponentPool(TINY.changed({"opponents": {"snapshots": 1.0}}), policy)
    states = []
    for _ in range(3):
        with torch.no_grad():
            for parameter in policy.parameters():
                parameter.normal_(std=0.3)
        states.append({name: tensor.clone() for name, tensor in policy.state_dict().items()})
        pool.take_snapshot()
    games = under_way(20, 45).copy(np.arange(9000) % 10)  # ten positions, often
    which = np.arange(9000) // 10 % 3
    actions = pool.act(games, np.arange(9000), len(pool.names) + which)
    assert games.legal()[np.arange(9000), actions].all()
    for number, state in enumerate(states):
        policy.load_state_dict(state)
        chances = BoardNetwork(policy.weights()).action_probabilities(games, np.arange(10))
        for position in range(10):
            drawn = actions[(which == number) & (np.arange(9000) % 10 == position)]
            shares = np.bincount(drawn, minlength=chances.shape[1]) / len(drawn)
            np.testing.assert_allclose(shares, chances[position], atol=0.13)  # of 300


@pytest.mark.parametrize("settings", TEAMS.values(), ids=TEAMS)
def test_what_opponents_decide_is_not_learned_from_and_of_a_team_all_seats_are(settings):
    config = TINY.changed({**settings, "opponents": {"random": 1.0}, "steps": 1, "rollout": 8})  # no game ends
    trainer = Trainer(config)
    trainer.run()
    for group, buffer in zip(trainer.self_play.groups, trainer.self_play.rollout.buffers, strict=True):
        seats = [tuple(np.flatnonzero(some)) for some in buffer.last >= 0]
        assert len(seats) == len(group._games)
        assert set(seats) <= set(config.sides.seats)
