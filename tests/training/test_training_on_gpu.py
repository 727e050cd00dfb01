"""Training with games on a GPU, row by row on the processor: the same games, and the same to learn from."""

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ursuppe_agents import make_agent
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_agents.policies.inputs import InputsView
from ursuppe_agents.policies.rulesets import varied_rulesets
from ursuppe_env import Games
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.networks.outcomes import outcomes_of
from ursuppe_training.on_gpu import bodies
from ursuppe_training.on_gpu.inputs import InputsOnGpu
from ursuppe_training.on_gpu.memory import Memory
from ursuppe_training.opponents import seating
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.ppo.buffer import Decisions, SeatRolloutBuffer
from ursuppe_training.ppo.sampling import FrozenCritic
from ursuppe_training.runs.trainer import Trainer

from support.host_device import HostDevice
from support.training import TINY, are_equal, weights

CPU = torch.device("cpu")
POOLS = {
    "on the GPU": {
        "opponents": {"self": 0.4, "snapshots": 0.2, "hunter": 0.2, "grow": 0.2},
        "whole_tables": 0.4,
        "snapshot_every": 300,
        "teachers": ["hunter"],
        "teaching": 1.0,
    },
    "with agents on the processor": {
        "opponents": {"self": 0.4, "random": 0.2, "grow": 0.2, "greedy": 0.2},
        "whole_tables": 0.4,
        "teachers": ["greedy"],
        "teaching": 1.0,
    },
    "in teams": {
        "opponents": {"self": 0.6, "hunter": 0.4},
        "teams": "0+2,1+3",
        "score": "sum",
        "whole_tables": 0.5,
        "reward": "rank",
    },
}
SETTINGS = {"precision": "float32", "rollout": 70, "envs": 6, "steps": 800}


@pytest.fixture
def gpu(monkeypatch):
    """What stands in for the GPU of every training from now on; torch computes on the processor beside it."""
    device = HostDevice()
    monkeypatch.setattr("ursuppe_training.runs.trainer.gpu_for_games", lambda device_of_torch, processes: device)
    return device


# ---------------------------------------------------------------------- the same as on the processor


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_inputs_are_those_of_the_processor(players, gpu):
    rulesets = tuple(varied_rulesets(players, 5, seed=players))
    games = Games(10, rulesets, seed=1)
    for observe_rules in (False, True) if players == 4 else (False,):
        for _ in range(2):
            games.play_random(70, restart=True)
            games.reset(games.finished)
            there = InputsOnGpu(GamesCuda.from_games(games, gpu), observe_rules, Memory(gpu, CPU))
            masks = np.zeros((len(games), games.num_actions), np.int8)
            expected = InputsView(observe_rules).of(games, masks=masks)
            assert there.look().numpy().tobytes() == expected.tobytes()
            assert there.masks.tensor.numpy().tobytes() == masks.tobytes()
            np.testing.assert_array_equal(there.seats.tensor.numpy(), games.player)


