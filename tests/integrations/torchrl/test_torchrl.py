"""The recipes of docs/libraries/torchrl.md, and that TorchRL sees the games as they are."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import torch
from torchrl.envs import GymWrapper, PettingZooWrapper
from torchrl.envs.utils import check_env_specs

import ursuppe_env  # registers the environments
from ursuppe_env import Ruleset, UrsuppeVector, ursuppe_v0
from ursuppe_env.envs.torchrl import UrsuppeTorchEnv


@pytest.mark.parametrize("number", range(3))
def test_the_examples_run(examples, number: int, tmp_path):
    assert len(examples) == 3
    done = subprocess.run([sys.executable, "-c", examples[number]], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(("games", "players", "reward"), [(1, 3, "win"), (5, 4, "rank"), (3, 6, "margin")])
def test_specs(games: int, players: int, reward: str):
    check_env_specs(UrsuppeTorchEnv(games, Ruleset(players=players), reward=reward))


def test_teams_have_a_reward_each():
    teams = ((0, 2), (1, 3))
    env = UrsuppeTorchEnv(3, teams=teams)
    check_env_specs(env)
    assert env.rollout(5)["next", "reward"].shape == (3, 5, 2)
    game = PettingZooWrapper(ursuppe_v0.env(teams=teams), use_mask=True).rollout(1000)
    assert {game["next", team, "reward"].sum().item() for team in ("team_0", "team_1")} == {-1, 1}


def test_it_plays_the_games_of_the_vector_environment():
    env, vector = UrsuppeTorchEnv(4, reward="rank"), UrsuppeVector(4, reward="rank")
    env.set_seed(7)
    played = env.rollout(700, break_when_any_done=False)
    now = vector.reset(seed=7)
    for t in range(700):
        step = played[:, t]
        assert (step["observation"].numpy() == now.observations).all()
        assert (step["action_mask"].numpy() == now.action_mask).all()
        assert (step["current_player"][:, 0].numpy() == now.current_player).all()
        assert step["action_mask"].gather(1, step["action"][:, None]).all()
        now = vector.step(step["action"].numpy())
        assert (step["next", "reward"].numpy() == now.rewards).all()
        assert (step["next", "done"][:, 0].numpy() == now.terminated).all()
    ended = played["next", "terminated"][..., 0]
    assert ended.sum() >= 4
    assert sorted(played["next", "reward"][ended][0].tolist()) == pytest.approx([-1, -1 / 3, 1 / 3, 1])
    assert not played["next", "reward"][~ended].any()


def test_a_seed_fixes_all_chance_and_without_one_the_next_games_follow():
    torch.manual_seed(0)
    env = UrsuppeTorchEnv(2)
    env.set_seed(5)
    first, second = env.reset(), env.reset()
    env.set_seed(5)
    assert (env.reset() == first).all()
    assert not (second["observation"] == first["observation"]).all()


def test_games_are_reset_alone():
    env = UrsuppeTorchEnv(3)
    env.set_seed(1)
    state = env.rollout(20)[:, -1]["next"]
    before = env.vector.games.state.copy()
    state["_reset"] = torch.tensor([[False], [True], [False]])
    after = env.reset(state)
    assert (env.vector.games.state[[0, 2]] == before[[0, 2]]).all()
    assert env.vector.games.rounds[1] == 0
    assert (after["observation"].numpy() == env.vector.games.observe()).all()


def test_an_illegal_action_changes_nothing():
    env = UrsuppeTorchEnv(2)
    state = env.reset(seed=1)
    before = env.vector.games.state.copy()
    state["action"] = state["action_mask"].int().argmin(-1)
    with pytest.raises(ValueError, match="is not legal in decision start_place"):
        env.step(state)
    assert (env.vector.games.state == before).all()


def test_one_learner_among_opponents_sees_the_end_of_each_game():
    games, same = (
        gymnasium.make_vec("ursuppe_env/Ursuppe-v0", num_envs=3, reward="rank", autoreset_mode="SameStep")
        for _ in range(2)
    )
    env = GymWrapper(games, categorical_action_encoding=True)
    check_env_specs(env)
    state = env.reset(seed=3)
    _, infos = same.reset(seed=3)
    assert (state["action_mask"].numpy() == infos["action_mask"]).all()
    ended = 0
    for _ in range(150):
        actions = infos["action_mask"].argmax(axis=1)
        state["action"] = torch.from_numpy(actions)
        state, following = env.step_and_maybe_reset(state)
        observations, rewards, terminated, _, infos = same.step(actions)
        assert (state["next", "reward"][:, 0].numpy() == rewards.astype(np.float32)).all()
        assert (state["next", "done"][:, 0].numpy() == terminated).all()
        assert (following["observation"].numpy() == observations).all()
        for row in np.flatnonzero(terminated):
            assert (state["next", "observation"][row].numpy() == infos["final_obs"][row]).all()
            ended += 1
        state = following
    assert ended >= 3


@pytest.mark.parametrize("make", [ursuppe_v0.env, ursuppe_v0.raw_env])
def test_pettingzoo_wrapper(make):
    env = PettingZooWrapper(make(reward="rank"), use_mask=True)
    check_env_specs(env)
    game = env.rollout(1000)
    assert game["next", "done"][-1].all()
    rewards = [game["next", agent, "reward"].sum().item() for agent in env.possible_agents]
    assert sorted(rewards) == pytest.approx([-1, -1 / 3, 1 / 3, 1])
    decisions = torch.stack([game[agent, "info", "decision"].flatten() for agent in env.possible_agents])
    assert ((decisions >= 0).sum(0) == 1).all()  # one is asked; the others have -1
    assert decisions.max() < len(ursuppe_env.Decision)
