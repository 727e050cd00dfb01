"""The rollout buffer: each seat's own trajectory, returns and advantages."""

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.weights import KINDS, WIN
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.rules.state import STATE
from ursuppe_training.devices import Processes
from ursuppe_training.ppo.rollout import Decisions, Rollout
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
    buffer.finals[0, 0] = [1.0, 0.5, 0.125]  # win, rank, margin
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
    return Rollout(decisions_a_game=size, group_sizes=[1], players=2, gae_lambda=gae_lambda, processes=Processes())


def note(buffer, seat, chance):
    """A decision of a seat, of which the critic predicts this chance of winning and nothing else."""
    decisions = Decisions.empty(1, players=2)
    decisions.values[0, :, WIN] = torch.tensor([chance, 1 - chance])
    buffer.add(np.zeros(1, np.int64), np.array([seat], np.int8), decisions)


def end_game(buffer, winner):
    """Of two players, after the last decision of each."""
    outcomes = np.zeros((1, 2, 2, 3), np.float32)
    for seat in range(2):
        outcomes[0, seat, abs(winner - seat), WIN] = 1
    buffer.end_games(np.zeros(1, np.int64), outcomes)


def test_every_decision_of_a_game_that_ended_is_followed_by_its_outcome(monkeypatch):
    # With lambda 1, what a decision returns is the outcome.
    settings = {"gae_lambda": 1.0, "steps": 1, "rollout": 500, "reward": "margin", "final_reward": "margin"}
    trainer = Trainer(TINY.changed(settings))
    margins = {}
    for group in trainer.self_play.groups:
        watch_ends(group, margins, monkeypatch)
    trainer.run()
    kind, seen = KINDS.index("margin"), set()
    for buffer in trainer.self_play.rollout.buffers:
        states = buffer.decisions.states[buffer.complete].numpy().view(STATE)[:, 0]
        decided = list(zip(games_of(states), states["player"].tolist(), strict=True))
        rows = [row for row, (game, _) in enumerate(decided) if game in margins]
        expected = np.stack([np.roll(margins[game], -seat) for game, seat in decided if game in margins])
        np.testing.assert_allclose(buffer.returns[rows, :, kind], expected, atol=1e-5)
        advantages = expected[:, 0] - buffer.values[rows, 0, kind].numpy()
        np.testing.assert_allclose(buffer.advantages[rows], advantages, atol=1e-5)
        seen.update(decided[row] for row in rows)
    assert len(margins) >= 16
    assert seen == {(game, seat) for game in margins for seat in range(4)}


def games_of(states):
    """Which game each state is of."""
    return list(zip(states["index"].tolist(), states["episode"].tolist(), strict=True))


def watch_ends(group, margins, monkeypatch):
    """Note the rewards of each game of a group that ends, before the next one begins in its place."""
    begin_next = group.rulesets.begin

    def begin(games, finished, seed):
        for row, game in enumerate(games_of(games.state)):
            if finished[row]:
                margins[game] = final_rewards("margin", games.markers[row], games.ruleset)
        begin_next(games, finished, seed)

    monkeypatch.setattr(group.rulesets, "begin", begin)
