"""The Stable-Baselines3 environment and the opponents in it."""

import copy
import pickle

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
from ursuppe_env import Games
from ursuppe_env.envs.opponents import play_others
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.observation import observation_bounds

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores


def choose(env, generator):
    """A random legal action for each game."""
    return np.array([generator.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


def play(env, steps, seed=0):
    """Yield what each of these steps with random actions gives."""
    generator = np.random.default_rng(seed)
    env.reset()
    for _ in range(steps):
        yield env.step(choose(env, generator))


class Witness:
    """A random opponent that remembers in which games and for whom it acted."""

    def __init__(self):
        self.agent = make_agent("random", 3)
        self.calls = []

    def __call__(self, games, rows):
        self.calls.append((rows.copy(), games.player[rows]))
        return self.agent(games, rows)


# ---------------------------------------------------------------------- the contract


def test_maskable_ppo_learns_on_it():
    env = UrsuppeVecEnv(8, seed=1)
    assert is_masking_supported(env)
    model = MaskablePPO("MlpPolicy", env, n_steps=40, batch_size=80, n_epochs=1, seed=1, device="cpu")
    model.learn(640)
    assert model.num_timesteps == 640
    assert len(model.ep_info_buffer) == len(model.ep_success_buffer) > 0
    assert 40 < np.mean([episode["l"] for episode in model.ep_info_buffer]) < 160


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


def test_observations_can_be_normalised():
    env = VecNormalize(UrsuppeVecEnv(8, seed=1), norm_reward=False)
    model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=512, n_epochs=1, seed=1, device="cpu")
    model.learn(1024)
    assert len(model.ep_info_buffer) > 0
    assert env.obs_rms.count > 1000
    assert np.abs(env.reset()).max() <= env.clip_obs


def test_spaces_hold_what_it_gives():
    env = UrsuppeVecEnv(16, seed=2)
    low, high = observation_bounds(env.games.ruleset)
    np.testing.assert_array_equal(env.observation_space.low, low)
    np.testing.assert_array_equal(env.observation_space.high, high)
    assert env.action_space.n == env.games.num_actions
    for observations, rewards, dones, infos in play(env, 120):
        assert observations.shape == (16, env.games.observation_size)
        assert observations.dtype == rewards.dtype == np.float32
        assert dones.dtype == bool
        assert len(infos) == 16
        assert all(env.observation_space.contains(row) for row in observations)


def test_masks_are_those_of_the_learners_decision_and_never_empty():
    env = UrsuppeVecEnv(32, seed=3)
    for observations, *_ in play(env, 150):
        masks = get_action_masks(env)
        assert masks.dtype == bool
        np.testing.assert_array_equal(masks, env.games.legal())
        assert (masks.sum(axis=1) >= 2).all()  # a decision with a single answer is none
        np.testing.assert_array_equal(env.games.player, env.seats)
        np.testing.assert_array_equal(observations, env.games.observe(env.seats))


def test_observations_already_given_do_not_change():
    env = UrsuppeVecEnv(4, seed=3)
    first = env.reset()
    kept = first.copy()
    env.step(choose(env, np.random.default_rng(0)))
    np.testing.assert_array_equal(first, kept)


def test_an_empty_mask_is_an_error(monkeypatch):
    env = UrsuppeVecEnv(4, seed=3)
    monkeypatch.setattr(env.games, "legal", lambda out: out.fill(0))
    with pytest.raises(RuntimeError, match="game 0 asks the learner but allows no action"):
        env.reset()


def test_an_illegal_action_loses_the_game():
    env = UrsuppeVecEnv(4, seed=3)
    before = env.reset()
    actions = choose(env, np.random.default_rng(0))
    actions[2] = get_action_masks(env)[2].argmin()
    observations, rewards, dones, infos = env.step(actions)
    np.testing.assert_array_equal(rewards, [0, 0, -1, 0])
    np.testing.assert_array_equal(dones, [False, False, True, False])
    np.testing.assert_array_equal(infos[2]["terminal_observation"], before[2])
    assert infos[2]["illegal_action"]
    assert not infos[2]["is_success"]
    assert (infos[2]["episode"]["r"], infos[2]["episode"]["l"]) == (-1, 1)
    assert (observations[2] != before[2]).any()
    np.testing.assert_array_equal(env.games.state["episode"], [0, 0, 1, 0])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 0, 0, 151], "game 3: action is 151; it must be 0 ... 150"),
        ([0, -1, 0, 0], "game 1: action is -1"),
        ([0, 0], r"actions has shape \(2,\)"),
        ([0.0, 0.0, 0.0, 0.0], "actions has shape .* dtype float64"),
    ],
)
def test_what_is_no_action_is_refused_and_nothing_is_changed(actions, message):
    env = UrsuppeVecEnv(4, seed=3)
    env.reset()
    before = env.games.state.copy()
    with pytest.raises(ValueError, match=message):
        env.step(np.array(actions))
    np.testing.assert_array_equal(env.games.state, before)


def test_a_step_without_actions_or_games_is_an_error():
    env = UrsuppeVecEnv(4, seed=3)
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(4, int))
    env.reset()
    with pytest.raises(RuntimeError, match="without step_async"):
        env.step_wait()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_games is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"render_mode": "ansi"}, "render_mode is 'ansi'; it must be 'rgb_array' or None"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        UrsuppeVecEnv(**{"num_envs": 4, **arguments})


# ---------------------------------------------------------------------- the end of a game


