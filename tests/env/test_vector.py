"""Many games, all seats: ``UrsuppeVector``."""

import numpy as np
import pytest

from ursuppe_env import Ruleset, TimeStep, UrsuppeVector, ursuppe_v0
from ursuppe_env.observation import observation_size
from ursuppe_env.teams import DUEL

from support.choices import choose

SIZE = observation_size(4)


def kept(step: TimeStep) -> TimeStep:
    """A copy that the next step does not overwrite."""
    return TimeStep(*(array.copy() for array in step))


def same(one: TimeStep, other: TimeStep) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_shapes_and_dtypes():
    env = UrsuppeVector(5, Ruleset(players=3))
    first = env.reset(seed=1)
    for step in (first, env.step(choose(first.action_mask, np.random.default_rng(0)))):
        assert step.observations.shape == (5, env.observation_size)
        assert step.action_mask.shape == (5, env.num_actions)
        assert step.rewards.shape == (5, 3) == (5, env.num_players)
        assert step.current_player.shape == step.terminated.shape == (5,)
        assert [array.dtype for array in step] == [np.float32, np.int8, np.int8, np.float32, bool]


@pytest.mark.parametrize(
    "options",
    [
        *({"num_players": players} for players in (3, 5, 6)),
        *({"teams": seats} for seats in (DUEL, ((1,), (0, 2, 3)))),
        {"edition": "1997", "teams": ((0, 1), (2,), (3,)), "score": "sum"},
    ],
)
def test_every_game_is_that_of_the_aec_environment_and_so_is_the_next(options: dict):
    alone = []
    for index in range(3):
        env = ursuppe_v0.raw_env(reward="rank", **options)
        env.games.reset(index=[index])
        env.reset(seed=7)
        alone.append(env)
    together = UrsuppeVector(3, reward="rank", **options)
    side_of = range(together.num_players) if together.teams is None else together.teams.team_of
    step = together.reset(seed=7)
    choices = np.random.default_rng(0)
    ended = np.zeros(3, int)
    while (ended < 2).any():
        for row, env in enumerate(alone):
            seen = env.observe(env.agent_selection)
            assert env.agent_selection == env.possible_agents[side_of[step.current_player[row]]]
            np.testing.assert_array_equal(step.observations[row], seen["observation"])
            np.testing.assert_array_equal(step.action_mask[row], seen["action_mask"])
        actions = choose(step.action_mask, choices)
        step = together.step(actions)
        over = together.final_games
        assert (0 if over is None else len(over)) == step.terminated.sum()
        assert over is None or over.finished.all()
        final = iter(range(3))
        for row, env in enumerate(alone):
            env.step(actions[row])
            np.testing.assert_array_equal(step.rewards[row], np.float32(list(env.rewards.values())))
            assert step.terminated[row] == all(env.terminations.values())
            if step.terminated[row]:
                ended[row] += 1
                position = next(final)
                for number, agent in enumerate(env.possible_agents):
                    last = over.observe(env.infos[agent].get("seat", number))[position]
                    np.testing.assert_array_equal(last, env.observe(agent)["observation"])
                env.reset()


def test_without_autoreset_a_finished_game_stays_until_it_is_reset():
    env = UrsuppeVector(20, autoreset=False)
    step = env.reset(seed=3)
    choices = np.random.default_rng(0)
    rewarded = np.zeros(20, int)
    while not step.terminated.all():
        before = step.terminated.copy()
        step = env.step(choose(step.action_mask, choices))
        rewarded += step.rewards.any(axis=1)
        over = step.terminated
        assert over[before].all()
        assert not step.rewards[before].any()
        assert (step.current_player[over] == -1).all()
        assert (step.current_player[~over] >= 0).all()
        assert not step.observations[over].any()
        assert step.action_mask[over].all()  # any action will do
        assert env.final_games is None
    assert (rewarded == 1).all()
    assert env.games.finished.all()
    for actions in ([-1] * 20, [10**6] * 20, np.full(20, 3, np.uint8)):
        assert env.step(actions).terminated.all()

    mask = np.arange(20) < 3
    last = env.games.state.copy()
    step = env.reset(mask=mask)
    np.testing.assert_array_equal(step.terminated, ~mask)
    assert not step.rewards.any()
    np.testing.assert_array_equal(env.games.state[~mask], last[~mask])
    np.testing.assert_array_equal(env.games.state["episode"][:3], [1, 1, 1])
    assert not env.step(choose(step.action_mask, choices)).terminated[:3].any()


