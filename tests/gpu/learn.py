"""A training with its games on a GPU, for `make gpu-compile` and `make gpu-test`.

    python tests/gpu/learn.py

On a machine with a GPU: trainings there. Rollouts may not wait for the GPU, the policy must become better than random
players, and it is said how many decisions a second were learned from. The exit status is 1 if one of these fails.
"""

import copy
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_env import Games
from ursuppe_env.cuda.arrays import Array, Device
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.kernels.memory import Memory, Shared
from ursuppe_training.runs import trainer
from ursuppe_training.runs.trainer import Trainer

from support.host_device import HostDevice

#: A little of everything that is compiled for training.
TRIED = TrainingConfig(
    players=4,
    opponents={"self": 0.4, "snapshots": 0.3, "hunter": 0.2, "greedy": 0.1},
    whole_tables=0.4,
    snapshot_every=300,
    teachers=("hunter",),
    rulesets="varied",
    observe_rules=True,
    reward="margin",
    envs=6,
    rollout=70,
    steps=800,
    batch_size=128,
    epochs=1,
    layers=(16,),
    precision="float32",
)

#: Trainings on a GPU: a name, and what differs from the preset that it begins with. Nobody evaluates or waits in them.
ONLY_THERE = {"opponents": {"self": 0.4, "snapshots": 0.2, "breeder": 0.2, "hunter": 0.2}, "teachers": ["hunter"]}
MANY = {"envs": 8192, "rollout": 24, "batch_size": 32_768}
MEASURED = (
    ("quick", {}),
    ("standard, 3 M decisions", {"steps": 3_000_000}),
    ("standard, 10 M decisions, 8,192 games", {"steps": 10_000_000, **MANY}),
    ("standard, 20 M decisions, 8,192 games, without greedy", {"steps": 20_000_000, **MANY, **ONLY_THERE}),
)


def compare_training(door: Device) -> list[str]:
    """Train the same with the stand-in for a GPU and with the code for one; what differs, in words."""
    expected, found = _trained(HostDevice()), _trained(door)
    differences = []
    for name, tensor in expected.policy.state_dict().items():
        if not torch.allclose(tensor, found.policy.state_dict()[name], atol=1e-5):
            differences.append(f"weights {name}")
    for mine, theirs in zip(expected.self_play.saved_games(), found.self_play.saved_games(), strict=True):
        if not torch.equal(mine["states"], theirs["states"]):
            differences.append("games of a training")
    return differences


def _trained(device: Device) -> Trainer:
    with (
        patch.object(trainer, "gpu_for_games", lambda device_of_torch, processes: device),
        patch.object(Memory, "_shared", _shared),
    ):
        training = Trainer(TRIED, device="cpu", threads=1)
        training.run()
    return training


def _shared(memory: Memory, array: Array) -> Shared:
    """At the doorstep arrays are in the processor's memory, though they say that they are on a GPU."""
    numbers = np.asarray(array) if isinstance(array, np.ndarray) else array.gpu_data.memory
    return Shared(array, torch.from_numpy(numbers.view(array.dtype).reshape(array.shape)))


def main() -> int:
    failed = 0
    for name, changes in MEASURED:
        training = Trainer(read_config(name.partition(",")[0]).changed(changes), device="cuda")
        before = win_rate(training)
        if not training.self_play.pool.on_processor:
            refuse_waiting(training)
        began = time.perf_counter()
        training.run()
        seconds, after = time.perf_counter() - began, win_rate(training)
        print(
            f"{name}: {training.decisions:,} decisions in {seconds:.1f} s, {training.decisions / seconds:,.0f}/s with "
            f"what had to be compiled; {before:.0%} of its games against random players won before, {after:.0%} after",
            flush=True,
        )
        failed += after < before + 0.1
    return 1 if failed else 0


def refuse_waiting(training: Trainer) -> None:
    """Within a rollout, what makes torch wait for the GPU is an error from now on."""
    for group in training.self_play.groups:
        for name in ("begin_step", "end_step"):
            setattr(group, name, _without_waiting(getattr(group, name)))


def _without_waiting(method: Callable[[], None]) -> Callable[[], None]:
    def called() -> None:
        torch.cuda.set_sync_debug_mode("error")
        try:
            method()
        finally:
            torch.cuda.set_sync_debug_mode("default")

    return called


def win_rate(training: Trainer) -> float:
    """How often the policy wins in one seat, 2,000 games among random players; as good as they are: a quarter."""
    games = Games(2000, seed=99)
    policy = copy.deepcopy(training.policy).cpu()
    learned, others = PolicyAgent(np.random.default_rng(1), weights=policy.weights()), make_agent("random", 5)
    seats = np.arange(len(games)) % 4
    while not games.finished.all():
        actions, player = np.full(len(games), -1), games.player
        for agent, is_asked in ((learned, player == seats), (others, (player >= 0) & (player != seats))):
            if is_asked.any():
                rows = np.flatnonzero(is_asked)
                actions[rows] = agent.act(games, rows)
        games.step(actions)
    return float((games.winner == seats).mean())


if __name__ == "__main__":
    sys.exit(main())
