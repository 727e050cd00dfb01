"""The recipes of docs/libraries/rllib.md, and that each seat is paid for its own decisions."""

import re
import subprocess
import sys

import numpy as np
import pytest
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from ursuppe_env import Ruleset
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.envs.rllib import UrsuppeMultiAgentEnv
from ursuppe_env.observation import observation_layout


# A mean that should be 0 may be a few billionths.
@pytest.mark.parametrize(
    ("number", "says"), [(0, r"\d+ games, mean rewards \{"), (1, r"mean reward -?(?:[01]\.|[\d.]+e-)")]
)
def test_the_examples_train_with_two_processes(examples, number: int, says: str, tmp_path):
    assert len(examples) == 2
    assert "num_env_runners=2" in examples[number]
    done = subprocess.run([sys.executable, "-c", examples[number]], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(says, done.stdout)) == 2, done.stdout


@pytest.mark.parametrize("config", [{}, {"num_players": 3, "reward": "rank"}, {"num_players": 6, "reward": "margin"}])
def test_one_agent_is_asked_at_a_time_and_all_are_paid_at_the_end(config: dict):
    env = UrsuppeMultiAgentEnv(config)
    ruleset = Ruleset(players=config.get("num_players", 4))
    to_act = observation_layout(ruleset.players)["to_act"]
    choices = np.random.default_rng(0)
    observations, infos = env.reset(seed=1)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    over = False
    while not over:
        ((agent, seen),) = observations.items()
        assert env.observation_spaces[agent].contains(seen)
        assert seen["observations"][to_act].tolist() == [1, *[0] * (ruleset.players - 1)]  # it is the agent itself
        assert infos[agent]["decision"] >= 0
        action = choices.choice(np.flatnonzero(seen["action_mask"]))
        observations, rewards, terminateds, truncateds, infos = env.step({agent: action})
        over = terminateds["__all__"]
        assert not any(truncateds.values())
        assert over or not any(rewards.values())
        for agent, reward in rewards.items():
            totals[agent] += reward
    assert set(observations) == set(rewards) == set(env.possible_agents)
    assert set(terminateds) == {*env.possible_agents, "__all__"}
    assert all(terminateds.values())
    assert all(env.observation_spaces[agent].contains(seen) for agent, seen in observations.items())
    markers = env._env.unwrapped.games.markers[0]
    result = final_rewards(config.get("reward", "win"), markers, ruleset)
    assert list(totals.values()) == pytest.approx(result.tolist())
    assert sum(totals.values()) == pytest.approx(0, abs=1e-6)


def test_the_episodes_of_rllib_hold_each_seats_own_decisions_and_result():
    masked = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [16]})
    config = (
        PPOConfig()
        .environment(UrsuppeMultiAgentEnv, env_config={"num_players": 3, "reward": "rank"})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda agent, episode, **_: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": masked}))
        .debugging(seed=1)
    )
    runner = MultiAgentEnvRunner(config=config)
    layout = observation_layout(3)
    episodes = runner.sample(num_episodes=2, random_actions=False)
    runner.stop()
    assert len(episodes) == 2
    for episode in episodes:
        assert episode.is_terminated
        own = episode.agent_episodes
        assert set(own) == {"player_0", "player_1", "player_2"}
        assert sum(len(part) for part in own.values()) == len(episode)
        for seat, agent in enumerate(sorted(own)):
            part = own[agent]
            seen, actions, rewards = part.get_observations(), part.get_actions(), part.get_rewards()
            assert len(seen["observations"]) == len(actions) + 1
            assert (seen["observations"][:-1, layout["to_act"]][:, 0] == 1).all()
            assert (seen["action_mask"][np.arange(len(actions)), actions] == 1).all()
            assert not rewards[:-1].any()
            markers = np.roll(seen["observations"][-1, layout["marker"]], seat)  # as the game counts them
            place = (markers > markers[seat]).sum()
            assert part.get_return() == rewards[-1] == pytest.approx(1 - place)
        assert sum(part.get_return() for part in own.values()) == pytest.approx(0)


def test_rllibs_own_check_passes_though_it_knows_no_masks():
    env = UrsuppeMultiAgentEnv()
    for _ in range(3):
        check_multiagent_environments(env)


def test_an_illegal_action_ends_the_game():
    env = UrsuppeMultiAgentEnv()
    observations, _ = env.reset(seed=1)
    ((agent, seen),) = observations.items()
    _, rewards, terminateds, _, _ = env.step({agent: int(np.argmin(seen["action_mask"]))})
    assert terminateds["__all__"]
    assert rewards == {name: -1.0 if name == agent else 0.0 for name in env.possible_agents}
    observations, _ = env.reset()
    assert len(observations) == 1


def test_one_seed_one_game():
    first, second = UrsuppeMultiAgentEnv(), UrsuppeMultiAgentEnv()
    for env in (first, second):
        env.reset(seed=3)
        env.reset()
    assert (first._env.unwrapped.games.state == second._env.unwrapped.games.state).all()


def test_a_team_is_one_agent_and_is_paid_as_one():
    env = UrsuppeMultiAgentEnv({"teams": ((0, 2), (1, 3)), "reward": "margin"})
    observations, infos = env.reset(seed=2)
    assert env.possible_agents == ["team_0", "team_1"]
    choices, over = np.random.default_rng(0), False
    while not over:
        ((agent, seen),) = observations.items()
        assert infos[agent]["seat"] % 2 == env.possible_agents.index(agent)
        action = choices.choice(np.flatnonzero(seen["action_mask"]))
        observations, rewards, terminateds, _, infos = env.step({agent: action})
        over = terminateds["__all__"]
    worst = env._env.unwrapped.games.markers[0].reshape(2, 2).min(axis=0)
    assert rewards == pytest.approx({"team_0": (worst[0] - worst[1]) / 84, "team_1": (worst[1] - worst[0]) / 84})
