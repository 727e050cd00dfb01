"""Training in self-play: settings, both learners, opponents, runs that are interrupted, and the command."""

import io
import json
import os
import pickle
import re
import shlex
import shutil
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tomli_w
import torch
from rich.console import Console
from rich.progress import Progress, TextColumn
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_agents import make_agent
from ursuppe_agents.registry import agent_spec
from ursuppe_agents.statistics import Interval
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run as run_command
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.files import write_atomically
from ursuppe_env.rules.board import NEIGHBOUR, OBSTACLE, Direction
from ursuppe_env.sealed import SEAL_LENGTH, sealed, unsealed
from ursuppe_training import checkpoints, history, models, quick, runs
from ursuppe_training.behaviour_cloning import BehaviourCloning
from ursuppe_training.checkpoints import Checkpoints
from ursuppe_training.config import TrainingConfig, preset_names, read_config
from ursuppe_training.devices import device_named
from ursuppe_training.evaluation import WAYS, Evaluation, Result
from ursuppe_training.history import read_history
from ursuppe_training.models import load_policy
from ursuppe_training.networks import BoardView, network, new_policy
from ursuppe_training.opponent_pool import OpponentPool
from ursuppe_training.rewards import Reward
from ursuppe_training.runs import Run
from ursuppe_training.seat_rollout_buffer import SeatRolloutBuffer
from ursuppe_training.trainer import Trainer, train

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores

TINY = TrainingConfig(
    seed=3, steps=1000, envs=16, rollout=32, batch_size=128, epochs=1, layers=(16,), evaluation_pool=("random",)
)
MIXED = {"self": 0.4, "snapshots": 0.3, "random": 0.2, "grow": 0.1}
LEARNERS = pytest.mark.parametrize("learner", ["every_seat", "one_seat"])


def weights(policy):
    return {name: tensor.cpu().numpy().copy() for name, tensor in policy.state_dict().items()}


def are_equal(one, other):
    return all(np.array_equal(one[name], other[name]) for name in one | other)


def silent(line):
    pass


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("players", 2),
        ("edition", "1999"),
        ("reward", "points"),
        ("final_reward", "points"),
        ("seed", -1),
        ("seed", 2**32),
        ("learner", "all"),
        ("opponents", {}),
        ("opponents", {"self": 0.0}),
        ("opponents", "self"),
        ("teachers", ("random",)),
        ("teachers", ("self",)),
        ("teachers", "self"),
        ("teaching", 1.5),
        ("whole_tables", -0.1),
        ("snapshots", 0),
        ("snapshot_every", 0),
        ("steps", 0),
        ("steps", 1e6),
        ("minutes", 0),
        ("envs", 0),
        ("envs", True),
        ("rollout", 1),
        ("batch_size", 1),
        ("epochs", 0),
        ("learning_rate", 0),
        ("learning_rate", float("nan")),
        ("learning_rate", "fast"),
        ("final_learning_rate", -1),
        ("gamma", 1.1),
        ("gae_lambda", -0.1),
        ("clip_range", 0),
        ("entropy", -1),
        ("final_entropy", float("inf")),
        ("layers", 64),
        ("checkpoint_every", 0),
        ("checkpoints", 0),
        ("evaluate_every", 0),
        ("evaluation_games", 0),
        ("evaluation_pool", "random"),
    ],
)
def test_a_wrong_setting_is_named(name, wrong):
    with pytest.raises(ValueError, match=rf"^{name} is {re.escape(repr(wrong))}"):
        TrainingConfig(**{name: wrong})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponents": {"self": -1}}, r"^opponents\.self is -1; it must be a number of at least 0$"),
        ({"opponents": {"nobody": 1}}, r"^opponents: there is no agent 'nobody'; known are .*greedy.*"),
        ({"evaluation_pool": ["greedy:depth=2"]}, r"^evaluation_pool\[0\]: agent 'greedy' has no parameter 'depth'"),
        ({"evaluation_pool": [1]}, r"^evaluation_pool\[0\] is 1; it must be a text$"),
        ({"evaluation_pool": 1}, r"^evaluation_pool is 1; it must be a list of texts$"),
        ({"layers": (0,)}, r"^layers\[0\] is 0; it must be an integer of at least 1$"),
        ({"shared_layers": (1.5,)}, r"^shared_layers\[0\] is 1\.5; it must be an integer of at least 1$"),
        ({"reward": "points"}, r"^reward is 'points'; it must be one of 'win', 'rank', 'margin'$"),
        ({"opponents": {}}, r"^opponents is {}; it must be a table of numbers .*, such as {self = 1\.0}$"),
        ({"gamma": 1.1}, r"^gamma is 1\.1; it must be a number from 0 to 1$"),
        ({"clip_range": float("nan")}, r"^clip_range is nan; it must be a number between 0 and 1$"),
        ({"minutes": "long"}, r"^minutes is 'long'; it must be a number greater than 0$"),
        (
            {"opponents": {"grow": 1.0}, "teachers": ["grow"], "learner": "one_seat"},
            r"^teachers is \('grow',\); it needs learner 'every_seat'$",
        ),
        ({"rate": 1}, r"^there is no setting 'rate'; there are players, edition, .*"),
    ],
)
def test_what_is_wrong_with_settings_is_said(settings, message):
    with pytest.raises(ValueError, match=message):
        TrainingConfig(**settings)


