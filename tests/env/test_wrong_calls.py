"""Wrong calls of the public methods, by tables: each is refused in our words, and nothing is changed."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset, UrsuppeVector
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.envs.single_seat import UrsuppeEnv, UrsuppeVectorEnv
from ursuppe_env.records import record_games
from ursuppe_env.rules import kernels
from ursuppe_env.rules.nodes import CHANCE_PLAYER
from ursuppe_env.teams import DUEL

N = 3
HUGE = 2**70
ROW = r"^i is .*; it must be the row of a game, an integer from 0 to 2"
ROWS = r"^rows (has -?\d+(; it must be (0 \.\.\. 2|at most)|; nobody is about to act| more than once)|has shape|cannot)"
SEED = r"seed is .*; it must be an integer from 0 to 2\*\*64 - 1"
SEAT = r"^seat (is -?\d; it must be 0 \.\.\. 3|has|cannot)"
FLAG = r" is .*; it must be True or False"
MASK = "^mask (has|cannot)"
SCORE = "^score is .*; it must be one of 'worst', 'best', 'sum'"

# What is no integer; the numbers out of range are added where they are known.
NO_INTEGERS: list[Any] = [
    *("0", b"0", 0.0, float("nan"), 1j, np.float64(1), True, np.True_, object(), int, len),
    *([0], (0,), {}, {0}, slice(0, 1), np.array([0]), np.array(0.5), np.array([None], object)),
    np.arange(2000.0).reshape(40, 50),
]
# What is no array of N integers.
BOOLS = np.zeros(N, bool)
NUMBERS: list[Any] = [0, np.array(0)]
NO_NUMBERS: list[Any] = [
    *("abc", 1.5, [[0], [0, 0], 0], [[0], [0, 0], [0]], [0] * (N - 1), [0] * (N + 1), []),
    *(np.zeros((N, 1), int), np.zeros((1, N), int), np.zeros(N), np.zeros(N, complex), np.array([0] * N, object)),
    *([None] * N, ["0"] * N, np.zeros(N, "M8[s]"), np.zeros(N, [("a", int)])),
    *([HUGE] * N, np.full(N, 2**64 - 1, np.uint64), np.full(N, 2**63, np.uint64)),
    *({0: 0, 1: 0, 2: 0}, {0, 1, 2}, (0 for _ in range(N)), object()),
]
NO_ARRAYS = [None, BOOLS, *NUMBERS, *NO_NUMBERS]
NO_MASKS: list[Any] = [*NUMBERS, *NO_NUMBERS, [0] * N, True, [True]]
# What is no array of some rows, and no actions for one row.
NO_ROWS: list[Any] = [
    *("abc", 0, [0.0], [True], np.array([0], object), [[0], [0, 0]], [[0]], [N], [-1], [HUGE]),
    *(np.array([2**64 - 1], np.uint64), slice(0, 1), {0: 0}),
]
NO_TEXTS: list[Any] = ["no such thing", "", b"win", 1, ["win"], {}, np.array(["win", "rank"]), True, object()]
NO_FLAGS: list[Any] = ["no", 1, None, [], np.array([True, False])]

Calls = Iterator[tuple[str, Callable[[Any], object], list[Any], str]]


def integers(*also: int, optional: bool = False) -> list[Any]:
    return [*NO_INTEGERS, *also, *([] if optional else [None])]


def without(kind: type, values: list[Any]) -> list[Any]:
    return [value for value in values if not isinstance(value, kind)]


def games_calls() -> Calls:
    """(what, call of (games, value), wrong values, what the message names)."""
    rows = integers(-1, N, HUGE, -HUGE)
    for name in ("svg", "to_dict", "chance", "describe"):
        yield f"{name}(i)", lambda games, value, name=name: getattr(games, name)(value), rows, ROW
    players = integers(-1, 4, optional=True)
    yield "describe(you)", lambda games, value: games.describe(0, value), players, "^player is .*; it must be"
    yield "step(actions)", lambda games, value: games.step(value), NO_ARRAYS, "actions"
    rows = [*NO_ROWS, [0, 0]]
    yield (
        "step(actions, rows)",
        lambda games, value: games.step([0] * len(value) if hasattr(value, "__len__") else [0], rows=value),
        rows,
        ROWS,
    )
    actions, named = [None, [], *NO_ROWS], "^(actions |game 0: action)"
    yield "step(actions of rows)", lambda games, value: games.step(value, rows=[0]), actions, named
    yield "step_random(rows)", lambda games, value: games.step_random(value), rows, ROWS
    limits = integers(-1, -HUGE, optional=True)
    yield "play_random(n)", lambda games, value: games.play_random(value), limits, "max_decisions is"
    yield "play_random(restart)", lambda games, value: games.play_random(9, restart=value), NO_FLAGS, "restart" + FLAG
    for name in ("reset", "draw"):
        yield f"{name}(mask)", lambda games, value, name=name: getattr(games, name)(value), NO_MASKS, MASK
    players = [value for value in NO_MASKS if value is not None]
    yield "play_random(until)", lambda games, value: games.play_random(until=value), players, "^until (has|cannot)"
    seeds = integers(-1, 2**64, HUGE, optional=True)
    yield "reset(seed)", lambda games, value: games.reset(seed=value), seeds, SEED
    yield "reset(index)", lambda games, value: games.reset(seed=1, index=value), NO_ARRAYS[1:], "index"
    yield "copy(reseed)", lambda games, value: games.copy(reseed=value), seeds, f"^re{SEED}"
    selections = [
        *("node", ["node"], 1.0, [0.0, 1.0], ..., (slice(None), slice(None)), {0: 1}, {0}, object(), True),
        *(N, -N - 1, [0, N], HUGE, np.array([2**64 - 1], np.uint64)),
        *([], [False] * N, slice(N, None), slice("a", "b"), slice(None, None, 0)),
        *([True] * (N - 1), [True] * (N + 1), np.ones((N, N), bool), [[0]], [[0], [0, 1]]),
        *(np.array([0], object), [None]),
    ]
    yield "copy(index)", lambda games, value: games.copy(value), selections, "index"
    seats = [BOOLS, *NO_NUMBERS, -1, 4, True, [0, 1, 4], [0, 1, -1], {0}]
    yield "team_winner(score)", lambda games, value: games.team_winner(DUEL, value), [*NO_TEXTS, None], SCORE
    yield "observe(seat)", lambda games, value: games.observe(value), seats, SEAT
    buffers = [
        *([], "a", np.zeros((N, 1), np.int8), np.zeros((N, 151), np.float64)),
        *(np.zeros((151, N), np.int8).T, np.broadcast_to(np.int8(0), (N, 151))),
    ]
    yield "observe(rules)", lambda games, value: games.observe(rules=value), NO_FLAGS, "rules" + FLAG
    dtypes, named = [np.float64, np.bool_, "int8", "half a byte", None, 3.5], "dtype is .*; it must be float32, float16"
    yield "observe(dtype)", lambda games, value: games.observe(dtype=value), dtypes, f"{named} or uint8"
    yield "legal(out)", lambda games, value: games.legal(value), buffers, "^out must be .* dtype int8"
    yield "observe(out)", lambda games, value: games.observe(out=value), buffers, "^out must be .* dtype float32"
    values = [
        *(None, 5, "abc", np.array(1), np.zeros((N, N), int), {1, 2, 3}, dict.fromkeys(range(N)), object()),
        *([None] * (N - 1), [1] * N, (None for _ in range(N))),
    ]
    yield "resolve(values)", lambda games, value: games.resolve(value), values, "value"
    themes, named = [*NO_TEXTS, None], "it must be 'light', 'dark' or 'page'"
    yield "svg(theme)", lambda games, value: games.svg(0, theme=value), themes, named
    yield "svg(last_action)", lambda games, value: games.svg(0, value), [1, [], b"a"], "last_action"
    for name in ("search:sims=2", "greedy", "grow", "random"):
        agent = make_agent(name, seed=0)
        wrong = [None, [1], *NO_ROWS]  # game 1 is over
        yield f"{name}.act(rows)", lambda games, value, agent=agent: agent.act(games, value), wrong, ROWS


def constructor_calls() -> Calls:
    """(what, call of (value), wrong values, what the message names)."""
    counts, threads = integers(0, -1, HUGE), integers(0, -1, optional=True)
    for maker in (Games, UrsuppeVector, UrsuppeVectorEnv, UrsuppeVecEnv):
        name = "num_games" if maker in (Games, UrsuppeVector) else "num_envs"
        named = rf"{name} is .*; (it must be an integer of at least 1|no memory is large enough)"
        yield f"{maker.__name__}({name})", lambda value, maker=maker: maker(value), counts, named
        named = "threads is .* of at least 1, or None for all cores"
        yield f"{maker.__name__}(threads)", lambda value, maker=maker: maker(1, threads=value), threads, named
    yield "Games(seed)", lambda value: Games(1, seed=value), integers(-1, 2**64), SEED
    yield "Games(index)", lambda value: Games(N, index=value), NO_ARRAYS[1:], "index (has|cannot)"
    wrong, named = [*NO_ARRAYS[1:], [0, 0, 2], [-1, 0, 0]], "ruleset_index (has|cannot)"
    two = [Ruleset(), Ruleset(income=3)]
    yield "Games(ruleset_index)", lambda value: Games(N, two, ruleset_index=value), wrong, named
    rulesets = ["1998", 4, {"incom": 3}, Ruleset, []]
    yield "Games(ruleset)", lambda value: Games(1, value), rulesets, "ruleset"
    for flag in ("explicit_chance", "pause_after_rounds"):
        yield f"Games({flag})", lambda value, flag=flag: Games(1, **{flag: value}), NO_FLAGS, flag + FLAG
    states, named = [None, [], np.zeros(3), "a", Games(1).state["bp"], Games(1).state[0]], "^states (is|has dtype) "
    yield "Games.from_state(states)", lambda value: Games.from_state(value, Ruleset()), states, named
    yield "Games.from_state(ruleset)", lambda value: Games.from_state(Games(1).state, value), rulesets, "ruleset"
    positions = [None, "a", 1, [], {"a": 1}, {1: 1}]
    yield "Games.from_dict", lambda value: Games.from_dict(value), positions, "position|decision"

    for name in ("players", "income", "end_zone", "amoebas"):
        wrong = integers(-1, 1000, HUGE, optional=name == "players")
        yield f"Ruleset({name})", lambda value, name=name: Ruleset(**{name: value}), wrong, name
    yield "Ruleset(edition)", lambda value: Ruleset(edition=value), [*NO_TEXTS, None], "edition"
    prices = [*without(dict, integers(5)), {"a": 1}, {1: 1}, {("speed",): 1}]
    prices += [{"speed": value} for value in integers(-1, 100)]
    yield "Ruleset(price)", lambda value: Ruleset(price=value), prices, "price"
    yield "Ruleset.replace(price)", lambda value: Ruleset().replace(price=value), prices, "price"
    places = [*without(int, NO_ARRAYS), [[0]] * 8, [-1] * 8, 5]
    yield "Ruleset(amoeba_places)", lambda value: Ruleset(amoeba_places=value), places, "amoeba_places"
    cards = [
        *(*integers(3), [["west"], ["east", 3]], [np.array([1, 2])] * 2, [[np.array([1, 2]), 3]] * 2),
        *([[["west"], 3]] * 2, [["up", 3]] * 2, [["west", None]] * 2, [["west", 3]], [["west", 3, 3]] * 2),
    ]
    yield "Ruleset(environment)", lambda value: Ruleset(environment=value), cards, "environment"
    changes = without(dict, integers(3))
    yield "Ruleset.from_changes", lambda value: Ruleset.from_changes(4, "1998", value), changes, "changes|environment"

    opponents: list[Any] = ["random", 1, [None], [1, 2, 3], {}]
    yield "UrsuppeVector(autoreset)", lambda value: UrsuppeVector(1, autoreset=value), NO_FLAGS, "autoreset" + FLAG
    players = integers(2, 7, optional=True)
    yield "UrsuppeEnv(num_players)", lambda value: UrsuppeEnv(num_players=value), players, "players"
    yield "UrsuppeEnv(reward)", lambda value: UrsuppeEnv(reward=value), [*NO_TEXTS, None], "reward"
    yield "UrsuppeEnv(seat)", lambda value: UrsuppeEnv(seat=value), integers(-1, 4, HUGE, optional=True), "seat"
    wrong, named = [*opponents, [None] * 4, ()], "opponent is .* must be a callable"
    yield "UrsuppeEnv(opponent)", lambda value: UrsuppeEnv(opponent=value), wrong, named
    modes = {
        UrsuppeEnv: (NO_TEXTS, "'human', 'rgb_array', 'ansi' or None"),
        UrsuppeVectorEnv: ([*NO_TEXTS, "human"], "'rgb_array', 'ansi' or None"),
        UrsuppeVecEnv: ([*NO_TEXTS, "ansi"], "'rgb_array' or None"),
    }
    seeds = integers(-1, HUGE, optional=True)
    yield "UrsuppeVector: seed", lambda value: UrsuppeVector(1).reset(seed=value), seeds, SEED
    for kind, (wrong, right) in modes.items():
        make = partial(kind, *[1] * (kind is UrsuppeVecEnv))
        named = f"render_mode is .*; it must be {right}"
        yield f"{kind.__name__}(render_mode)", lambda value, make=make: make(render_mode=value), wrong, named
        begin = make().seed if kind is UrsuppeVecEnv else make().reset
        yield f"{kind.__name__}: seed", lambda value, begin=begin: begin(seed=value), seeds, SEED
    mode, named = "autoreset_mode", "autoreset_mode is .*; it must be one of 'NextStep', 'SameStep', 'Disabled'"
    yield f"UrsuppeVectorEnv({mode})", lambda value: UrsuppeVectorEnv(autoreset_mode=value), NO_TEXTS, named
    options = [5, "reset_mask", ["reset_mask"], np.ones(1, bool)]
    yield "UrsuppeVectorEnv.reset(options)", lambda value: UrsuppeVectorEnv(1).reset(options=value), options, "options"

    yield "make_agent(spec)", lambda value: make_agent(value, 0), [*NO_TEXTS, None], "spec|agent"
    seeds, named = integers(-1, -HUGE), "seed is .*; it must be an integer of at least 0"
    yield "make_agent(seed)", lambda value: make_agent("random", value), seeds, named
    yield "record_games(num_games)", lambda value: record_games(value, Ruleset()), integers(-1), "num_games"
    yield "record_games(ruleset)", lambda value: record_games(1, value), rulesets, "ruleset"
    yield "record_games(seed)", lambda value: record_games(1, Ruleset(), seed=value), integers(-1, 2**64), "seed"
    players = [*opponents, ["random"] * 4, np.array([None] * 4)]
    yield "record_games(players)", lambda value: record_games(1, Ruleset(), players=value), players, "players"
    agents = [5, [1, 2, 3, 4], len]
    yield "record_games(agents)", lambda value: record_games(1, Ruleset(), agents=value), agents, "agents"


def table(calls: Calls) -> list[Any]:
    return [pytest.param(call, wrong, named, id=what) for what, call, wrong, named in calls]


def in_the_middle() -> Games:
    """A game at a decision, one that is over, and one at a decision."""
    games = Games(N, seed=5)
    games.play_random(60)
    games.step_random(rows=[0])
    over = games.copy([1])
    over.play_random()
    return Games.from_state(np.concatenate([games.state[:1], over.state, games.state[2:]]), Ruleset())


MIDDLE = in_the_middle()


def refuse_all(call: Callable[[Any], object], wrong: list[Any], named: str, games: Games | None = None) -> None:
    """The call refuses each of these values, and the games stay as they were."""
    before = None if games is None else games.state.tobytes()
    for value in wrong:
        try:
            call(value)
        except ValueError as error:
            refusal = error
        else:
            pytest.fail(f"{value!r} is taken")
        assert type(refusal) is ValueError
        assert re.search(named, str(refusal))
        assert str(refusal).isprintable()
        assert len(str(refusal)) < 700
        assert games is None or games.state.tobytes() == before, value


@pytest.mark.parametrize(("call", "wrong", "named"), table(games_calls()))
def test_games_refuse_it_and_stay_as_they_were(call, wrong: list[Any], named: str):
    games = MIDDLE.copy()
    refuse_all(lambda value: call(games, value), wrong, named, games)


@pytest.mark.parametrize(("call", "wrong", "named"), table(constructor_calls()))
def test_constructors_refuse_it(call, wrong: list[Any], named: str):
    refuse_all(call, wrong, named)


@pytest.mark.parametrize("make", [UrsuppeVector, lambda n: UrsuppeVector(n, autoreset=False), UrsuppeVectorEnv])
def test_environments_refuse_wrong_actions_and_masks(make):
    env = make(N)
    env.reset(seed=1)
    refuse_all(env.step, [*NO_ARRAYS, [-1] * N, [0, 1, 999]], "action", env.games)
    if isinstance(env, UrsuppeVector):
        refuse_all(lambda value: env.reset(mask=value), NO_MASKS, MASK, env.games)


def test_one_game_refuses_wrong_actions():
    env = UrsuppeEnv()
    env.reset(seed=1)
    named = r"action is .*; it must be (one integer from 0 to|0 \.\.\.) 150"
    refuse_all(env.step, integers(-1, 151, HUGE), named, env.games)


def test_a_pending_chance_event_refuses_wrong_values():
    games = Games(N, seed=1, explicit_chance=True)
    assert (games.player == CHANCE_PLAYER).all()
    wrong: list[Any] = ["a", 1.0, True, [1], float("nan"), None, object(), -1, np.array(None), np.zeros((2, 2))]
    wrong += [np.ma.masked, np.ma.masked_array([1, 2], [True, False])]
    first = games.chance(0)[1][0][0]
    refuse_all(lambda value: games.resolve([first, value, 0]), wrong, "game [12]", games)


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
