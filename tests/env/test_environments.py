"""What all environments have in common: seeds, copies, and options, of which each refuses what is wrong alike."""

import copy
import pickle
import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset, UrsuppeVector, ursuppe_v0
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.envs.single_seat import UrsuppeEnv, UrsuppeVectorEnv
from ursuppe_env.observation import observation_layout, observation_size
from ursuppe_env.teams import DUEL

from support.choices import choose

LEARNERS = {"one": UrsuppeEnv, "many": partial(UrsuppeVectorEnv, 2), "sb3": partial(UrsuppeVecEnv, 2)}
EVERYWHERE = {"aec": ursuppe_v0.env, "vector": partial(UrsuppeVector, 2), **LEARNERS}
everywhere = pytest.mark.parametrize("make", EVERYWHERE.values(), ids=EVERYWHERE)


def games_of(env: Any) -> Games:
    return getattr(env, "unwrapped", env).games


def reset(env: Any, seed: int | None = None) -> object:
    if not isinstance(env, UrsuppeVecEnv):
        return env.reset(seed=seed)
    if seed is not None:
        env.seed(seed)
    return env.reset()


def played(env: Any, steps: int, seed: int = 0) -> list[object]:
    """What so many steps with random actions give; a game that is over is followed by the next one."""
    choices, given = np.random.default_rng(seed), []
    for _ in range(steps):
        masks = env.action_masks() if hasattr(env, "action_masks") else games_of(env).legal()
        actions = choose(np.atleast_2d(masks), choices)
        step = env.step(actions if len(games_of(env)) > 1 else int(actions[0]))
        given.append(copy.deepcopy(env.last() if step is None else step))
        if isinstance(env, UrsuppeVecEnv):
            for info in given[-1][3]:
                info.get("episode", {}).pop("t", None)  # seconds
        if len(games_of(env)) == 1 and given[-1][2]:  # terminated
            given.append(reset(env))
    return given


@everywhere
def test_a_seed_fixes_the_games_and_those_that_follow(make):
    one, other = make(), make()
    state = np.random.get_state()[1].copy()  # noqa: NPY002

    def course(env: Any, seed: int | None = None) -> list[object]:
        return [copy.deepcopy(reset(env, seed)), *played(env, 300)]

    first, second = course(one, 5), course(one)
    assert data_equivalence([first, second], [course(other, 5), course(other)], exact=True)
    assert not data_equivalence(first, second)
    assert data_equivalence(first, course(one, 5), exact=True)
    assert not data_equivalence(first, course(one, 6))
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


@everywhere
def test_without_a_seed_the_first_games_are_new_ones(make):
    options = {"seed": None} if make is LEARNERS["sb3"] else {}
    one, other = make(**options), make(**options)
    reset(one)
    reset(other)
    assert (games_of(one).state["seed"] != games_of(other).state["seed"]).all()


def drawn(generator: np.random.Generator) -> Ruleset:
    """Many rulesets, each for short games."""
    return Ruleset(end_zone=int(generator.integers(10, 30)), income=int(generator.integers(5, 20)))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(
    "options", [{}, {"teams": DUEL}, {"ruleset": [Ruleset(end_zone=20), Ruleset(end_zone=30)]}, {"ruleset": drawn}]
)
@everywhere
def test_a_copy_goes_on_from_where_the_original_stood(make, options: dict, duplicate):
    if make in LEARNERS.values():
        options = options | {"opponent": make_agent("random", 1)}
    env = make(**options)
    reset(env, 5)
    played(env, 50)
    twin = duplicate(env)
    expected = played(twin, 150)
    assert data_equivalence(played(env, 150), expected, exact=True)  # whatever its copy has played since
    assert games_of(env).rulesets == games_of(twin).rulesets


ZONES = [Ruleset(end_zone=30), Ruleset(end_zone=60, own_clinging=True)]
SIZE = observation_size(4, rules=True)
END_ZONE = observation_layout(4, rules=True)["rules_end_zone"]
UNITS = {np.float32: 42, np.float16: 42, np.uint8: 1}  # an end zone of 42 is shown as 1; in bytes as it is


@pytest.mark.parametrize("dtype", UNITS)
@everywhere
def test_the_rules_are_shown_in_numbers_of_the_dtype_that_is_asked_for(make, dtype: type):
    env = make(ruleset=ZONES, observe_rules=True, dtype=dtype)
    first = reset(env, 1)
    if hasattr(env, "possible_agents"):
        assert env.state_space.contains(env.state())
        space, first = env.observation_space("player_0")["observation"], env.observe(env.agent_selection)["observation"]
    elif not isinstance(env, UrsuppeVector):
        space = getattr(env, "single_observation_space", env.observation_space)
    rows = np.atleast_2d(first[0] if isinstance(first, tuple) else first)
    assert (rows.shape, rows.dtype) == ((len(games_of(env)), SIZE), dtype)
    shown = np.round(rows[:, END_ZONE].astype(float)[:, 0] * UNITS[dtype])
    assert shown.tolist() == [games_of(env).ruleset_of(row).end_zone for row in range(len(rows))]
    if isinstance(env, UrsuppeVector):
        low, high = env.observation_bounds()
        assert ((low <= rows) & (rows <= high)).all()
        assert all(
            buffer.__array_interface__["data"][0] % 64 == 0 for buffer in (first.observations, first.action_mask)
        )
    else:
        assert all(space.contains(row) for row in rows)