def test_results_go_into_the_arrays_given_and_are_returned():
    env, other = UrsuppeVector(6), UrsuppeVector(6)
    arrays = [np.empty((300, *array.shape), array.dtype) for array in env.buffers()]
    rollout = [TimeStep(*(array[i] for array in arrays)) for i in range(300)]
    step, expected = env.reset(seed=4, out=rollout[0]), [kept(other.reset(seed=4))]
    choices = np.random.default_rng(0)
    assert step is rollout[0]
    for out in rollout[1:]:
        actions = choose(step.action_mask, choices)
        step = env.step(actions, out=out)
        assert step is out
        expected.append(kept(other.step(actions)))
    assert all(same(*pair) for pair in zip(rollout, expected, strict=True))
    assert any(step.terminated.any() for step in rollout)


def test_without_arrays_given_the_next_step_overwrites_the_last_one():
    env = UrsuppeVector(4)
    first = env.reset(seed=1)
    before = kept(first)
    second = env.step(choose(first.action_mask, np.random.default_rng(0)))
    assert all(a is b for a, b in zip(first, second, strict=True))
    assert not same(first, before)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"observations": np.zeros((3, SIZE), np.float32)}, f"observations must be .* shape (4, {SIZE}) .* float32"),
        ({"observations": np.zeros((SIZE, 4), np.float32).T}, "out.observations must be"),
        ({"action_mask": np.zeros((4, 151), bool)}, "out.action_mask must be .* dtype int8"),
        ({"current_player": [0, 0, 0, 0]}, "out.current_player must be"),
        ({"rewards": np.zeros(4, np.float32)}, "out.rewards must be .* shape (4, 4)"),
        ({"terminated": np.zeros(4, np.int8)}, "out.terminated must be .* dtype bool"),
        ({"terminated": None}, "out.terminated must be"),
    ],
)
def test_wrong_arrays_are_named_and_nothing_is_changed(arrays: dict, message: str):
    env = UrsuppeVector(4)
    step = env.reset(seed=1)
    before = env.games.state.copy()
    actions = choose(step.action_mask, np.random.default_rng(0))
    message = message.replace("(", r"\(").replace(")", r"\)")
    for call in (lambda out: env.step(actions, out=out), lambda out: env.reset(out=out)):
        with pytest.raises(ValueError, match=message):
            call(env.buffers()._replace(**arrays))
    with pytest.raises(TypeError, match="there is no option 'render_mode'; there are ruleset, "):
        UrsuppeVector(3, render_mode="ansi")
    with pytest.raises(ValueError, match="out is a tuple; it must be a TimeStep"):
        env.step(actions, out=tuple(env.buffers()))
    np.testing.assert_array_equal(env.games.state, before)


def test_a_step_needs_a_reset():
    env = UrsuppeVector(4)
    with pytest.raises(RuntimeError, match="step before reset"):
        env.step([0, 0, 0, 0])
    with pytest.raises(ValueError, match="the first reset begins all games"):
        env.reset(seed=1, mask=np.array([True, False, True, True]))


@pytest.mark.parametrize("autoreset", [True, False])
def test_an_illegal_action_is_refused_and_nothing_is_changed(autoreset: bool):
    env = UrsuppeVector(4, autoreset=autoreset)
    step = env.reset(seed=1)
    before, given, actions = env.games.state.copy(), kept(step), env.games.legal().argmax(axis=1)
    actions[3] = env.games.legal()[3].argmin()
    with pytest.raises(ValueError, match=r"game 3: action .* is not legal"):
        env.step(actions)
    np.testing.assert_array_equal(env.games.state, before)
    assert same(step, given)