@pytest.mark.parametrize("kind", ["win", "rank", "margin"])
def test_every_game_that_ends_gives_its_seat_its_reward_and_last_observation(kind):
    # Every game is played again from its seed by the same actions: the learner's own and the opponents' own streams.
    env = UrsuppeVecEnv(6, seed=11, reward=kind, threads=1)
    again = Games(6, seed=11, threads=1)
    generator = np.random.default_rng(4)
    env.reset()
    seats, lengths, ended = env.seats.copy(), np.zeros(6, int), 0
    play_others(again, seats)
    for _ in range(250):
        actions = choose(env, generator)
        _, rewards, dones, infos = env.step(actions)
        again.step(actions)
        play_others(again, seats)
        lengths += 1
        np.testing.assert_array_equal(again.finished, dones)
        expected = final_rewards(kind, again.markers, again.ruleset)[np.arange(6), seats]
        np.testing.assert_array_equal(rewards, np.where(dones, expected, 0))
        last = again.observe(seats)
        for i in np.flatnonzero(dones):
            np.testing.assert_array_equal(infos[i]["terminal_observation"], last[i])
            assert infos[i]["episode"]["r"] == pytest.approx(expected[i])
            assert infos[i]["episode"]["l"] == lengths[i]
            assert infos[i]["is_success"] == (again.winner[i] == seats[i])
            assert infos[i]["illegal_action"] is False
            assert infos[i]["TimeLimit.truncated"] is False
            ended += 1
        assert all(not infos[i] for i in np.flatnonzero(~dones))
        again.reset(dones)
        lengths[dones] = 0
        seats = env.seats.copy()
        play_others(again, seats)
    assert ended > 10


# ---------------------------------------------------------------------- opponents


def test_opponents_act_in_all_other_seats_and_never_for_the_learner():
    witness = Witness()
    env = UrsuppeVecEnv(6, seed=4, seat=1, opponent=witness)
    ended = sum(dones.sum() for _, _, dones, _ in play(env, 150))
    assert ended > 3
    seats = np.concatenate([seats for _, seats in witness.calls])
    assert set(seats) == {0, 2, 3}
    assert all(len(set(rows)) == len(rows) for rows, _ in witness.calls)


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


# ---------------------------------------------------------------------- seeds


def rollout(env, steps=100):
    return [(o.copy(), r.copy(), d.copy(), env.seats.copy()) for o, r, d, _ in play(env, steps)]


def differ(one, other):
    return any(not np.array_equal(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("opponent", [None, "random"], ids=["own streams", "agent"])
def test_the_same_seed_gives_the_same_data_and_leaves_global_generators_alone(opponent):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    one, other = (UrsuppeVecEnv(8, seed=5, opponent=opponent and make_agent(opponent, 2)) for _ in range(2))
    first = rollout(one)
    assert not differ(first, rollout(other))
    assert differ(first, rollout(one))  # a second reset goes on to other games
    one.seed(5)
    if opponent is None:
        assert not differ(first, rollout(one))
    one.seed(6)
    assert differ(first, rollout(one))
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True])
def test_what_is_no_seed_is_refused(seed):
    env = UrsuppeVecEnv(2, seed=5)
    with pytest.raises(ValueError, match=f"seed is {seed}"):
        env.seed(seed)
    np.testing.assert_array_equal(env.reset(), UrsuppeVecEnv(2, seed=5).reset())


def test_the_model_seeds_the_environment():
    env = UrsuppeVecEnv(4)
    MaskablePPO("MlpPolicy", env, seed=7, device="cpu")
    np.testing.assert_array_equal(env.reset(), UrsuppeVecEnv(4, seed=7).reset())
    assert env.seed(3) == [3] * 4


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_from_where_the_original_stood(duplicate):
    env = UrsuppeVecEnv(4, seed=5)
    for _ in play(env, 30):
        pass
    twin = duplicate(env)
    for _ in range(60):
        actions = choose(env, np.random.default_rng(0))
        for given, same in zip(env.step(actions)[:3], twin.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(given, same)


def test_a_seed_of_none_is_a_new_one():
    env = UrsuppeVecEnv(2, seed=5)
    assert env.seed(None) != env.seed(None)


# ---------------------------------------------------------------------- what else a VecEnv must have


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
    witness = Witness()
    env.set_attr("opponent", witness)
    env.step(choose(env, np.random.default_rng(0)))
    assert witness.calls
    with pytest.raises(ValueError, match="only be set for all 5"):
        env.set_attr("reward", "win", indices=[0])
    with pytest.raises(ValueError, match="reward is 'points'"):
        env.set_attr("reward", "points")
    assert env.reward == "rank"


def test_pictures_of_all_games_are_tiled():
    env = UrsuppeVecEnv(2, render_mode="rgb_array")
    env.reset()
    height, width, channels = env.render().shape
    assert (height, channels) == (2 * env.get_images()[0].shape[0], 3)
    assert width > 400


def test_vec_monitor_sees_the_same_episodes():
    plain, monitored = UrsuppeVecEnv(6, seed=8), VecMonitor(UrsuppeVecEnv(6, seed=8))
    generator = np.random.default_rng(1)
    plain.reset()
    monitored.reset()
    ended = 0
    for _ in range(120):
        actions = choose(plain, generator)
        _, _, dones, infos = plain.step(actions)
        seen = monitored.step(actions)[3]
        for i in np.flatnonzero(dones):
            ended += 1
            assert infos[i]["episode"]["r"] == pytest.approx(seen[i]["episode"]["r"])
            assert infos[i]["episode"]["l"] == seen[i]["episode"]["l"]
    assert ended > 0