@everywhere
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"num_players": 7}, "players is 7"),
        ({"edition": "1999"}, "edition is '1999'"),
        ({"ruleset": 3}, "ruleset is 3; it must be a Ruleset"),
        ({"ruleset": {"incom": 3}}, "a ruleset has no field 'incom'; did you mean income?"),
        ({"ruleset": {3: 4}}, "3: 4}; its keys must be names of fields, such as 'players'"),
        ({"ruleset": []}, "ruleset is 0 values"),
        ({"ruleset": [Ruleset(), "1998"]}, "ruleset[1] is '1998'"),
        ({"ruleset": [Ruleset(), Ruleset(players=3)]}, "ruleset[1] is for 3 players and ruleset[0] for 4"),
        ({"ruleset": lambda generator: 5}, "gave 5; it must give a Ruleset"),
        ({"ruleset": lambda generator: {"incom": 3}}, "a ruleset has no field 'incom'; did you mean income?"),
        ({"ruleset": Ruleset(players=3), "num_players": 4}, "num_players is 4, but the ruleset has 3"),
        ({"ruleset": [Ruleset(players=3)], "num_players": 4}, "num_players is 4, but the ruleset has 3"),
        ({"ruleset": Ruleset(), "edition": "1997"}, "edition is '1997', but the ruleset has '1998'"),
        ({"ruleset": lambda generator: Ruleset(), "edition": "1997"}, "edition is '1997', but the ruleset has '1998'"),
        ({"ruleset": {"players": 3}, "num_players": 4}, "players is 3, but num_players is 4; give one of them"),
        ({"ruleset": {"num_players": 4}, "players": 3}, "num_players is 3, but the ruleset has 4"),
        ({"players": 3, "num_players": 4}, "players is 3, but num_players is 4; give one of them"),
        ({"reward": "points"}, "reward is 'points'; it must be one of 'win', 'rank', 'margin'"),
        ({"observe_rules": 1}, "observe_rules is 1; it must be True or False"),
        ({"dtype": "int8"}, "dtype is 'int8'; it must be float32, float16 or uint8"),
        ({"score": "best"}, "score is 'best', but there are no teams"),
        ({"teams": DUEL, "score": "mean"}, "score is 'mean'; it must be one of 'worst', 'best', 'sum'"),
        ({"teams": ((0, 2), (1, 3, 4))}, "there are 4 players"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,  # a function has another name in each process
)
def test_what_is_wrong_is_named(make, options: dict, says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        make(**options)


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seat": 4}, "seat is 4; it must be 0 ... 3, or None for any"),
        ({"seat": -1}, "seat is -1"),
        ({"seat": True}, "seat is True"),
        ({"seat": 2.0}, "seat is 2.0"),
        ({"opponent": [None, None]}, "opponent is [None, None]; it must be a callable (games, rows) -> actions, 3 of"),
        ({"opponent": "hunter"}, "opponent is 'hunter'; it must be a callable, as ursuppe_agents.make_agent gives it"),
        ({"opponent": dict}, "opponent is <class 'dict'>; it must be a callable (games, rows) -> actions, 3 of"),
        ({"team": 1}, "team is 1, but there are no teams"),
        ({"teams": DUEL, "seat": 1}, "seat is 1, but the learner plays a team; give team"),
        ({"teams": DUEL, "team": 2}, "team is 2; it must be 0 ... 1, or None for any"),
        ({"teams": DUEL, "team": True}, "team is True; it must be 0 ... 1"),
        ({"teams": DUEL, "opponent": [None, None]}, "1 of them for the teams after the learner's"),
    ],
    ids=str,
)
def test_what_is_wrong_for_a_learner_is_named(make, options: dict, says: str):
    with pytest.raises(ValueError, match=re.escape(says)):
        make(**options)


@everywhere
def test_the_number_of_players_has_two_names(make):
    dear = {"price": {"speed": 5}}
    for arguments in (
        {"num_players": 3, "ruleset": dear},
        {"players": 3, "ruleset": dear},
        {"ruleset": {"players": 3, **dear}},
        {"ruleset": {"num_players": 3, **dear}, "players": 3},
    ):
        assert games_of(make(**arguments)).ruleset == Ruleset(players=3, **dear), arguments
    assert games_of(make()).num_players == 4
    assert games_of(make(edition="1997")).ruleset.edition == "1997"


@everywhere
def test_what_is_no_option_is_a_type_error(make):
    with pytest.raises(TypeError, match="there is no option 'rewards'; did you mean reward\\?"):
        make(rewards="win")


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
def test_options_of_a_learner_are_known_where_there_is_one(make):
    with pytest.raises(TypeError, match="there is no option 'oponent'; did you mean opponent\\?"):
        make(oponent=None)
