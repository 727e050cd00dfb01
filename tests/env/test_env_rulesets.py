"""Environments whose games are played with different rulesets: a list, or a function that draws one for each game."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given
from pettingzoo.test import seed_test

from ursuppe_env import Games, Ruleset, UrsuppeVector, ursuppe_v0
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.envs.single_seat import UrsuppeEnv, UrsuppeVectorEnv
from ursuppe_env.observation import observation_bounds

from support.choices import choose
from support.rulesets import examples, rulesets

LISTED = [Ruleset(players=3, end_zone=zone) for zone in (20, 25, 30)]


def drawn(generator: np.random.Generator) -> Ruleset:
    """Many rulesets, each for short games."""
    return Ruleset(players=3, end_zone=int(generator.integers(10, 30)), income=int(generator.integers(5, 20)))


def expected(given, seed: int, index: int, episode: int) -> Ruleset:
    generator = np.random.default_rng([seed, index, episode])
    return given(generator) if callable(given) else given[generator.integers(len(given))]


@pytest.mark.parametrize("given", [LISTED, drawn], ids=["list", "function"])
@pytest.mark.parametrize("autoreset", [True, False])
def test_each_game_has_the_ruleset_of_its_seed_index_and_episode(given, autoreset: bool):
    env = UrsuppeVector(8, given, reward="margin", autoreset=autoreset)
    now = env.reset(seed=7)
    choices, episodes = np.random.default_rng(0), np.zeros(8, int)
    for _ in range(600):
        played = [env.rulesets[number] for number in env.ruleset_index]
        assert played == [expected(given, 7, row, episodes[row]) for row in range(8)]
        over = now.terminated.copy()
        now = env.step(choose(now.action_mask, choices))
        new = np.flatnonzero(now.terminated & (autoreset | ~over))
        if len(new) and autoreset:
            markers = env.final_games.markers
            assert [env.final_games.ruleset_of(i) for i in range(len(new))] == [played[row] for row in new]
        elif len(new):
            markers = env.games.markers[new]
        if len(new):
            rewards = (markers - markers.mean(axis=1, keepdims=True)) / [[played[row].end_zone] for row in new]
            np.testing.assert_allclose(now.rewards[new], rewards, rtol=1e-6)
        if autoreset:
            episodes += now.terminated
        elif now.terminated.any():
            episodes += now.terminated
            now = env.reset(mask=now.terminated)
    assert episodes.min() >= 1
    assert len(set(env.rulesets)) == len(env.rulesets) <= (3 if given is LISTED else 16)


def test_the_aec_environment_names_the_ruleset():
    env = ursuppe_v0.raw_env(ruleset=drawn)
    seen = set()
    for seed in range(5):
        env.reset(seed=seed)
        ruleset = expected(drawn, seed, 0, 0)
        assert env.ruleset == ruleset
        assert all(info["ruleset"] is env.games.ruleset_of(0) for info in env.infos.values())
        for _ in range(20):
            env.step(int(env.games.legal()[0].argmax()))
            assert env.infos[env.agent_selection]["ruleset"] == ruleset
        seen.add(ruleset)
    assert len(seen) > 1
    env.reset()
    assert env.ruleset == expected(drawn, 4, 0, 1)


def test_pettingzoo_checks_its_seeds():
    seed_test(lambda: ursuppe_v0.env(ruleset=drawn), num_cycles=200)


def test_one_learner_is_told_the_ruleset():
    env = UrsuppeEnv(ruleset=drawn)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        assert info["ruleset"] == expected(drawn, seed, 0, 0)
        assert env.observation_space.contains(observation)
    assert UrsuppeEnv().reset(seed=1)[1].keys() == {"action_mask"}


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("given", [LISTED, drawn], ids=["list", "function"])
def test_many_games_of_a_learner_name_theirs(given, mode):
    env = UrsuppeVectorEnv(6, ruleset=given, autoreset_mode=mode, reward="margin")
    _, infos = env.reset(seed=2)
    choices, ended = np.random.default_rng(0), 0
    episodes = np.zeros(6, int)
    for _ in range(300):
        played = [env.rulesets[number] for number in infos["ruleset_index"]]
        assert played == [expected(given, 2, row, episodes[row]) for row in range(6)]
        over = env._over.copy()
        if mode is AutoresetMode.DISABLED and over.any():
            _, infos = env.reset(options={"reset_mask": over})
            episodes += over
            infos["ruleset_index"] = env.games.ruleset_index
            continue
        _, rewards, terminations, _, infos = env.step(choose(env.action_masks(), choices))
        episodes += terminations if mode is AutoresetMode.SAME_STEP else over
        for row in np.flatnonzero(terminations):
            ended += 1
            if mode is AutoresetMode.SAME_STEP:
                assert infos["final_info"]["ruleset"][row] == played[row]
                assert infos["final_info"]["_ruleset"][row]
            else:
                markers, seat = env.games.markers[row], env.seats[row]
                assert rewards[row] == final_rewards("margin", markers, played[row])[seat]
                assert env.rulesets[infos["ruleset_index"][row]] == played[row]
    assert ended > 5


@given(ruleset=rulesets(most_cards=32))
@examples(60)
def test_the_bounds_of_a_function_hold_whatever_it_draws(ruleset: Ruleset):
    low, high = RulesetSource(lambda generator: Ruleset(players=ruleset.players)).bounds()
    own_low, own_high = observation_bounds(ruleset)
    assert (low <= own_low).all()
    assert (own_high <= high).all()


def test_the_bounds_of_a_list_are_those_of_all():
    lows, highs = zip(*map(observation_bounds, LISTED), strict=True)
    low, high = RulesetSource(LISTED).bounds()
    np.testing.assert_array_equal(low, np.min(lows, axis=0))
    np.testing.assert_array_equal(high, np.max(highs, axis=0))
    assert (RulesetSource(LISTED[0]).bounds()[1] == observation_bounds(LISTED[0])[1]).all()


def test_games_take_the_fields_of_a_ruleset():
    assert Games(2, {"players": 3, "income": 12}).ruleset == Ruleset(players=3, income=12)
    games = Games(2, {"edition": "1997"})
    assert Games.from_state(games.state, {"edition": "1997"}).ruleset == games.ruleset == Ruleset(edition="1997")


def test_a_function_that_changes_the_number_of_players_is_refused_and_nothing_is_changed():
    players = iter([3, 3, 3, 4, 3, 3])
    env = UrsuppeVector(2, lambda generator: Ruleset(players=next(players)))
    env.reset(seed=1)
    before = env.games.state.copy()
    with pytest.raises(ValueError, match="gave one for 4 players; all games of this environment have 3"):
        env.reset(seed=2)
    assert (env.games.state == before).all()
    assert env.reset(seed=2).current_player.min() >= 0