def test_settings_come_back_from_what_a_file_has():
    config = TrainingConfig(layers=(8, 4), opponents={"greedy": 2.0, "self": 1.0}, evaluation_pool=("random",))
    assert TrainingConfig(**config.model_dump()) == config


def test_the_presets_can_be_read():
    assert preset_names() == ["long", "quick", "standard"]
    for name in preset_names():
        read_config(name)


def test_every_setting_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    for name in TrainingConfig.model_fields:
        assert f"`{name}`" in page


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("quickly", "there is no preset 'quickly'; there are long, quick, standard, or give a file that ends in .toml"),
        ("broken.toml", "broken.toml: not TOML: Expected '=' after a key"),
        ("wrong.toml", "wrong.toml: steps is -1; it must be an integer of at least 1"),
        ("latin.toml", "latin.toml: 'utf-8' codec can't decode"),
        ("deep.toml", "deep.toml: nested too deeply"),
        ("dotted.toml", "dotted.toml: nested too deeply"),
        ("../quick", "there is no preset '../quick'"),
    ],
)
def test_a_wrong_config_is_one_line_and_status_2(source, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_text("steps")
    Path("wrong.toml").write_text("steps = -1")
    Path("latin.toml").write_bytes(b"# \xe4")
    Path("deep.toml").write_text("layers = " + "[" * 5000 + "]" * 5000)
    Path("dotted.toml").write_text("opponents." + "a." * 5000 + "b = 1")
    assert run_command(["train", source]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"ursuppe: {message}")
    assert printed.count("\n") == 1
    assert not Path("runs").exists()


# ---------------------------------------------------------------------- networks


def test_the_board_view_sees_what_lies_where_amoebas_are():
    games = Games(300, seed=3)
    games.play_random(70)
    games = games.copy(np.flatnonzero(~games.finished))
    view = BoardView(new_policy(TINY).observation_space, 4, ())
    colours, viewed = np.split(
        view(torch.as_tensor(games.observe()))[:, games.observation_size :].numpy(), [19], axis=1
    )
    for game, lies_on, row in zip(games.state, colours, viewed.reshape(len(games), 9, 19), strict=True):
        me = int(game["player"])
        places = [int(space) for space in game["amoeba_space"][me]]
        direction = CARD_DIRECTION[game["card"]]
        drifted = [next_to(space, direction) for space in places]
        for place, space in enumerate(places + drifted):
            assert holds(row[:, place], game, me, space)
        for space in range(19):
            others = sum(game["food"][space, player] > 0 for player in range(4) if player != me)
            assert lies_on[space] == pytest.approx(others / 3)


CARD_DIRECTION = Ruleset().record[0]["card_direction"]


def next_to(space, direction):
    """Where the current takes an amoeba; -1 is off the board."""
    if space < 0 or direction == Direction.STAY or NEIGHBOUR[space, direction] == OBSTACLE:
        return space
    return int(NEIGHBOUR[space, direction])


def holds(seen, game, me, space):
    """Are the cubes, amoebas and other colours of this space what is seen?"""
    if space < 0:
        return not seen.any()
    players = [(me + seat) % 4 for seat in range(4)]
    food = [game["food"][space, player] / 4 for player in players]
    amoebas = [(game["amoeba_space"][player] == space).sum() for player in players]
    colours = np.count_nonzero(food[1:]) / 3
    return np.allclose(seen, [*food, *amoebas, colours])


def test_the_plain_policy_says_what_that_of_sb3_contrib_says():
    plain = Trainer(TINY).model.policy
    theirs = MaskableActorCriticPolicy(plain.observation_space, plain.action_space, lambda _: 1e-3, **network(TINY))
    theirs.load_state_dict(plain.state_dict())
    games = Games(300, seed=1)
    games.play_random(60)
    games = games.copy(np.flatnonzero(~games.finished))
    observations, masks = torch.as_tensor(games.observe()), games.legal()
    actions, values, log_probs = plain(observations, action_masks=masks)
    assert masks[np.arange(len(games)), actions].all()
    for one, other in zip(
        plain.evaluate_actions(observations, actions, masks),
        theirs.evaluate_actions(observations, actions, masks),
        strict=True,
    ):
        np.testing.assert_allclose(one.detach(), other.detach(), atol=1e-5)
    np.testing.assert_allclose(values.detach(), plain.predict_values(observations).detach(), atol=1e-6)
    np.testing.assert_allclose(
        log_probs.detach(), theirs.evaluate_actions(observations, actions, masks)[1].detach(), atol=1e-5
    )
    likeliest, _, _ = plain(observations, deterministic=True, action_masks=masks)
    np.testing.assert_array_equal(likeliest, theirs(observations, deterministic=True, action_masks=masks)[0])
    # What is drawn from one position comes as often as it should.
    drawn = plain(observations[:1].repeat(20_000, 1), action_masks=masks[:1].repeat(20_000, axis=0))[0]
    probabilities = theirs.get_distribution(observations[:1], masks[:1]).distribution.probs[0].detach()
    np.testing.assert_allclose(np.bincount(drawn, minlength=len(probabilities)) / 20_000, probabilities, atol=0.02)


# ---------------------------------------------------------------------- the buffer


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


# ---------------------------------------------------------------------- training


@LEARNERS
def test_the_same_settings_give_the_same_policy(learner):
    config = TINY.changed({"learner": learner, "opponents": MIXED, "snapshot_every": 400})
    first = weights(train(config).policy)
    assert are_equal(first, weights(train(config).policy))
    assert not are_equal(first, weights(train(config.changed({"seed": 4})).policy))


@pytest.mark.parametrize(("learner", "teachers"), [("every_seat", ("grow",)), ("one_seat", ())])
def test_a_run_that_is_saved_and_restored_goes_on_as_if_nothing_had_been(learner, teachers):
    settings = {"learner": learner, "opponents": MIXED, "teachers": teachers, "snapshot_every": 600, "steps": 3000}
    config = TINY.changed(settings)
    saved = []
    whole = Trainer(config)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    assert len(saved) == 6
    for state in (saved[0], saved[3]):
        resumed = Trainer(config)
        resumed.load_state_dict(state)
        resumed.run()
        assert resumed.decisions == whole.decisions
        assert are_equal(weights(whole.model.policy), weights(resumed.model.policy))


def test_a_run_is_only_continued_with_its_own_settings():
    saved = Trainer(TINY).state_dict()
    with pytest.raises(ValueError, match="of a run with other settings"):
        Trainer(TINY.changed({"gamma": 0.5})).load_state_dict(saved)
    with pytest.raises(ValueError, match=r"of layout older, version 1; this package has layout"):
        Trainer(TINY).load_state_dict(saved | {"layout": "older"})


@LEARNERS
def test_a_short_training_beats_chance_by_far(learner):
    settings = {"seed": 1, "steps": 60_000, "envs": 64, "rollout": 64, "batch_size": 512, "learning_rate": 2e-3}
    config = TINY.changed({**settings, "learner": learner, "layers": (64,), "opponents": {"random": 1.0}})
    policy = train(config).policy
    games = Games(400, seed=77, index=np.arange(400) // 4)
    seats = np.arange(400) % 4
    learner_, others = make_policy_agent(policy), make_agent("random", 1)
    while (rows := np.flatnonzero(~games.finished)).size:
        mine = games.player[rows] == seats[rows]
        for asked, agent in ((rows[mine], learner_), (rows[~mine], others)):
            if asked.size:
                games.step(agent(games, asked), asked)
    assert (games.winner == seats).mean() > 0.4


def make_policy_agent(policy):
    from ursuppe_training.policy_agent import PolicyAgent

    return PolicyAgent(np.random.default_rng(0), policy=policy, deterministic=True)


def test_no_action_is_illegal_in_100_000_decisions():
    config = TINY.changed({"steps": 100_000, "envs": 128, "rollout": 100, "batch_size": 4096, "opponents": MIXED})
    trainer = Trainer(config)
    taken = 0
    step = trainer.model.games.step

    def watch(actions):
        nonlocal taken
        games = trainer.model.games
        assert games.legal()[np.arange(len(games)), actions].all()
        taken += len(actions)
        step(actions)

    trainer.model.games.step = watch
    trainer.run()
    assert trainer.decisions >= 100_000
    assert taken > trainer.decisions  # the opponents' are among them


def test_the_reward_goes_from_one_kind_to_the_other():
    games = Games(10, seed=1)
    games.play_random()
    margin, win = (final_rewards(kind, games.markers, games.ruleset) for kind in ("margin", "win"))
    reward = Reward("margin", "win")
    rows = np.array([7, 2])
    for left, expected in ((1.0, margin), (0.25, 0.25 * margin + 0.75 * win), (0.0, win)):
        reward.progress_remaining = left
        np.testing.assert_allclose(reward.of(games, rows), expected[rows], atol=1e-6)


def test_schedules_go_from_the_first_to_the_last_value():
    config = TINY.changed(
        {"steps": 512 * 4, "learning_rate": 0.4, "final_learning_rate": 0.2, "entropy": 0.1, "final_entropy": 0.5}
    )
    trainer = Trainer(config)
    seen = []
    trainer.run(on_rollout=lambda: seen.append((trainer.model.ent_coef, rate(trainer))))
    seen.append((trainer.model.ent_coef, rate(trainer)))
    np.testing.assert_allclose(seen[1:], [(0.1, 0.4), (0.2, 0.35), (0.3, 0.3), (0.4, 0.25)], atol=0.005)


def rate(trainer):
    return trainer.model.policy.optimizer.param_groups[0]["lr"]


def test_the_time_can_be_limited():
    trainer = Trainer(TINY.changed({"steps": 10**9, "minutes": 0.01}))
    trainer.run()
    assert 0.6 <= trainer.seconds < 10
    assert trainer.progress_remaining == 0


# ---------------------------------------------------------------------- opponents


def test_seats_are_drawn_by_weight_and_each_game_has_a_learner():
    pool = OpponentPool(TINY.changed({"opponents": {"self": 1.0, "random": 2.0, "grow": 1.0}}), new_policy(TINY))
    games = Games(4000, seed=5)
    learning = np.empty((4000, 4), bool)
    for seat in range(4):
        games._states["player"][:] = seat
        learning[:, seat] = pool.is_learner(games)
    assert learning.any(axis=1).all()
    # One seat of four always learns, each other one with chance 1/4.
    np.testing.assert_allclose(learning.mean(axis=0), 1 / 4 + 3 / 4 / 4, atol=0.03)


def test_at_a_whole_table_one_draw_is_for_all_other_seats():
    config = TINY.changed({"opponents": {"self": 1.0, "random": 1.0}, "whole_tables": 0.6})
    pool = OpponentPool(config, new_policy(config))
    games = Games(4000, seed=5)
    learning = np.empty((4000, 4), bool)
    for seat in range(4):
        games._states["player"][:] = seat
        learning[:, seat] = pool.is_learner(games)
    # All four where all others are the policy, too: at half of the whole tables, by chance at an eighth of the others.
    everywhere, alone = learning.all(axis=1).mean(), (learning.sum(axis=1) == 1).mean()
    assert everywhere == pytest.approx(0.6 / 2 + 0.4 / 8, abs=0.03)
    assert alone == pytest.approx(0.6 / 2 + 0.4 / 8, abs=0.03)


def test_the_opponents_of_a_game_do_not_depend_on_the_games_beside_it():
    config = TINY.changed({"opponents": {"self": 1.0, "grow": 1.0, "hunter": 1.0}})
    pool = OpponentPool(config, new_policy(config))
    games = Games(60, seed=5)
    games.play_random(90)
    rows = np.flatnonzero(~games.finished & ~pool.is_learner(games))
    together = pool.act(games, rows)
    for row, action in zip(rows, together, strict=True):
        alone = games.copy([row])
        assert not pool.is_learner(alone)[0]
        assert pool.act(alone, np.zeros(1, np.int64)) == action


def test_snapshots_play_as_the_policy_did():
    config = TINY.changed({"opponents": {"snapshots": 1.0}, "snapshots": 2})
    policy = new_policy(config)
    pool = OpponentPool(config, policy)
    past = []
    for _ in range(3):
        with torch.no_grad():
            policy.action_net.weight.normal_()
        past.append(weights(policy))
        pool.take_snapshot()
    snapshots = pool.state_dicts()
    assert len(snapshots) == 2  # the oldest made room
    for saved, old in zip(snapshots, past[1:], strict=True):
        assert are_equal({name: tensor.numpy() for name, tensor in saved.items()}, old)


def test_what_opponents_decide_is_not_learned_from():
    trainer = Trainer(TINY.changed({"opponents": {"random": 1.0}, "steps": 1, "rollout": 8}))  # no game ends
    trainer.run()
    buffer = trainer.model.rollout_buffer
    used = buffer._used
    pairs = {(game, seat) for game, seat in zip(buffer._games[:used], buffer._seats[:used], strict=True)}
    games = [game for game, _ in pairs]
    assert len(games) == len(set(games)) == 16  # one seat in each


# ---------------------------------------------------------------------- teachers


def test_what_teachers_do_becomes_likelier():
    settings = {"opponents": {"hunter": 1.0}, "steps": 6000, "learning_rate": 2e-3, "final_learning_rate": 2e-3}
    games = Games(200, seed=8)
    games.play_random(60)
    games = games.copy(np.flatnonzero(~games.finished))
    taught = make_agent("hunter", 0).act(games, np.arange(len(games)))
    likelihood = {}
    for teachers in ((), ("hunter",)):
        policy = train(TINY.changed({**settings, "teachers": teachers, "teaching": 1.0})).policy
        _, log_probs, _ = policy.evaluate_actions(
            torch.as_tensor(games.observe()), torch.as_tensor(taught), torch.as_tensor(games.legal())
        )
        likelihood[teachers] = float(log_probs.detach().exp().mean())
    assert likelihood["hunter",] > likelihood[()] + 0.05


def test_behaviour_cloning_fades_out():
    settings = {"opponents": MIXED, "teachers": ("grow",), "teaching": 0.5, "steps": 512 * 4}
    trainer = Trainer(TINY.changed(settings))
    weights_ = []
    trainer.run(on_rollout=lambda: weights_.append(trainer.model.cloning_weight))
    weights_.append(trainer.model.cloning_weight)
    np.testing.assert_allclose(weights_[1:], [1, 0.5, 0, 0], atol=0.05)


def test_behaviour_cloning_leaves_the_learning_rate_as_it_was():
    policy = Trainer(TINY).model.policy
    cloning = BehaviourCloning(8, policy.observation_space.shape[0], int(policy.action_space.n), policy.device)
    games = Games(12, seed=1)
    masks = torch.as_tensor(games.legal()).bool()
    actions = masks.int().argmax(dim=1)
    cloning.add(torch.as_tensor(games.observe()), masks, actions)  # four more than there is room for
    before = policy.optimizer.param_groups[0]["lr"]

    def likelihood():
        return float(policy.evaluate_actions(torch.as_tensor(games.observe()), actions, masks)[1].detach().mean())

    untaught = likelihood()
    for _ in range(20):
        cloning.train(policy, weight=0.5)
    assert policy.optimizer.param_groups[0]["lr"] == before
    assert likelihood() > untaught


# ---------------------------------------------------------------------- runs in folders


RUN = TINY.changed(
    {"steps": 3000, "checkpoint_every": 600, "checkpoints": 2, "evaluate_every": 1500, "evaluation_games": 8}
)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    Run.begin(folder, RUN, silent).train()
    return folder


def test_a_run_keeps_what_is_needed_to_understand_and_continue_it(whole_run):
    names = {path.name for path in whole_run.iterdir()}
    assert names == {
        "config.toml",
        "provenance.json",
        "checkpoints",
        "evaluations.jsonl",
        "curves.svg",
        "tensorboard",
        "latest.zip",
        "best.zip",
    }
    assert read_config(str(whole_run / "config.toml")) == RUN
    assert len(list((whole_run / "checkpoints").iterdir())) == 2
    steps = sorted({figure.step for figure in read_history(whole_run / "evaluations.jsonl")})
    assert len(steps) == 2
    assert 1500 <= steps[0] < steps[1]
    assert steps[1] >= 3000
    _, config = load_policy(whole_run / "latest.zip")
    assert config.layers == RUN.layers
    assert list((whole_run / "tensorboard").iterdir())


@pytest.mark.parametrize("damage", [None, "cut", "empty"])
def test_a_run_that_was_interrupted_ends_as_an_uninterrupted_one(damage, whole_run, tmp_path):
    folder = tmp_path / "run"
    run = Run.begin(folder, RUN, silent)
    stop_after(run, 2400)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    kept = sorted((folder / "checkpoints").iterdir())
    assert len(kept) == 2
    said = []
    if damage is not None:
        content = kept[-1].read_bytes()
        kept[-1].write_bytes(content[: len(content) // 2] if damage == "cut" else b"")
    resumed = Run.resume(folder, said.append)
    if damage is not None:
        assert said[0].startswith(f"{kept[-1]} cannot be used, the one before it is tried: ")
        assert "\n" not in said[0]
    used = kept[-1 if damage is None else -2]
    assert said[-1] == f"Going on from {used}, after {int(used.stem):,} decisions."
    resumed.train()
    assert are_equal(weights(load_policy(folder / "latest.zip")[0]), weights(load_policy(whole_run / "latest.zip")[0]))
    figures = [
        [(one.step, one.opponent, one.way, one.mean) for one in read_history(path / "evaluations.jsonl")]
        for path in (folder, whole_run)
    ]
    assert figures[0] == figures[1]


def stop_after(run, decisions):
    step = run.trainer.model.games.step

    def watched(actions):
        if run.trainer.decisions >= decisions:
            raise KeyboardInterrupt
        step(actions)

    run.trainer.model.games.step = watched


def test_a_run_without_a_usable_checkpoint_says_so(tmp_path):
    said = []
    Run.begin(tmp_path / "run", RUN, silent)
    Run.resume(tmp_path / "run", said.append)
    assert said == [f"{tmp_path / 'run'} has no checkpoint yet; beginning anew."]
    (tmp_path / "run" / "checkpoints").mkdir()
    (tmp_path / "run" / "checkpoints" / "000000001000.pt").write_bytes(b"")
    with pytest.raises(ValueError, match="none of its 1 checkpoints can be used"):
        Run.resume(tmp_path / "run", silent)


def test_whatever_damages_a_checkpoint_is_noticed(tmp_path):
    checkpoints = Checkpoints(tmp_path, 3)
    checkpoints.write(7, {"weights": torch.arange(3000.0), "settings": "{}", "rollouts": 4})
    [path] = (tmp_path / "checkpoints").iterdir()
    content = path.read_bytes()
    length = len(content)
    places = [*range(0, length, length // 40), *range(length - 72, length, 6)]
    damaged = [content[:place] + bytes([content[place] ^ 64]) + content[place + 1 :] for place in places]
    damaged += [content[: length * part // 8] for part in range(8)]
    damaged += [content[:start] + bytes(512) + content[start + 512 :] for start in range(0, length - 512, 1500)]
    damaged += [content[:-1], content + b"\n", content * 2, unsealed(content)]
    for one in damaged:
        assert one != content
        path.write_bytes(one)
        [(_, found)] = checkpoints.read()
        assert isinstance(found, ValueError)
        assert "digest" in str(found)
        assert "\n" not in str(found)
    path.write_bytes(content)
    [(_, found)] = checkpoints.read()
    assert found["weights"].tolist() == list(range(3000))


class Trap:
    """Makes the folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


@pytest.mark.parametrize("write", [torch.save, pickle.dump])
def test_no_code_of_a_checkpoint_is_run_and_nobody_is_told_how_to(write, tmp_path):
    Run.begin(tmp_path / "run", RUN, silent)
    content = io.BytesIO()
    write({"trainer": Trap(tmp_path / "sprung")}, content)
    path = tmp_path / "run" / "checkpoints" / "000000000005.pt"
    path.parent.mkdir()
    path.write_bytes(sealed(content.getvalue()))
    said = []
    with pytest.raises(ValueError, match="none of its 1 checkpoints can be used"):
        Run.resume(tmp_path / "run", said.append)
    assert said == [
        f"{path} cannot be used, the one before it is tried: "
        "it holds more than numbers and settings, which this package never writes"
    ]
    assert not (tmp_path / "sprung").exists()


# ---------------------------------------------------------------------- interruptions


class Killed(BaseException):
    """What a kill at this moment is like: nothing is tidied up by us."""


def count_writes(monkeypatch, die_before):
    """Die instead of the write or removal of this number; returns a list that has as many items as there were."""
    done = []

    def counted(function):
        def write(*arguments):
            if len(done) == die_before:
                raise Killed
            done.append(arguments)
            return function(*arguments)

        return write

    for module in (runs, checkpoints, history, models):
        monkeypatch.setattr(module, "write_atomically", counted(write_atomically))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))
    return done


def quick_evaluation(model, pool, num_games, seed, ruleset):
    """In place of games: a figure that every bit of the weights has its part in."""
    share = zlib.crc32(model.read_bytes()[: -2 * SEAL_LENGTH]) / 2**32
    results = [Result("random", way, num_games, Interval(share, 0.0, 1.0), (share,) * 4) for way in WAYS]
    return Evaluation(seed, 0.25, tuple(results))


def what_a_run_has(folder):
    """All that a run must have in the end, without the time that it took."""
    found = {name: (folder / name).read_bytes() for name in ("config.toml", "latest.zip", "best.zip", "curves.svg")}
    found["history"] = [replace(figure, seconds=0.0) for figure in read_history(folder / "evaluations.jsonl")]
    found["provenance"] = sorted(json.loads((folder / "provenance.json").read_text()))
    for path, saved in Checkpoints(folder, 1).read():
        saved["trainer"].pop("seconds")
        for figure in saved["evaluations"]:
            figure.pop("seconds")
        found[path.name] = plain(saved)
    return found


def plain(value):
    """The value with its tensors as bytes, to be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return (value.shape, value.numpy().tobytes()) if isinstance(value, torch.Tensor) else value


@LEARNERS
def test_a_run_that_is_killed_at_any_write_ends_as_an_uninterrupted_one(learner, tmp_path, monkeypatch):
    # The last of the evaluations and the last of the checkpoints are due at the last decision.
    config = TINY.changed(
        {"learner": learner, "steps": 48, "envs": 4, "rollout": 4, "batch_size": 16, "evaluate_every": 24}
        | {"checkpoint_every": 16, "checkpoints": 2}
    )
    monkeypatch.setattr(runs, "evaluate_policy", quick_evaluation)
    monkeypatch.setattr(runs, "draw_curves", lambda figures: str([replace(one, seconds=0) for one in figures]).encode())
    whole = tmp_path / "whole"
    with monkeypatch.context() as patch:
        writes = count_writes(patch, die_before=None)
        Run.begin(whole, config, silent).train()
    expected = what_a_run_has(whole)
    assert len({figure.step for figure in expected["history"]}) == 2
    assert len(writes) > 12
    for number in range(1, len(writes)):  # before the first one there is no run to resume
        folder = tmp_path / f"{number}"
        with monkeypatch.context() as patch:
            count_writes(patch, die_before=number)
            with pytest.raises(Killed):
                Run.begin(folder, config, silent).train()
        Run.resume(folder, silent).train()
        assert what_a_run_has(folder) == expected, writes[number]
        shutil.rmtree(folder)


def test_a_finished_run_has_nothing_left_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "evaluate_policy", quick_evaluation)
    config = TINY.changed({"steps": 64, "envs": 4, "rollout": 4, "batch_size": 16})
    Run.begin(tmp_path / "run", config, silent).train()
    writes = count_writes(monkeypatch, die_before=0)
    Run.resume(tmp_path / "run", silent).train()
    assert writes == []


@pytest.mark.parametrize(
    ("checkpoint_every", "says"),
    [
        (10**6, "Nothing that was learned is kept, because there was no checkpoint yet; begin anew with: "),
        (100, "What was learned up to 512 decisions is kept; continue with: "),
    ],
)
def test_ctrl_c_says_what_is_kept(checkpoint_every, says, tmp_path, monkeypatch, capsys):
    begin = Run.begin

    def begin_and_stop(*arguments):
        run = begin(*arguments)
        stop_after(run, 700)
        return run

    monkeypatch.setattr(Run, "begin", begin_and_stop)
    (tmp_path / "study").mkdir()
    file = tmp_path / "study" / "tiny.toml"
    file.write_bytes(tomli_w.dumps(TINY.changed({"checkpoint_every": checkpoint_every}).model_dump()).encode())
    folder = tmp_path / "it's mine"
    assert run_command(["train", str(file), "--out", str(folder)]) == 130
    assert f"{says}ursuppe train --resume {shlex.quote(str(folder))}\n" in capsys.readouterr().err


# ---------------------------------------------------------------------- agents of other modules


EVIL = """
from pathlib import Path
from ursuppe_agents.scripted.agent import *
from ursuppe_agents import make_agent

Path("sprung").touch()
Bot = type(make_agent("random", 0))
"""


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """A module in the current folder that leaves a trace when it is imported."""
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(EVIL)
    yield Path("sprung")
    sys.modules.pop("evil", None)


@pytest.mark.parametrize(
    "settings",
    [
        "evaluation_pool = ['evil:Bot']",
        "opponents = { 'self' = 1, 'evil:Bot' = 1 }",
        "opponents = { 'evil:Bot' = 0 }\nteachers = ['evil:Bot']",
        "teachers = ['evil:Bot']",
        "evaluation_pool = ['random', 'evil:Bot:depth=3']",
    ],
)
def test_no_module_is_imported_because_a_file_names_it(settings, evil, capsys):
    Path("mine.toml").write_text(
        f"steps = 16\nenvs = 4\nrollout = 4\nbatch_size = 16\nevaluation_games = 4\n{settings}"
    )
    Run.begin(Path("run"), TINY, silent)
    with Path("run/config.toml").open("w") as file:
        file.write(settings)
    for command in (["train", "mine.toml"], ["train", "--resume", "run"]):
        for allowed in ([], ["--allow-module", "other"], ["--allow-module", "evil.inner"]):
            assert run_command([*command, *allowed]) == 2
            printed = capsys.readouterr().err
            assert re.search(r"agent 'evil:Bot\S*' is from the module evil, .* --allow-module evil$", printed.strip())
    with pytest.raises(ValueError, match="--allow-module evil"):
        Run.resume(Path("run"), silent)
    assert not evil.exists()


def test_a_run_with_agents_of_ones_own_goes_on_when_they_are_allowed_again(evil, capsys):
    options = [*SMALL, "--set", "opponents={self=1, 'evil:Bot'=1}", "--set", "evaluation_pool=['evil:Bot']"]
    assert run_command(["train", "quick", *options, "--out", "run"]) == 0
    assert evil.exists()
    sys.modules.pop("evil")
    evil.unlink()
    assert run_command(["train", "--resume", "run"]) == 2
    assert not evil.exists()
    assert run_command(["train", "--resume", "run", "--allow-module", "evil"]) == 0
    assert evil.exists()
    run = Run.resume(Path("run"), silent, allowed_modules=["evil"])
    assert run.said_when_interrupted().endswith("ursuppe train --resume run --allow-module evil")
    assert run_command(["train", "run/config.toml", "--allow-module", "evil", "--out", "again"]) == 0


# ---------------------------------------------------------------------- paths and devices


@pytest.mark.parametrize("name", ['lr=1,e=2: it\'s "ün[/b]$x$" ', "-x\ny"])
def test_a_run_may_lie_anywhere(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = [*SMALL, "--set", "evaluation_pool=['random']", "--set", "evaluate_every=300"]
    assert run_command(["train", "quick", *options, "--out", name]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("policy: ")
    assert printed.count("\n") == 1
    assert run_command(["train", "--resume", name]) == 0
    best = Path(name) / "best.zip"
    code = agent_spec("policy", model=str(best))
    options = ["--against", code, "--games", "4", "--workers", "1", "--out", f"{name},too"]
    assert run_command(["evaluate", *options, "--", name]) == 0
    assert json.loads((Path(f"{name},too") / "evaluation.json").read_text())["results"][0]["opponent"] == code
    assert run_command(["record", "--agents", f"random,{code},random,{code}", "--games", "1", "games.jsonl"]) == 0
    config = Path("again.toml")
    config.write_text(tomli_w.dumps(TINY.changed({"evaluation_pool": [code], "opponents": {code: 1.0}}).model_dump()))
    assert read_config("again.toml").evaluation_pool == (code,)


def test_an_opponents_code_is_no_markup_of_the_progress_bar(tmp_path, monkeypatch):
    opponent, shown = "policy:[/b].zip", io.StringIO()

    def evaluation(*_):
        return Evaluation(0, 0.25, (Result(opponent, "likeliest", 4, Interval(0.5, 0.0, 1.0), (0.5,) * 4),))

    def bar():
        return Progress(TextColumn("{task.description}"), console=Console(file=shown, force_terminal=True, width=200))

    monkeypatch.setattr(runs, "evaluate_policy", evaluation)
    monkeypatch.setattr(runs, "progress_bar", bar)
    config = TINY.changed({"steps": 48, "envs": 4, "rollout": 4, "batch_size": 16, "evaluate_every": 16})
    Run.begin(tmp_path / "run", config, silent).train()
    assert f"{opponent} 50%" in shown.getvalue()


def test_a_folder_that_tensorboard_cannot_write_to_is_refused_before_anything_is_written(tmp_path, capsys):
    folder = tmp_path / "\udcff"  # a byte that is no UTF-8
    assert run_command(["train", "quick", "--out", str(folder)]) == 2
    assert capsys.readouterr().err == f"ursuppe: {str(folder)!a} is no UTF-8; give a folder of another name\n"
    assert not folder.exists()


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:7", "mps", "meta", "xla", "abacus", "cpu:3", ""])
def test_a_device_that_is_not_here_is_refused_before_anything_is_written(device, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    out = tmp_path / "run"
    assert run_command(["train", "quick", *SMALL, "--device", device, "--out", str(out)]) == 2
    printed = capsys.readouterr().err
    assert printed == f"ursuppe: device is {device!r}, which is not here; there are auto, cpu\n"
    assert not out.exists()
    Run.begin(out, TINY, silent)
    with pytest.raises(ValueError, match=r"which is not here; there are auto, cpu$"):
        Run.resume(out, silent, device)


def test_a_gpu_is_named_by_its_number(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [str(device_named(name)) for name in ("auto", "cuda", "cuda:1", "cpu")] == ["cuda", "cuda", "cuda:1", "cpu"]
    with pytest.raises(ValueError, match=r"device is 'cuda:2', .*; there are auto, cpu, cuda:0, cuda:1$"):
        device_named("cuda:2")


def test_provenance_names_device_threads_and_precision(tmp_path):
    Run.begin(tmp_path / "run", TINY, silent, device="cpu")
    provenance = json.loads((tmp_path / "run" / "provenance.json").read_text())
    assert provenance["device"] == "cpu"
    assert provenance["threads"] == torch.get_num_threads()
    assert provenance["precision"] == {"numbers": "float32", "products": "highest"}


def test_a_network_that_no_file_may_have_is_refused_before_anything_is_written(tmp_path, capsys):
    options = ["--set", "layers=[20000, 20000]", "--out", str(tmp_path / "run")]
    assert run_command(["train", "quick", *options]) == 2
    assert "layers make a network of 808,337,432 weights; it must have at most 10,000,000" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


# ---------------------------------------------------------------------- commands


SMALL = [
    "--set",
    "steps=600",
    "--set",
    "envs=8",
    "--set",
    "rollout=32",
    "--set",
    "layers=[8]",
    "--set",
    "evaluation_games=8",
]


def test_the_command_trains_and_continues(tmp_path, capsys):
    out = tmp_path / "run"
    options = [
        *SMALL,
        "--set",
        "reward=rank",
        "--set",
        "opponents={self=1, random=1}",
        "--set",
        "evaluation_pool=['random']",
    ]
    assert run_command(["train", "quick", *options, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"policy: {out / 'best.zip'}\n"
    assert "decisions, 0.0 minutes: random" in printed.err
    config = read_config(str(out / "config.toml"))
    assert (config.reward, config.opponents, config.layers) == ("rank", {"self": 1, "random": 1}, (8,))
    assert run_command(["train", "--resume", str(out)]) == 0  # there is nothing left to do
    assert run_command(["train", "quick", *options, "--out", str(out)]) == 2
    assert capsys.readouterr().err.endswith(
        f"{out} exists already; give another folder, or continue it with --resume {out}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "players=7"], "players is 7"),
        (["--set", "reward=points"], "reward is 'points'"),
        (["--set", "speed=1"], "there is no setting 'speed'"),
        (["--set", "steps"], "--set 'steps' is no NAME=VALUE"),
        (["--resume", "no/such/run"], "no/such/run has no config.toml"),
        (["--resume", "run", "--set", "steps=1"], "--resume continues a run with its own settings"),
        (["--set", "steps=1", "--out", "taken"], "taken exists already"),
        (["--set", "steps=1", "--device", "abacus"], "device is 'abacus', which is not here"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("")
    assert run_command(["train", *arguments]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("ursuppe: ")
    assert message in printed
    assert printed.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_quick_run_prints_its_win_rate_and_keeps_its_policy(tmp_path, capsys):
    folder = tmp_path / "quick"
    for _ in range(2):  # the second one writes over the first
        quick.run(TINY, folder, num_games=40)
    printed = capsys.readouterr().out
    assert (folder / "evaluation.json").exists()
    assert "chance 25.0%" in printed
    assert "3 random" in printed
    assert str(folder / "best.zip") in printed


def test_the_quick_run_leaves_alone_what_is_no_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thesis = tmp_path / "runs" / "quick" / "thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("all of it")
    with pytest.raises(SystemExit) as ended:
        quick.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err == (
        f"{quick.FOLDER} exists already; give another folder, or continue it with --resume {quick.FOLDER}\n"
    )
    assert thesis.read_text() == "all of it"


def test_the_quick_run_ends_in_one_line_when_interrupted(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(quick, "run", interrupted)
    with pytest.raises(SystemExit) as ended:
        quick.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err.count("\n") == 1
