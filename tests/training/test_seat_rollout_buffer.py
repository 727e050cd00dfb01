"""The rollout buffer: each seat's own trajectory, returns and advantages."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.weights import KINDS, WIN
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_training.ppo.buffer import Decisions
from ursuppe_training.ppo.rollout import Rollout
from ursuppe_training.processes import Processes
from ursuppe_training.runs.trainer import Trainer

from support.training import TINY

WIN_WEIGHTS = np.array([1, 0, 0], np.float32)  # the reward is the chance of winning itself


def test_each_seat_has_its_own_trajectory_and_its_outcome():
    # Two players 0 and 1 are at the table of game 0; the last decision is 1's, and 0 wins.
    #   step        0     1     2     3          lambda 0.5
    #   player      0     1     0     1 -> end
    #   chance      .2    .4    .6    .8         that the one who decides wins
    rollout = new_rollout(size=4, gae_lambda=0.5)
    [buffer] = rollout.buffers
    for seat, chance in zip([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8], strict=True):
        note(buffer, seat, chance)
    assert (buffer.learned, buffer.is_full) == (4, True)
    end_game(buffer, winner=0)
    rollout.compute_returns_and_advantages(WIN_WEIGHTS)
    last_of_0, last_of_1 = 1 - 0.6, 0 - 0.8
    first_of_0 = 0.6 - 0.2 + 0.5 * last_of_0
    first_of_1 = 0.8 - 0.4 + 0.5 * last_of_1
    advantages = np.array([first_of_0, first_of_1, last_of_0, last_of_1])
    np.testing.assert_allclose(buffer.advantages, advantages, atol=1e-6)
    np.testing.assert_allclose(buffer.returns[:, 0, WIN], advantages + buffer.values[:, 0, WIN].numpy(), atol=1e-6)
    np.testing.assert_allclose(buffer.returns[:, :, WIN].sum(dim=1), 1, atol=1e-6)  # one of them wins
    [batch] = rollout.minibatches(100, torch.Generator())
    order = np.argsort(batch.rows.numpy())
    normalised = (advantages - advantages.mean()) / advantages.std(ddof=1)
    np.testing.assert_allclose(batch.advantages.numpy()[order], normalised, atol=1e-6)
    np.testing.assert_allclose(batch.returns.numpy()[order], buffer.returns, atol=1e-6)


def test_advantages_are_of_the_reward_that_counts():
    [buffer] = new_rollout(size=1, gae_lambda=1.0).buffers
    note(buffer, 0, 0.25)
    end_game(buffer, winner=0)
    buffer.chains.finals[0, 0] = [1.0, 0.5, 0.125]  # win, rank, margin
    for weights, expected in (([1, 0, 0], 0.75), ([0, 1, 0], 0.5), ([2, 0, 1], 1.625)):
        buffer.compute_returns_and_advantages(np.array(weights, np.float32))
        assert float(buffer.advantages) == pytest.approx(expected)


def test_a_decision_waits_for_its_successor_in_the_next_rollout():
    [buffer] = new_rollout(size=2, gae_lambda=1.0).buffers
    note(buffer, 0, 0.25)
    note(buffer, 1, 0.5)
    buffer.compute_returns_and_advantages(WIN_WEIGHTS)
    assert len(buffer.values) == 0
    saved = buffer.state_dict()
    buffer.reset()
    [other] = new_rollout(size=2, gae_lambda=1.0).buffers
    other.load_state_dict(saved)
    for one in (buffer, other):  # the same rollout, gone on with and resumed
        note(one, 1, 0.75)
        end_game(one, winner=0)
        note(one, 0, 0.125)  # the next game
        one.compute_returns_and_advantages(WIN_WEIGHTS)
        np.testing.assert_allclose(one.values[:, 0, WIN], [0.25, 0.5, 0.75])
        np.testing.assert_allclose(one.returns[:, 0, WIN], [1, 0, 0])


def new_rollout(size, gae_lambda):
    """Of one game of two players."""
    return Rollout(
        decisions_a_game=size,
        group_sizes=[1],
        players=2,
        gae_lambda=gae_lambda,
        processes=Processes(),
    )


def note(buffer, seat, chance):
    """A decision of a seat, of which the critic predicts this chance of winning and nothing else."""
    decisions = Decisions.empty(1, players=2)
    decisions.values[0, :, WIN] = torch.tensor([chance, 1 - chance])
    buffer.add(np.zeros(1, np.int64), np.array([seat], np.int8), decisions)


def end_game(buffer, winner):
    """Of two players, after the last decision of each."""
    chains = buffer.chains
    for seat, place in enumerate(chains.last[0]):
        if place >= 0:
            chains.is_final[place] = True
            chains.finals[place] = 0
            chains.finals[place, abs(winner - seat), WIN] = 1


def test_the_last_decision_of_every_seat_gets_the_outcome():
    trainer = Trainer(
        TINY.changed({"gae_lambda": 1.0, "steps": 1, "rollout": 700, "reward": "margin", "final_reward": "margin"})
    )
    checked = []
    for group, buffer in zip(trainer.self_play.groups, trainer.self_play.rollout.buffers, strict=True):
        watch_rewards(group, buffer, checked)
    trainer.run()
    assert len(checked) == 16 * 4


def watch_rewards(group, buffer, checked):
    add, rulesets, compute = buffer.add, group._rulesets, buffer.compute_returns_and_advantages
    first, margins = {}, {}  # the place of the first decision of each seat, and the rewards, in a row's first game

    def add_and_look(games, seats, decisions):
        for place, (game, seat) in enumerate(zip(games, seats, strict=True), buffer._used):
            first.setdefault((int(game), int(seat)), place)
        add(games, seats, decisions)

    class Looks:
        """Begins the next games, after a look at those that are over."""

        def begin(self, games, finished, seed):
            for row in np.flatnonzero(finished).tolist():
                margins.setdefault(row, final_rewards("margin", games.markers[row], games.ruleset))
            rulesets.begin(games, finished, seed)

    def compute_and_look(reward_weights):
        compute(reward_weights)
        complete = buffer.complete.tolist()
        for (row, seat), place in first.items():
            # With lambda 1, what a game's first decision returns is its outcome.
            where = complete.index(place)
            seen = np.roll(margins[row], -seat)
            np.testing.assert_allclose(buffer.returns[where, :, KINDS.index("margin")], seen, atol=1e-5)
            surplus = seen[0] - buffer.values[where, 0, KINDS.index("margin")]
            assert float(buffer.advantages[where]) == pytest.approx(float(surplus), abs=1e-5)
            checked.append((row, seat))

    buffer.add, group._rulesets = add_and_look, Looks()
    buffer.compute_returns_and_advantages = compute_and_look
