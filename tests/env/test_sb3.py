"""The Stable-Baselines3 environment and the opponents in it."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common import evaluation
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.envs.single_seat import UrsuppeVectorEnv
from ursuppe_env.teams import DUEL

from support.choices import choose

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores


def test_maskable_ppo_learns_on_it_and_on_normalised_observations():
    env = UrsuppeVecEnv(8, seed=1)
    normalised = VecNormalize(UrsuppeVecEnv(8, seed=1), norm_reward=False)
    for learned_on in (env, normalised):
        assert is_masking_supported(learned_on)
        model = MaskablePPO("MlpPolicy", learned_on, n_steps=80, batch_size=320, n_epochs=1, seed=1, device="cpu")
        model.learn(640)
        assert model.num_timesteps == 640
        assert len(model.ep_info_buffer) == len(model.ep_success_buffer) > 0
        assert 40 < np.mean([episode["l"] for episode in model.ep_info_buffer]) < 160
    assert normalised.obs_rms.count > 600
    assert np.abs(normalised.reset()).max() <= normalised.clip_obs


def test_maskable_ppo_learns_on_the_gymnasium_environment():
    env = gymnasium.make("ursuppe_env/Ursuppe-v0", num_players=3)
    check_env(env)
    assert is_masking_supported(env)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=1, device="cpu")
    model.learn(128)
    _, info = env.reset(seed=1)
    action, _ = model.predict(env.reset(seed=1)[0], action_masks=get_action_masks(env))
    assert info["action_mask"][action] == 1


def test_maskable_evaluation_during_and_after_the_training(tmp_path):
    env = VecMonitor(UrsuppeVecEnv(8, seed=1))  # Stable-Baselines3 warns unless both have the same wrappers
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=1, device="cpu")
    rating = VecMonitor(UrsuppeVecEnv(8, seed=2))
    callback = MaskableEvalCallback(rating, n_eval_episodes=8, eval_freq=16, log_path=str(tmp_path), verbose=0)
    model.learn(256, callback=callback)
    results = np.load(tmp_path / "evaluations.npz")
    assert results["results"].shape == (2, 8)
    assert results["successes"].shape == (2, 8)
    assert ((results["results"] == 1) == results["successes"]).all()
    rewards, lengths = evaluate_policy(model, rating, n_eval_episodes=8, return_episode_rewards=True)
    assert set(rewards) <= {np.float32(1), np.float32(-1 / 3)}
    assert min(lengths) > 30


def test_evaluation_without_masks_is_warned_about_and_with_masks_is_not():
    env = VecMonitor(UrsuppeVecEnv(4, seed=2))
    model = MaskablePPO("MlpPolicy", env, seed=1, device="cpu")
    with pytest.warns(UserWarning, match=r"nobody has asked for the action masks; .* sb3_contrib\.common\.maskable"):
        mean, _ = evaluation.evaluate_policy(model, env, n_eval_episodes=8)
    assert mean == -1
    mean, _ = evaluate_policy(model, env, n_eval_episodes=8)  # a warning would be an error
    assert mean > -1


def test_an_illegal_action_is_warned_about_only_where_nobody_asked_for_the_masks():
    env = UrsuppeVecEnv(4, seed=3)
    env.reset()
    illegal = get_action_masks(env).argmin(axis=1)
    env.step(illegal)  # knowing the masks
    legal = env.games.legal().argmax(axis=1)
    env.step(legal)  # legal without having asked
    with pytest.warns(UserWarning, match="nobody has asked for the action masks") as caught:
        env.step(env.games.legal().argmin(axis=1))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "options", [{}, {"reward": "margin"}, {"teams": DUEL}, {"ruleset": [Ruleset(end_zone=20), Ruleset()]}], ids=str
)
def test_it_gives_what_the_gymnasium_environment_gives(options: dict):
    env = UrsuppeVecEnv(6, seed=11, **options)
    other = UrsuppeVectorEnv(6, autoreset_mode="SameStep", **options)
    assert (env.observation_space, env.action_space) == (other.single_observation_space, other.single_action_space)
    generator, lengths, ended = np.random.default_rng(4), np.zeros(6, int), 0
    first, begun = env.reset(), other.reset(seed=11)[0].copy()
    np.testing.assert_array_equal(first, begun)
    for step in range(250):
        np.testing.assert_array_equal(get_action_masks(env), other.action_masks())
        np.testing.assert_array_equal(env.seats, other.seats)
        actions = choose(get_action_masks(env), generator)
        if step % 50 == 9:  # an illegal action, too
            actions[0] = other.action_masks()[0].argmin()
        observations, rewards, dones, infos = env.step(actions)
        expected, expected_rewards, terminations, _, expected_infos = other.step(actions)
        for given, right in ((observations, expected), (rewards, expected_rewards), (dones, terminations)):
            np.testing.assert_array_equal(given, right)
            assert given.dtype == right.dtype
        lengths += 1
        assert all(not infos[i] for i in np.flatnonzero(~dones))
        for i in np.flatnonzero(dones):
            ended += 1
            np.testing.assert_array_equal(infos[i]["terminal_observation"], expected_infos["final_obs"][i])
            assert (infos[i]["episode"]["r"], infos[i]["episode"]["l"]) == (rewards[i], lengths[i])
            for name in ("is_success", "illegal_action"):
                assert infos[i][name] is bool(expected_infos["final_info"][name][i])
            np.testing.assert_array_equal(infos[i]["markers"], expected_infos["final_info"]["markers"][i])
            assert infos[i]["TimeLimit.truncated"] is False
            if "ruleset" in options:
                assert infos[i]["ruleset"] == expected_infos["final_info"]["ruleset"][i]
            else:
                assert "ruleset" not in infos[i]
        lengths[dones] = 0
    assert ended > 5
    np.testing.assert_array_equal(first, begun)  # what was given does not change


def test_an_empty_mask_is_an_error(monkeypatch):
    env = UrsuppeVecEnv(4, seed=3)
    monkeypatch.setattr(env.games, "observe", lambda seat, out, rules, dtype, masks: masks.fill(0))
    with pytest.raises(RuntimeError, match="game 0 asks the learner but allows no action"):
        env.reset()


def test_a_step_without_actions_or_games_is_an_error():
    env = UrsuppeVecEnv(4, seed=3)
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(4, int))
    env.reset()
    with pytest.raises(RuntimeError, match="without step_async"):
        env.step_wait()


def test_a_random_agent_takes_every_legal_action_alike():
    games = Games(8, seed=6)
    games.play_random(60)
    rows = np.array([5, 2])
    agent = make_agent("random", 1)
    copies = games.copy(np.tile(rows, 3000), reseed=1)  # in the same game it takes the same one again
    actions = agent(copies, np.arange(len(copies))).reshape(3000, len(rows))
    for column, row in enumerate(rows):
        legal = np.flatnonzero(games.legal()[row])
        counts = np.bincount(actions[:, column], minlength=games.num_actions)
        assert counts.sum() == counts[legal].sum()
        expected = 3000 / len(legal)
        assert np.abs(counts[legal] - expected).max() < 5 * np.sqrt(expected)


def test_the_model_seeds_the_environment():
    env = UrsuppeVecEnv(4)
    MaskablePPO("MlpPolicy", env, seed=7, device="cpu")
    np.testing.assert_array_equal(env.reset(), UrsuppeVecEnv(4, seed=7).reset())
    assert env.seed(3) == [3] * 4


def test_attributes_and_methods():
    env = UrsuppeVecEnv(5, seed=1)
    env.reset()
    assert env.get_attr("render_mode") == [None] * 5
    assert env.get_attr("reward", indices=[0, 3]) == ["win", "win"]
    assert env.has_attr("action_masks")
    assert not env.has_attr("no_such_thing")
    assert env.get_attr("seats", indices=[4, 0]) == env.seats[[4, 0]].tolist()
    assert env.env_is_wrapped(VecMonitor) == [False] * 5
    masks = env.env_method("action_masks", indices=[4, -1, 1])
    np.testing.assert_array_equal(masks, env.games.legal()[[4, 4, 1]])
    with pytest.raises(AttributeError, match="no method 'render'"):
        env.env_method("render")
    with pytest.raises(ValueError, match="indices has 5; there are 5 games"):
        env.get_attr("reward", indices=5)
    env.close()


def test_attributes_can_be_set_for_all_games():
    env = UrsuppeVecEnv(5, seed=1)
    env.reset()
    env.set_attr("reward", "rank")
    assert env.reward == "rank"
    env.set_attr("seat", 2, indices=range(5))
    env.reset()
    assert env.get_attr("seats") == [2] * 5
    env.set_attr("opponent", agent := make_agent("random", 3))
    assert env.opponent is agent
    with pytest.raises(ValueError, match="only be set for all 5"):
        env.set_attr("reward", "win", indices=[0])
    with pytest.raises(ValueError, match="reward is 'points'"):
        env.set_attr("reward", "points")
    with pytest.raises(AttributeError, match="'opponents' cannot be set; what can is opponent, reward, seat, team"):
        env.set_attr("opponents", agent)
    assert env.reward == "rank"


def test_pictures_of_all_games_are_tiled():
    env = UrsuppeVecEnv(2, render_mode="rgb_array")
    env.reset()
    height, width, channels = env.render().shape
    assert (height, channels) == (2 * env.get_images()[0].shape[0], 3)
    assert width > 400
