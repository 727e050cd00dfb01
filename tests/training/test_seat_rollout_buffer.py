"""The rollout buffer: each seat's own trajectory, returns and advantages."""

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete

from ursuppe_env.envs.rewards import final_rewards
from ursuppe_training.processes import Processes
from ursuppe_training.rollout import Rollout
from ursuppe_training.seat_rollout_buffer import Decisions
from ursuppe_training.trainer import Trainer

from support.training import TINY


def test_each_seat_has_its_own_trajectory_and_its_reward():
    # Two players 0 and 1 are at the table of game 0; the last decision is 1's, and 0 wins 1.
    #   step        0     1     2     3          discount 0.5, lambda 0.5
    #   player      0     1     0     1 -> end
    #   value      .2    .4    .6    .8
    rollout = new_rollout(size=4, gae_lambda=0.5, gamma=0.5)
    [buffer] = rollout.buffers
    for seat, value in zip([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8], strict=True):
        note(buffer, seat, value)
    assert buffer.is_full
    buffer.end_games(np.array([0]), np.array([[1.0, -1.0]], np.float32))
    buffer.compute_returns_and_advantages()
    last_of_0, last_of_1 = 1 - 0.6, -1 - 0.8
    first_of_0 = 0.5 * 0.6 - 0.2 + 0.25 * last_of_0
    first_of_1 = 0.5 * 0.8 - 0.4 + 0.25 * last_of_1
    advantages = np.array([first_of_0, first_of_1, last_of_0, last_of_1])
    np.testing.assert_allclose(buffer.returns, advantages + buffer.values, atol=1e-6)
    np.testing.assert_allclose(buffer.advantages, advantages, atol=1e-6)
    [batch] = rollout.minibatches(batch_size=100)
    order = np.argsort(batch.rows.numpy())
    normalised = (advantages - advantages.mean()) / advantages.std(ddof=1)
    np.testing.assert_allclose(batch.advantages.numpy()[order], normalised, atol=1e-6)
    np.testing.assert_allclose(batch.returns.numpy()[order], buffer.returns, atol=1e-6)


def test_a_decision_waits_for_its_successor_in_the_next_rollout():
    [buffer] = new_rollout(size=2, gae_lambda=1.0, gamma=1.0).buffers
    note(buffer, 0, 0.25)
    note(buffer, 1, 0.5)
    buffer.compute_returns_and_advantages()
    assert len(buffer.values) == 0
    saved = buffer.state_dict()
    buffer.reset()
    [other] = new_rollout(size=2, gae_lambda=1.0, gamma=1.0).buffers
    other.load_state_dict(saved)
    for one in (buffer, other):  # the same rollout, gone on with and resumed
        note(one, 1, 0.75)
        one.end_games(np.array([0]), np.array([[3.0, -3.0]], np.float32))
        note(one, 0, 0.125)  # the next game
        one.compute_returns_and_advantages()
        np.testing.assert_allclose(one.values, [0.25, 0.5, 0.75])
        np.testing.assert_allclose(one.returns, [3, -3, -3])


def new_rollout(size, gae_lambda, gamma):
    """Of one game of two players, with inputs of five numbers and three actions."""
    spaces = Box(0, 1, (4,)), Discrete(3)
    sizes = {"decisions_a_game": size, "group_sizes": [1], "players": 2, "num_inputs": 5, "precision": torch.float32}
    sizes["processes"] = Processes()
    return Rollout(0, *spaces, torch.device("cpu"), gae_lambda, gamma, 1, **sizes)


def note(buffer, seat, value):
    decisions = Decisions(torch.zeros(1, 5), torch.ones(1, 3, dtype=torch.bool), torch.zeros(1).long(), torch.zeros(1))
    buffer.add(np.array([0]), np.array([seat]), decisions, np.array([value], np.float32))


def test_the_last_decision_of_every_seat_gets_its_final_reward():
    trainer = Trainer(
        TINY.changed({"gae_lambda": 1.0, "steps": 1, "rollout": 700, "reward": "margin", "final_reward": "margin"})
    )
    checked = []
    for group, buffer in zip(trainer.model.groups, trainer.model.rollout_buffer.buffers, strict=True):
        watch_rewards(group, buffer, checked)
    trainer.run()
    assert len(checked) == 16 * 4


def watch_rewards(group, buffer, checked):
    end_games, compute = buffer.end_games, buffer.compute_returns_and_advantages
    first_end = {}  # rewards of the first game of each row

    def end_and_look(rows, rewards):
        np.testing.assert_array_equal(rewards, final_rewards("margin", group.games.markers[rows], group.games.ruleset))
        for row, reward in zip(rows.tolist(), rewards, strict=True):
            first_end.setdefault(row, reward)
        end_games(rows, rewards)

    def finish_and_look():
        compute()
        for row, rewards in first_end.items():
            for seat in range(4):
                # Without discount and with lambda 1, what a game's first decision returns is the final reward.
                decisions = np.flatnonzero((buffer._games == row) & (buffer._seats == seat))
                where = np.searchsorted(buffer.complete, decisions[0])
                assert buffer.returns[where] == pytest.approx(rewards[seat], abs=1e-5)
                checked.append((row, seat))

    buffer.end_games, buffer.compute_returns_and_advantages = end_and_look, finish_and_look
