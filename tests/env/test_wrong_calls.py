"""Wrong calls of the public methods, by tables: each is refused in our words, and nothing is changed."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset, UrsuppeVector, kernels
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.envs.single_seat import UrsuppeEnv, UrsuppeVectorEnv
from ursuppe_env.records import record_games
from ursuppe_env.rules.nodes import CHANCE_PLAYER

N = 3
HUGE = 2**70
ROW = r"^i is .*; it must be the row of a game, an integer from 0 to 2"
ROWS = r"^rows (has -?\d+(; it must be (0 \.\.\. 2|at most)|; nobody is about to act| more than once)|has shape|cannot)"
SEED = r"seed is .*; it must be an integer from 0 to 2\*\*64 - 1"
SEAT = r"^seat (is -?\d; it must be 0 \.\.\. 3|has|cannot)"
FLAG = r" is .*; it must be True or False"

# What is no integer; the numbers out of range are added where they are known.
NO_INTEGERS: dict[str, Any] = {
    "a text": "0",
    "bytes": b"0",
    "a float": 0.0,
    "nan": float("nan"),
    "a NumPy float": np.float64(1),
    "True": True,
    "NumPy's True": np.True_,
    "a list": [0],
    "a tuple": (0,),
    "a dict": {},
    "a set": {0},
    "a slice": slice(0, 1),
    "an object": object(),
    "a class": int,
    "a function": len,
    "an array": np.array([0]),
    "a 0-d array": np.array(0.5),
    "an array of objects": np.array([None], object),
    "a wide array": np.arange(2000.0).reshape(40, 50),
    "complex": 1j,
}

# What is no array of N integers.
NO_ARRAYS: dict[str, Any] = {
    "None": None,
    "a text": "abc",
    "an integer": 0,
    "a 0-d array": np.array(0),
    "a float": 1.5,
    "uneven lists": [[0], [0, 0], 0],
    "uneven lists of N": [[0], [0, 0], [0]],
    "too few": [0] * (N - 1),
    "too many": [0] * (N + 1),
    "none": [],
    "two axes": np.zeros((N, 1), int),
    "two axes, other way": np.zeros((1, N), int),
    "floats": np.zeros(N),
    "bools": np.zeros(N, bool),
    "objects": np.array([0] * N, object),
    "None in it": [None] * N,
    "texts": ["0"] * N,
    "dates": np.zeros(N, "M8[s]"),
    "records": np.zeros(N, [("a", int)]),
    "complex": np.zeros(N, complex),
    "huge integers": [HUGE] * N,
    "uint64 beyond int64": np.full(N, 2**64 - 1, np.uint64),
    "uint64 just beyond int64": np.full(N, 2**63, np.uint64),
    "a dict": {0: 0, 1: 0, 2: 0},
    "a set": {0, 1, 2},
    "a generator": (0 for _ in range(N)),
    "an object": object(),
}

NO_TEXTS: dict[str, Any] = {
    "an unknown text": "no such thing",
    "no text": "",
    "bytes": b"win",
    "an integer": 1,
    "a list": ["win"],
    "a dict": {},
    "an array": np.array(["win", "rank"]),
    "True": True,
    "an object": object(),
}

NO_FLAGS: dict[str, Any] = {
    "a text": "no",
    "an integer": 1,
    "None": None,
    "a list": [],
    "an array": np.array([True, False]),
}

Calls = Iterator[tuple[str, Callable[[Any], object], dict[str, Any], str]]


def without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


def integers(*also: int, optional: bool = False) -> dict[str, Any]:
    numbers = {f"{number}": number for number in also}
    return NO_INTEGERS | numbers | ({} if optional else {"None": None})


def games_calls() -> Calls:
    """(what, call of (games) -> (value) -> ..., wrong values, what the message names)."""
    rows = integers(-1, N, HUGE, -HUGE)
    for name in ("svg", "to_dict", "chance"):
        yield f"{name}(i)", lambda games, value, name=name: getattr(games, name)(value), rows, ROW
    yield "step(actions)", lambda games, value: games.step(value), NO_ARRAYS, "actions"
    some = {
        "None": None,
        "a text": "abc",
        "an integer": 0,
        "floats": [0.0],
        "bools": [True],
        "objects": np.array([0], object),
        "uneven": [[0], [0, 0]],
        "two axes": [[0]],
        "twice": [0, 0],
        "too large": [N],
        "negative": [-1],
        "huge": [HUGE],
        "uint64": np.array([2**64 - 1], np.uint64),
        "a slice": slice(0, 1),
        "a dict": {0: 0},
    }
    yield (
        "step(actions, rows)",
        lambda games, value: games.step([0] * len(value) if hasattr(value, "__len__") else [0], rows=value),
        without(some, "None"),
        ROWS,
    )
    actions, named = without(some, "twice") | {"too few": []}, "^(actions |game 0: action)"
    yield "step(actions of rows)", lambda games, value: games.step(value, rows=[0]), actions, named
    yield "step_random(rows)", lambda games, value: games.step_random(value), without(some, "None"), ROWS
    limits = integers(-1, -HUGE, optional=True)
    yield "play_random(n)", lambda games, value: games.play_random(value), limits, "max_decisions is"
    yield "play_random(restart)", lambda games, value: games.play_random(9, restart=value), NO_FLAGS, "restart" + FLAG
    masks = without(NO_ARRAYS, "None", "bools") | {"integers of N": [0] * N, "a bool": True, "too few": [True]}
    for name in ("reset", "draw"):
        yield f"{name}(mask)", lambda games, value, name=name: getattr(games, name)(value), masks, "^mask (has|cannot)"
    seeds = integers(-1, 2**64, HUGE, optional=True)
    yield "reset(seed)", lambda games, value: games.reset(seed=value), seeds, SEED
    yield "reset(index)", lambda games, value: games.reset(seed=1, index=value), without(NO_ARRAYS, "None"), "index"
    yield "copy(reseed)", lambda games, value: games.copy(reseed=value), seeds, f"^re{SEED}"
    selections = {
        "a text": "node",
        "a list of texts": ["node"],
        "a float": 1.0,
        "floats": [0.0, 1.0],
        "Ellipsis": ...,
        "a tuple of slices": (slice(None), slice(None)),
        "too large": N,
        "too small": -N - 1,
        "one too large": [0, N],
        "huge": HUGE,
        "uint64": np.array([2**64 - 1], np.uint64),
        "no rows": [],
        "no rows of a mask": [False] * N,
        "no rows of a slice": slice(N, None),
        "a slice of texts": slice("a", "b"),
        "a slice of step 0": slice(None, None, 0),
        "a mask too short": [True] * (N - 1),
        "a mask too long": [True] * (N + 1),
        "True": True,
        "a mask of two axes": np.ones((N, N), bool),
        "two axes": [[0]],
        "uneven": [[0], [0, 1]],
        "objects": np.array([0], object),
        "None in it": [None],
        "an object": object(),
        "a dict": {0: 1},
        "a set": {0},
    }
    yield "copy(index)", lambda games, value: games.copy(value), selections, "index"
    seats = without(NO_ARRAYS, "None", "an integer", "a 0-d array") | {
        "-1": -1,
        "4": 4,
        "True": True,
        "out of range": [0, 1, 4],
        "negative": [0, 1, -1],
        "a set": {0},
    }
    yield "observe(seat)", lambda games, value: games.observe(value), seats, SEAT
    arrays = {
        "a list": [],
        "a text": "a",
        "of another shape": np.zeros((N, 1), np.int8),
        "of another dtype": np.zeros((N, 151), np.float64),
        "not contiguous": np.zeros((151, N), np.int8).T,
        "read-only": np.broadcast_to(np.int8(0), (N, 151)),
    }
    yield "observe(rules)", lambda games, value: games.observe(rules=value), NO_FLAGS, "rules" + FLAG
    dtypes = {str(dtype): dtype for dtype in (np.float64, np.bool_, "int8", "half a byte", None, 3.5)}
    named = "dtype is .*; it must be float32, float16 or uint8"
    yield "observe(dtype)", lambda games, value: games.observe(dtype=value), dtypes, named
    yield "legal(out)", lambda games, value: games.legal(value), arrays, "^out must be .* dtype int8"
    yield "observe(out)", lambda games, value: games.observe(out=value), arrays, "^out must be .* dtype float32"
    values = {
        "None": None,
        "an integer": 5,
        "a text": "abc",
        "too few": [None] * (N - 1),
        "a dict": dict.fromkeys(range(N)),
        "a set": {1, 2, 3},
        "a 0-d array": np.array(1),
        "two axes": np.zeros((N, N), int),
        "of no game": [1] * N,
        "an object": object(),
        "a generator": (None for _ in range(N)),
    }
    yield "resolve(values)", lambda games, value: games.resolve(value), values, "value"
    themes = NO_TEXTS | {"None": None}
    yield "svg(theme)", lambda games, value: games.svg(0, theme=value), themes, "it must be 'light', 'dark' or 'page'"
    yield (
        "svg(last_action)",
        lambda games, value: games.svg(0, value),
        {"1": 1, "a list": [], "bytes": b"a"},
        "last_action",
    )
    for name in ("search:sims=2", "greedy", "grow", "random"):
        agent = make_agent(name, seed=0)
        wrong = without(some, "twice") | {"of a finished game": [1]}
        yield f"{name}.act(rows)", lambda games, value, agent=agent: agent.act(games, value), wrong, ROWS


def constructor_calls() -> Calls:
    """(what, call of (value), wrong values, what the message names)."""
    counts = integers(0, -1, HUGE)
    for maker in (Games, UrsuppeVector, UrsuppeVectorEnv, UrsuppeVecEnv):
        name = "num_games" if maker in (Games, UrsuppeVector) else "num_envs"
        named = rf"{name} is .*; (it must be an integer of at least 1|no memory is large enough)"
        yield f"{maker.__name__}({name})", lambda value, maker=maker: maker(value), counts, named
        threads, named = integers(0, -1, optional=True), "threads is .* of at least 1, or None for all cores"
        yield f"{maker.__name__}(threads)", lambda value, maker=maker: maker(1, threads=value), threads, named
    yield "Games(seed)", lambda value: Games(1, seed=value), integers(-1, 2**64), SEED
    yield "Games(index)", lambda value: Games(N, index=value), without(NO_ARRAYS, "None"), "index (has|cannot)"
    rulesets = {"a text": "1998", "an integer": 4, "a dict": {"incom": 3}, "a class": Ruleset, "a list": []}
    yield "Games(ruleset)", lambda value: Games(1, value), rulesets, "ruleset"
    for flag in ("explicit_chance", "pause_after_rounds"):
        yield f"Games({flag})", lambda value, flag=flag: Games(1, **{flag: value}), NO_FLAGS, flag + FLAG
    states = {"None": None, "a list": [], "integers": np.zeros(3, int), "of no game": Games(1).state[:0], "a text": "a"}
    yield "Games.from_state(states)", lambda value: Games.from_state(value, Ruleset()), states, "states"
    yield "Games.from_state(ruleset)", lambda value: Games.from_state(Games(1).state, value), rulesets, "ruleset"
    positions = {"None": None, "a text": "a", "an integer": 1, "a list": [], "unknown": {"a": 1}, "a key": {1: 1}}
    yield "Games.from_dict", lambda value: Games.from_dict(value), positions, "position|decision"

    for name in ("players", "income", "end_zone", "amoebas"):
        wrong = integers(-1, 1000, HUGE, optional=name == "players")
        yield f"Ruleset({name})", lambda value, name=name: Ruleset(**{name: value}), wrong, name
    yield "Ruleset(edition)", lambda value: Ruleset(edition=value), NO_TEXTS | {"None": None}, "edition"
    prices = integers(5) | {"an unknown gene": {"a": 1}, "a gene by number": {1: 1}, "a tuple": {("speed",): 1}}
    prices = without(prices, "a dict") | {
        f"speed: {name}": {"speed": value} for name, value in integers(-1, 100).items()
    }
    yield "Ruleset(price)", lambda value: Ruleset(price=value), prices, "price"
    yield "Ruleset.replace(price)", lambda value: Ruleset().replace(price=value), prices, "price"
    places = without(NO_ARRAYS, "an integer") | {"nested": [[0]] * 8, "negative": [-1] * 8, "an integer": 5}
    yield "Ruleset(amoeba_places)", lambda value: Ruleset(amoeba_places=value), places, "amoeba_places"
    cards = integers(3) | {
        "uneven": [["west"], ["east", 3]],
        "arrays": [np.array([1, 2]), np.array([1, 2])],
        "arrays within": [[np.array([1, 2]), 3]] * 2,
        "lists within": [[["west"], 3]] * 2,
        "no direction": [["up", 3]] * 2,
        "no ozone": [["west", None]] * 2,
        "one card": [["west", 3]],
        "a card of three": [["west", 3, 3]] * 2,
    }
    yield "Ruleset(environment)", lambda value: Ruleset(environment=value), cards, "environment"
    yield (
        "Ruleset.from_changes",
        lambda value: Ruleset.from_changes(4, "1998", value),
        without(integers(3), "a dict"),
        "changes|environment",
    )

    rewards = NO_TEXTS | {"None": None}
    seats = integers(-1, 4, HUGE, optional=True)
    opponents = {"a text": "random", "an integer": 1, "too few": [None], "no callables": [1, 2, 3], "a dict": {}}
    others = opponents | {"too many": [None] * 4, "nobody": ()}
    players = integers(2, 7, optional=True)
    yield "UrsuppeVector(autoreset)", lambda value: UrsuppeVector(1, autoreset=value), NO_FLAGS, "autoreset" + FLAG
    yield "UrsuppeEnv(num_players)", lambda value: UrsuppeEnv(num_players=value), players, "players"
    yield "UrsuppeEnv(reward)", lambda value: UrsuppeEnv(reward=value), rewards, "reward"
    yield "UrsuppeEnv(seat)", lambda value: UrsuppeEnv(seat=value), seats, "seat"
    yield "UrsuppeEnv(opponent)", lambda value: UrsuppeEnv(opponent=value), others, "opponent is .* must be a callable"
    seeds = integers(-1, HUGE, optional=True)
    modes = {
        UrsuppeEnv: (NO_TEXTS, "'human', 'rgb_array', 'ansi' or None"),
        UrsuppeVectorEnv: (NO_TEXTS | {"human": "human"}, "'rgb_array', 'ansi' or None"),
        UrsuppeVecEnv: (NO_TEXTS | {"ansi": "ansi"}, "'rgb_array' or None"),
    }
    for kind, (wrong, right) in modes.items():
        make = partial(kind, *[1] * (kind is UrsuppeVecEnv))
        named = f"render_mode is .*; it must be {right}"
        yield f"{kind.__name__}(render_mode)", lambda value, make=make: make(render_mode=value), wrong, named
        begin = make().seed if kind is UrsuppeVecEnv else make().reset
        yield f"{kind.__name__}: seed", lambda value, begin=begin: begin(seed=value), seeds, SEED
    yield (
        "UrsuppeVectorEnv(autoreset_mode)",
        lambda value: UrsuppeVectorEnv(autoreset_mode=value),
        NO_TEXTS,
        "autoreset_mode is .*; it must be one of 'NextStep', 'SameStep', 'Disabled'",
    )
    options = {"an integer": 5, "a text": "reset_mask", "a list": ["reset_mask"], "a mask": np.ones(1, bool)}
    yield "UrsuppeVectorEnv.reset(options)", lambda value: UrsuppeVectorEnv(1).reset(options=value), options, "options"

    yield "make_agent(spec)", lambda value: make_agent(value, 0), NO_TEXTS | {"None": None}, "spec|agent"
    yield "make_agent(seed)", lambda value: make_agent("random", value), integers(-1, -HUGE), "seed"
    yield "record_games(num_games)", lambda value: record_games(value, Ruleset()), integers(-1), "num_games"
    yield "record_games(ruleset)", lambda value: record_games(1, value), rulesets | {"None": None}, "ruleset"
    yield "record_games(seed)", lambda value: record_games(1, Ruleset(), seed=value), integers(-1, 2**64), "seed"
    players = opponents | {"four texts": ["random"] * 4, "an array": np.array([None] * 4)}
    yield "record_games(players)", lambda value: record_games(1, Ruleset(), players=value), players, "players"
    names = {"an integer": 5, "no texts": [1, 2, 3, 4], "a function": len}
    yield "record_games(agents)", lambda value: record_games(1, Ruleset(), agents=value), names, "agents"


def table(calls: Calls) -> list[Any]:
    return [
        pytest.param(call, value, named, id=f"{what}: {name}")
        for what, call, wrong, named in calls
        for name, value in wrong.items()
    ]


def in_the_middle() -> Games:
    """A game at a decision, one that is over, and one at a decision."""
    games = Games(N, seed=5)
    games.play_random(60)
    games.step_random(rows=[0])
    over = games.copy([1])
    over.play_random()
    return Games.from_state(np.concatenate([games.state[:1], over.state, games.state[2:]]), Ruleset())


MIDDLE = in_the_middle()


def refuses(call: Callable[[], object], named: str) -> None:
    with pytest.raises(ValueError, match=rf"{named}") as caught:
        call()
    assert type(caught.value) is ValueError
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize(("call", "value", "named"), table(games_calls()))
def test_games_refuse_it_and_stay_as_they_were(call, value, named: str):
    games = MIDDLE.copy()
    before = games.state.tobytes()
    refuses(lambda: call(games, value), named)
    assert games.state.tobytes() == before


@pytest.mark.parametrize(("call", "value", "named"), table(constructor_calls()))
def test_constructors_refuse_it(call, value, named: str):
    refuses(lambda: call(value), named)


VECTOR_ACTIONS = without(NO_ARRAYS, "bools") | {
    "bools": np.zeros(N, bool),
    "out of range": [-1] * N,
    "a row": [0, 1, 999],
}


@pytest.mark.parametrize("wrong", VECTOR_ACTIONS)
@pytest.mark.parametrize("make", [UrsuppeVector, lambda n: UrsuppeVector(n, autoreset=False), UrsuppeVectorEnv])
def test_environments_refuse_wrong_actions(make, wrong: str):
    env = make(N)
    env.reset(seed=1)
    before = env.games.state.tobytes()
    refuses(lambda: env.step(VECTOR_ACTIONS[wrong]), "action")
    assert env.games.state.tobytes() == before


ACTIONS = without(integers(-1, 151, HUGE), "a 0-d array") | {"a 0-d array of a float": np.array(0.5)}


@pytest.mark.parametrize("wrong", ACTIONS)
def test_one_game_refuses_wrong_actions(wrong: str):
    env = UrsuppeEnv()
    env.reset(seed=1)
    before = env.games.state.tobytes()
    refuses(lambda: env.step(ACTIONS[wrong]), r"action is .*; it must be (one integer from 0 to|0 \.\.\.) 150")
    assert env.games.state.tobytes() == before


CHANCE = {
    "text": "a",
    "float": 1.0,
    "True": True,
    "list": [1],
    "nan": float("nan"),
    "None": None,
    "object": object(),
    "-1": -1,
    "masked": np.ma.masked,
    "masked in it": np.ma.masked_array([1, 2], [True, False]),
    "a 0-d array": np.array(None),
    "two axes": np.zeros((2, 2)),
}


@pytest.mark.parametrize("wrong", CHANCE)
def test_a_pending_chance_event_refuses_wrong_values(wrong: str):
    games = Games(N, seed=1, explicit_chance=True)
    assert (games.player == CHANCE_PLAYER).all()
    before = games.state.tobytes()
    refuses(lambda: games.resolve([games.chance(0)[1][0][0], CHANCE[wrong], 0]), "game [12]")
    assert games.state.tobytes() == before


@pytest.mark.parametrize(
    "call",
    [
        lambda: Games(1, sead=1),
        lambda: Games(1).step(action=[0]),
        lambda: Games(1).step(),
        lambda: Games(1).copy(rows=[0]),
        lambda: make_agent("random"),
        lambda: record_games(1, Ruleset(), sead=1),
    ],
)
def test_wrong_names_of_arguments_are_type_errors(call):
    with pytest.raises(TypeError, match="argument"):
        call()


def test_read_only_actions_compile_nothing_anew():
    """To Numba they are of another type; compiling the rules for it would take as long as the first time."""
    games = Games(2, seed=1)
    actions = np.array([np.flatnonzero(legal)[0] for legal in games.legal()])
    signatures = kernels.run.signatures, kernels.first_refused.signatures
    actions.flags.writeable = False
    games.step(actions)
    games.step_random()
    games.reset(np.broadcast_to(True, 2), index=np.broadcast_to(1, 2))
    assert (kernels.run.signatures, kernels.first_refused.signatures) == signatures