class Shadow:
    """Plays what a group of games on the GPU plays once more on the processor, and compares all on the way."""

    def __init__(self, trainer, group):
        config = trainer.config
        self.trainer, self.group = trainer, group
        self.games = group.games.to_games()
        self.source = RulesetSource(config.ruleset)
        self.view = InputsView(config.observe_rules)
        self.pool = OpponentPool(config, trainer.policy)
        size = config.rollout * len(self.games)
        capacity = SeatRolloutBuffer.capacity(size, len(self.games), config.players)
        shape = config.players, self.view.size(config.players), self.games.num_actions
        self.decisions = Decisions.empty(capacity, *shape, torch.float32, CPU)
        self.buffer = SeatRolloutBuffer(self.decisions, size, len(self.games), config.players, config.gae_lambda)
        self.taught = []
        self.is_new = True
        self.steps = 0
        group.begin_rollout = self.after(group.begin_rollout, self.begin_rollout)
        group.end_rollout = self.after(group.end_rollout, self.end_rollout)
        self.ends_there, group.end_step = group.end_step, self.both_end_step

    def after(self, method, then):
        def called(*arguments, **settings):
            method(*arguments, **settings)
            then()

        return called

    def begin_rollout(self):
        pool = self.trainer.self_play.pool
        self.pool.load_state_dict(pool.state_dict())
        self.pool.begin_rollout(self.trainer._rollouts)
        self.buffer.reset()
        self.taught.clear()

    def both_end_step(self):
        there = self.group.games
        standing, step = there.to_games().state.tobytes(), there.step
        is_over = self.buffer.is_full  # then the GPU has been asked for more steps than there are
        if not is_over:
            there.step = self.after(step, self.look)
        self.ends_there()
        there.step = step
        if not is_over:
            self.end_step()
            standing = self.games.state.tobytes()
        assert there.to_games().state.tobytes() == standing

    def look(self):
        """Everybody has chosen: is it what they choose on the processor?"""
        group, games, pool = self.group, self.games, self.pool
        n = len(games)
        players = pool.players(games)
        np.testing.assert_array_equal(group._opponents.acting.tensor, players)
        inputs, masks = self.view.of(games), games.legal().view(bool)
        assert group._seen.numpy().tobytes() == inputs.tobytes()
        assert group._inputs.masks.tensor.numpy().tobytes() == masks.tobytes()
        self.actions = group._actions.tensor.numpy().copy()
        assert masks[np.arange(n), self.actions].all()
        for number, name in enumerate(pool.names):
            rows = np.flatnonzero(players == number)
            if name in ("hunter", "grow", "greedy") and len(rows):
                expected = make_agent(name, 0).act(games, rows)
                np.testing.assert_array_equal(self.actions[rows], expected, name)
                if name in pool.teachers:
                    self.taught += [(inputs[row], masks[row], self.actions[row]) for row in rows]
        learning, seats = np.flatnonzero(pool.is_learner(players)), games.state["player"].astype(np.int64)
        self.buffer.add(
            learning,
            seats[learning],
            Decisions(
                torch.from_numpy(inputs[learning]),
                torch.from_numpy(masks[learning]),
                torch.from_numpy(self.actions[learning]),
                group._log_probs.tensor[learning].clone(),
                torch.from_numpy(pool.who_plays(games, learning, seats[learning])),
            ),
        )

    def end_step(self):
        games = self.games
        games.step(self.actions)
        rows = np.flatnonzero(games.finished)
        if len(rows):
            self.buffer.end_games(rows, outcomes_of(games, rows, self.pool.teams))
            self.pool.note_ends(games, rows)
            self.source.begin(games, games.finished, None)
        self.steps += 1

    def end_rollout(self):
        """The pools have counted the same; and what is learned from is the same, but for the order."""
        won = self.group._opponents._wins[:-1].view(bodies.NUM_COUNTS, -1)
        np.testing.assert_array_equal(won, self.pool._counts[0])
        assert self.group.learned == self.buffer._used - (self.buffer._full - self.buffer._size)
        taught = self.group._taught
        assert taught.used == min(len(self.taught), taught._room)
        for place, (inputs, masks, action) in enumerate(self.taught[: taught.used]):
            np.testing.assert_array_equal(taught._decisions.inputs[place], inputs)
            np.testing.assert_array_equal(taught._decisions.action_masks[place], masks)
            assert taught._decisions.actions[place] == action
        critic = FrozenCritic(self.trainer.policy, self.trainer.who_plays)
        reward_weights = self.trainer.self_play.reward.weights
        values = torch.cat([critic.predict(part) for part in self.buffer.slices]).numpy()
        self.buffer.compute_returns_and_advantages(values, reward_weights)
        there = self.group._buffer
        there.compute_returns_and_advantages(critic.predict, torch.from_numpy(reward_weights))
        assert len(there.complete) == len(self.buffer.complete) > 50
        mine, theirs = sorted_rows(self.decisions, self.buffer), sorted_rows(there._decisions, there)
        np.testing.assert_allclose(theirs, mine, atol=1e-5)


def sorted_rows(decisions, buffer):
    """Each decision with all that is learned from it, as a row of numbers; in an order of their own."""
    places = torch.as_tensor(buffer.complete)
    some = decisions.at(places)
    columns = [some.log_probs[:, None], some.actions[:, None], some.who_plays, some.inputs, some.action_masks]
    columns += [torch.as_tensor(found).flatten(1) for found in (buffer.values, buffer.returns)]
    columns.append(torch.as_tensor(buffer.advantages)[:, None])
    rows = torch.cat([column.double() for column in columns], dim=1).numpy()
    seen = rows[:, 6 : 6 + some.inputs.shape[1]]
    return rows[np.lexsort((rows[:, -1], seen @ np.arange(seen.shape[1]), rows[:, 1], rows[:, 0]))]


@pytest.mark.parametrize("pool", POOLS)
def test_games_and_what_is_learned_are_those_of_the_processor(pool, gpu):
    trainer = Trainer(TINY.changed({**SETTINGS, **POOLS[pool]}), device="cpu")
    shadows = [Shadow(trainer, group) for group in trainer.self_play.groups]
    assert len(shadows) == (2 if pool == "with agents on the processor" else 1)
    trainer.run()
    assert all(shadow.steps > 60 for shadow in shadows)


# ---------------------------------------------------------------------- as a training


