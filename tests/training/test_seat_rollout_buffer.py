"""The rollout buffer: each seat's own trajectory, returns and advantages."""

import numpy as np
import pytest
import torch

from ursuppe_env.envs.rewards import final_rewards
from ursuppe_training.networks import new_policy
from ursuppe_training.seat_rollout_buffer import SeatRolloutBuffer
from ursuppe_training.trainer import Trainer

from support.training import TINY


def test_each_seat_has_its_own_trajectory_and_its_reward():
    # Two players 0 and 1 are at the table of game 0; the last decision is 1's, and 0 wins 1.
    #   step        0     1     2     3          discount 0.5, lambda 0.5
    #   player      0     1     0     1 -> end
    #   value      .2    .4    .6    .8
    policy = new_policy(TINY)
    buffer = SeatRolloutBuffer(
        4, policy.observation_space, policy.action_space, torch.device("cpu"), 0.5, 0.5, 1, num_games=1, players=2
    )
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
    [batch] = buffer.get(batch_size=100)
    order = np.argsort(batch.old_values.numpy())
    np.testing.assert_allclose(batch.advantages.numpy()[order], advantages, atol=1e-6)
    np.testing.assert_allclose(batch.old_values.numpy()[order], [0.2, 0.4, 0.6, 0.8], atol=1e-6)


def test_a_decision_waits_for_its_successor_in_the_next_rollout():
    policy = new_policy(TINY)
    buffer = SeatRolloutBuffer(
        2, policy.observation_space, policy.action_space, torch.device("cpu"), 1.0, 1.0, 1, num_games=1, players=2
    )
    note(buffer, 0, 0.25)
    note(buffer, 1, 0.5)
    buffer.compute_returns_and_advantages()
    assert len(buffer.values) == 0
    saved = buffer.state_dict()
    buffer.reset()
    other = SeatRolloutBuffer(
        2, policy.observation_space, policy.action_space, torch.device("cpu"), 1.0, 1.0, 1, num_games=1, players=2
    )
    other.load_state_dict(saved)
    for one in (buffer, other):  # the same rollout, gone on with and resumed
        note(one, 1, 0.75)
        one.end_games(np.array([0]), np.array([[3.0, -3.0]], np.float32))
        note(one, 0, 0.125)  # the next game
        one.compute_returns_and_advantages()
        np.testing.assert_allclose(one.values, [0.25, 0.5, 0.75])
        np.testing.assert_allclose(one.returns, [3, -3, -3])


def note(buffer, seat, value):
    size, actions = buffer.observations.shape[1], buffer.action_masks.shape[1]
    buffer.add(
        np.array([0]),
        np.array([seat]),
        torch.zeros(1, size),
        torch.ones(1, actions, dtype=torch.bool),
        torch.zeros(1, dtype=torch.int64),
        torch.zeros(1),
        np.array([value], np.float32),
    )


def test_the_last_decision_of_every_seat_gets_its_final_reward():
    trainer = Trainer(
        TINY.changed({"gae_lambda": 1.0, "steps": 1, "rollout": 700, "reward": "margin", "final_reward": "margin"})
    )
    model, buffer = trainer.model, trainer.model.rollout_buffer
    end_games, compute = buffer.end_games, buffer.compute_returns_and_advantages
    first_end = {}  # rewards of the first game of each row
    checked = []

    def end_and_look(rows, rewards):
        np.testing.assert_array_equal(rewards, final_rewards("margin", model.games.markers[rows], model.games.ruleset))
        for row, reward in zip(rows.tolist(), rewards, strict=True):
            first_end.setdefault(row, reward)
        end_games(rows, rewards)

    def finish_and_look():
        compute()
        for row, rewards in first_end.items():
            for seat in range(4):
                # Without discount and with lambda 1, what a game's first decision returns is the final reward.
                decisions = np.flatnonzero((buffer._games == row) & (buffer._seats == seat))
                where = np.searchsorted(buffer._complete, decisions[0])
                assert buffer.returns[where] == pytest.approx(rewards[seat], abs=1e-5)
                checked.append((row, seat))

    buffer.end_games, buffer.compute_returns_and_advantages = end_and_look, finish_and_look
    trainer.run()
    assert len(checked) == 16 * 4
