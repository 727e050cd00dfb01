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
from ursuppe_training.kernels import seating
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.on_gpu.inputs import InputsOnGpu
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


class Watched:
    """Looks at what everybody chooses in a group of games on the GPU: is it what they choose on the processor?"""

    def __init__(self, trainer, group):
        self.view, self.pool = InputsView(trainer.config.observe_rules), trainer.self_play.pool
        self.group, self.backend = group, group.backend
        self.agents = set()
        self.answer, self.backend.answer = self.backend.answer, self.answer_and_look

    def answer_and_look(self):
        """Where games stand still because the rollout has all its decisions, nobody acts."""
        self.answer()
        games, backend, seated = self.backend.to_games(), self.backend, self.group._opponents
        inputs, masks = self.view.of(games), games.legal().view(bool)
        assert backend._seen.numpy().tobytes() == inputs.tobytes()
        assert backend._inputs.masks.tensor.numpy().tobytes() == masks.tobytes()
        players, actions = seated.acting.array, backend._actions.tensor.numpy()
        acts = players >= 0
        assert masks[np.flatnonzero(acts), actions[acts]].all()
        for number, name in enumerate(self.pool.names):
            rows = np.flatnonzero(players == number)
            if name in ("hunter", "grow", "greedy") and len(rows):
                expected = make_agent(name, 0).act(games, rows)
                np.testing.assert_array_equal(actions[rows], expected, name)
                assert (seated.teaches.array[rows] == (name in self.pool.teachers)).all()
                self.agents.add(name)
        np.testing.assert_array_equal(seated.learns.array, players == self.pool.learner)


@pytest.mark.parametrize("pool", POOLS)
def test_who_plays_on_the_gpu_chooses_as_on_the_processor(pool, gpu):
    trainer = Trainer(TINY.changed({**SETTINGS, **POOLS[pool]}), device="cpu")
    watched = [Watched(trainer, group) for group in trainer.self_play.groups]
    assert len(watched) == (2 if pool == "with agents on the processor" else 1)
    trainer.run()
    agents = {"hunter", "grow", "greedy"} & set(trainer.self_play.pool.names)
    assert set.union(*(group.agents for group in watched)) == agents


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
        group.backend.games.step_random()
        group.backend.games.reset(mask=group.backend.games.finished)
    drawn, states = [], group.backend.games.to_games().state.copy()
    end_step = group.end_step

    def end_step_and_look():
        end_step()
        now = group.backend.games.to_games().state
        rows = np.flatnonzero(now["episode"] != states["episode"])
        drawn.extend((int(states["key"][row]), int(now["ruleset"][row])) for row in rows)
        states[:] = now

    group.end_step = end_step_and_look
    trainer.run()
    num_rulesets = len(group.backend.games.rulesets)
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
    learner = trainer.learner
    for name in ("ppo_gradients", "cloning_gradients"):
        setattr(learner, name, without_waiting(getattr(learner, name)))
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