def test_it_is_the_same_each_time_and_goes_on_bit_for_bit(gpu):
    config = TINY.changed({**SETTINGS, **POOLS["with agents on the processor"], "snapshot_every": 300})
    saved = []
    whole = Trainer(config, device="cpu", threads=2)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    assert len(saved) >= 2
    resumed = Trainer(config, device="cpu", threads=1)
    resumed.load_state_dict(saved[1])
    resumed.run()
    assert are_equal(weights(resumed.policy), weights(whole.policy))
    assert [state["states"].tolist() for state in resumed.self_play.saved_games()] == [
        state["states"].tolist() for state in whole.self_play.saved_games()
    ]
    assert resumed.self_play.pool.state_dict()["win_rates"] == whole.self_play.pool.state_dict()["win_rates"]


def test_rulesets_vary_from_game_to_game(gpu):
    config = TINY.changed({"rulesets": "varied", "observe_rules": True, "envs": 10, "rollout": 80, "steps": 1})
    trainer = Trainer(config, device="cpu")
    [group] = trainer.self_play.groups
    for _ in range(260):  # games have some 300 decisions
        group.games.step_random()
        group.games.reset(mask=group.games.finished)
    drawn, states = [], group.games.to_games().state.copy()
    end_step = group.end_step

    def end_step_and_look():
        end_step()
        now = group.games.to_games().state
        rows = np.flatnonzero(now["episode"] != states["episode"])
        drawn.extend((int(states["key"][row]), int(now["ruleset"][row])) for row in rows)
        states[:] = now

    group.end_step = end_step_and_look
    trainer.run()
    num_rulesets = len(group.games.rulesets)
    assert len(drawn) >= 3
    assert drawn == [(key, int(seating.uniform(np.uint64(key), 19) * num_rulesets)) for key, _ in drawn]
    assert len({ruleset for _, ruleset in drawn}) == len(drawn)


class NoWaiting(TorchDispatchMode):
    """Refuses what would wait for a GPU: numbers read from it, shapes that depend on them, copies of numbers to it."""

    WAITS = ("_local_scalar_dense", "nonzero", "masked_select", "unique", "where.Scalar", "equal.default")

    def __torch_dispatch__(self, function, types, arguments=(), settings=None):
        assert not any(name in str(function) for name in self.WAITS), function
        if "aten.index" in str(function):
            places = arguments[1] if isinstance(arguments[1], (list, tuple)) else []
            assert not any(place is not None and place.dtype == torch.bool for place in places), function
        return function(*arguments, **(settings or {}))


def test_nothing_waits_within_a_rollout_without_agents_on_the_processor(gpu):
    trainer = Trainer(TINY.changed({**SETTINGS, **POOLS["on the GPU"]}), device="cpu")
    [group] = trainer.self_play.groups
    begin_rollout, end_rollout, waited = group.begin_rollout, group.end_rollout, []
    mode = NoWaiting()

    def begin(*arguments):
        begin_rollout(*arguments)
        waited.append(-gpu.waited)
        mode.__enter__()

    def end():
        mode.__exit__(None, None, None)
        waited[-1] += gpu.waited
        end_rollout()

    group.begin_rollout, group.end_rollout = begin, end
    trainer.run()
    assert waited == [2, 0]  # the first one makes what observations need


def test_updates_read_nothing_between_minibatches(gpu):
    trainer = Trainer(TINY.changed({**SETTINGS, **POOLS["on the GPU"], "steps": 1}), device="cpu")
    gradients = trainer.ppo._gradients
    for name in ("of_ppo", "of_cloning"):
        setattr(gradients, name, without_waiting(getattr(gradients, name)))
    trainer.ppo._step = without_waiting(trainer.ppo._step)
    trainer.run()
    assert trainer.ppo.updates == 1


def without_waiting(method):
    def called(*arguments):
        with NoWaiting():
            return method(*arguments)

    return called


def test_it_learns_from_its_teachers(gpu):
    settings = {"opponents": {"self": 0.2, "grow": 0.8}, "teachers": ["grow"], "teaching": 1.0, "layers": (64,)}
    settings |= {"envs": 16, "rollout": 6, "batch_size": 64, "steps": 3000, "learning_rate": 5e-3}
    trainer = Trainer(TINY.changed(settings), device="cpu")
    before = agreement(trainer)
    trainer.run()
    assert before < 0.4
    assert agreement(trainer) > before + 0.25


def agreement(trainer):
    """In which part of the positions of random games the likeliest action is the teacher's."""
    games = Games(600, seed=99)
    games.play_random(120)
    rows = np.flatnonzero(games.player >= 0)
    agent = PolicyAgent(np.random.default_rng(1), weights=trainer.policy.weights(), deterministic=True)
    return float((agent.act(games, rows) == make_agent("grow", 0).act(games, rows)).mean())
