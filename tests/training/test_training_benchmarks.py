"""The benchmarks of training measure what they say, of the same job; how fast it is, is not asked here."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from ursuppe_env import UrsuppeVector
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.files import new_policy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

# What CleanRL's script does with an agent and its games.
SCRIPT = '''
import argparse

import gymnasium as gym
import torch


class Agent:
    """Replaced."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("num-envs", "num-steps", "num-minibatches", "update-epochs", "total-timesteps", "seed"):
        parser.add_argument(f"--{name}", type=int)
    args, _ = parser.parse_known_args()
    envs = gym.vector.SyncVectorEnv([None] * args.num_envs)
    agent = Agent(envs)
    seen, _ = envs.reset(seed=args.seed)
    for _ in range(args.total_timesteps // args.num_envs // args.num_steps):
        for _ in range(args.num_steps):
            seen = torch.Tensor(seen)
            action, log_prob, _, _ = agent.get_action_and_value(seen)
            seen, rewards, terminations, truncations, infos = envs.step(action.cpu().numpy())
        for _ in range(args.update_epochs * args.num_minibatches):
            agent.get_action_and_value(torch.Tensor(seen), action.long())
    print("not on the screen")
    envs.close()
'''


def num_weights(network):
    return sum(weights.numel() for weights in network.parameters())


@pytest.fixture
def benchmark(monkeypatch) -> Callable[[str], ModuleType]:
    """Imports a benchmark, or a module of one."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module


@pytest.fixture(params=["every seat", "one seat"])
def config(request, benchmark) -> TrainingConfig:
    """The job of the benchmark, much smaller."""
    config = benchmark("peers.job").job(request.param)
    return config.changed({"envs": 8, "rollout": 8, "batch_size": 32, "epochs": 1, "steps": 128})


def test_every_step_asks_whoever_is_about_to_act_and_rewards_them(benchmark):
    config = TrainingConfig(envs=3, reward="rank")
    env = benchmark("peers.job").EverySeatVecEnv(config)
    games = UrsuppeVector(3, config.ruleset, reward="rank")
    now, seen, generator, ended = games.reset(config.seed), env.reset(), np.random.default_rng(0), 0
    for _ in range(700):
        np.testing.assert_array_equal(seen.astype(np.uint8), games.games.state.view(np.uint8).reshape(3, -1))
        np.testing.assert_array_equal(env.action_masks(), now.action_mask)
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in now.action_mask])
        actors, before = now.current_player.copy(), seen.copy()
        now, (after, rewards, dones, _) = games.step(actions), env.step(actions)
        np.testing.assert_array_equal(seen, before)
        np.testing.assert_array_equal(rewards, now.rewards[np.arange(3), actors])
        np.testing.assert_array_equal(dones, now.terminated)
        seen, ended = after, ended + dones.sum()
    assert ended > 3


def test_the_network_of_the_peers_is_that_of_the_policy_and_takes_no_illegal_action(benchmark, config):
    games = benchmark("peers.job").MaskedGames(config)
    network = benchmark("peers.trainers").Network(config)
    seen, _ = games.reset()
    assert games.single_observation_space.contains(seen[0])
    logits, values = network(torch.from_numpy(seen))
    masks = seen[:, -games.single_action_space.n :]
    assert (logits.softmax(dim=1).detach().numpy()[masks == 0] == 0).all()
    assert values.shape == (8, 1)
    assert num_weights(network) == num_weights(new_policy(config))


def test_the_watch_tells_two_phases_apart(benchmark, monkeypatch):
    job = benchmark("peers.job")
    clock = iter([0.0, 1.0, 3.0, 6.0, 10.0])
    monkeypatch.setattr(job.time, "perf_counter", lambda: next(clock))
    watch = job.Watch()
    for phase in (watch.collecting, watch.collecting, watch.updating, watch.updating, watch.collecting, watch.updating):
        phase()
    assert watch.stop() == [(1.0, 2.0), (3.0, 4.0)]


@pytest.mark.parametrize("name", ["ursuppe", "sb3_contrib", "cleanrl"])
def test_every_trainer_does_the_same_job(benchmark, config, name: str, tmp_path, capsys):
    train = getattr(benchmark("peers.trainers"), name)
    arguments = []
    if name == "cleanrl":
        (tmp_path / "cleanrl").mkdir()
        (tmp_path / "cleanrl" / "ppo.py").write_text(SCRIPT)
        arguments = [tmp_path]
    measured = train(config, *arguments)
    assert measured.weights == num_weights(new_policy(config))
    assert len(measured.times) == 2
    assert min(second for times in measured.times for second in times) > 0
    assert capsys.readouterr().out == ""


def test_a_peer_that_is_not_installed_is_named_with_what_to_install(benchmark, monkeypatch, capsys):
    peers = benchmark("ppo_peers")
    monkeypatch.setattr(peers.importlib.util, "find_spec", lambda name: None)
    assert list(peers.trainers_here(Path("cleanrl"))) == ["ursuppe train", "SB3-contrib MaskablePPO"]
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == ["CleanRL", "PufferLib"]
