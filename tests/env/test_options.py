"""The options of the environments: all take the same, and refuse what is wrong with the same words."""

import re
from functools import partial

import pytest

from ursuppe_env import Ruleset, UrsuppeVector, ursuppe_v0
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.envs.single_seat import UrsuppeEnv, UrsuppeVectorEnv

LEARNERS = {"one": UrsuppeEnv, "many": partial(UrsuppeVectorEnv, 2), "sb3": partial(UrsuppeVecEnv, 2)}
EVERYWHERE = {"aec": ursuppe_v0.env, "vector": partial(UrsuppeVector, 2), **LEARNERS}
everywhere = pytest.mark.parametrize("make", EVERYWHERE.values(), ids=EVERYWHERE)
DUEL = ((0, 2), (1, 3))


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

    def games_of(env):
        return getattr(env, "unwrapped", env).games

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
