"""States that live on: copies, pickles and files go on as the same games; what does not fit is refused."""

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.vector import UrsuppeVector
from ursuppe_env.games import trusted_games
from ursuppe_env.records import Record, check, record_games
from ursuppe_env.rules.nodes import CHANCE_PLAYER, PAUSED, Decision, Phase
from ursuppe_env.rules.state import LAYOUT, LAYOUT_NUMBER, STATE, STATE_VERSION, layout_of
from ursuppe_training.ppo.rollout import as_games, as_tensor

from support.standing import game_where

CARDS = dict.fromkeys(["tentacle", "holding", "speed", "escape"], 6)
RICH = Ruleset(players=5, edition="1997", start_bp=40, income=30, cards=CARDS)
RULESETS = (RICH, RICH.replace(income=20, end_zone=30, own_clinging=False))
STOPS = {"explicit_chance": True, "pause_after_rounds": True}


def everywhere() -> Games:
    """400 games with two rulesets at all kinds of decisions, at chance events, paused and finished."""
    games = Games(60, RULESETS, seed=1, **STOPS)
    collected = games.copy(np.zeros(400, int))
    for event in range(1600):
        if event % 4 == 0:
            collected._states[event // 4] = games.state[event * 7 % 60]
        (games.draw, games.resume, games.step_random)[event % 3]()
    assert len(set(collected.state["node"].tolist())) > 14
    assert {CHANCE_PLAYER, PAUSED} <= set(collected.player.tolist())
    return collected


def assert_same_future(games: Games, other: Games) -> None:
    assert (games.state == other.state).all()
    assert (games.legal() == other.legal()).all()
    for each in (games, other):
        each.play_random(100)
        each.reset(mask=each.finished)
        each.draw()
        each.resume()
        each.step_random()
    assert (games.state == other.state).all()
    games.play_random()
    other.play_random()
    assert (games.state == other.state).all()


def through_a_file(games: Games, folder: Path) -> np.ndarray:
    np.save(folder / "games.npy", games.state)
    return np.load(folder / "games.npy")


@pytest.mark.parametrize(
    "duplicate",
    [
        *(copy.deepcopy, Games.copy, lambda games: pickle.loads(pickle.dumps(games))),
        lambda games: trusted_games(games.state.copy(), games.rulesets, **STOPS),
    ],
)
def test_copies_and_pickles_of_games_go_on_as_the_same_games(duplicate: Callable):
    games = everywhere()
    twin = duplicate(games)
    assert twin.rulesets == games.rulesets
    assert_same_future(games, twin)


def test_a_file_of_states_or_some_of_its_rows_go_on_as_the_same_games(tmp_path: Path):
    games = everywhere()
    loaded = through_a_file(games, tmp_path)
    for rows in (slice(None), slice(7, 8), [9, 2, 2]):
        assert_same_future(games.copy(rows), Games.from_state(loaded[rows], RULESETS, **STOPS))


def test_states_from_a_file_need_no_other_compiled_code(tmp_path: Path):
    """A record read from a file compares as equal, but to Numba it is another type until it is copied."""
    loaded = through_a_file(Games(3, seed=1), tmp_path)
    assert loaded.dtype == STATE
    assert not loaded.dtype.isalignedstruct
    assert Games.from_state(loaded, Ruleset()).state.dtype.isalignedstruct


def test_from_state_takes_a_copy():
    games = Games(3, seed=1)
    other = Games.from_state(games.state, games.ruleset)
    other.step_random()
    assert (games.state == Games(3, seed=1).state).all()


def test_the_layout_is_in_every_state_and_record_and_records_of_another_one_can_be_replayed():
    games = everywhere()
    assert (games.state["layout"] == LAYOUT_NUMBER).all()
    assert f"{LAYOUT_NUMBER:08x}" == LAYOUT
    (record,) = record_games(1, Ruleset(players=3))
    assert record.to_dict()["layout"] == LAYOUT
    assert Record.from_dict(record.to_dict()) == record
    # The layout of a state is the engine's own matter: a record of another layout, or none, can be replayed.
    for layout in ({"layout": "0000beef"}, {}):
        data = {key: value for key, value in record.to_dict().items() if key != "layout"} | layout
        assert check(Record.from_dict(data)) is None


def test_the_layout_changes_with_every_field_and_with_the_version():
    layouts = {layout_of(STATE, STATE_VERSION), layout_of(STATE, STATE_VERSION + 1)}
    fields = [(name, STATE[name]) for name in STATE.names]
    for number, (name, dtype) in enumerate(fields):
        renamed, widened = (f"{name}_", dtype), (name, dtype.base.newbyteorder(), dtype.shape)
        for changed in ([renamed], [widened], []):
            layouts.add(layout_of(np.dtype(fields[:number] + changed + fields[number + 1 :]), STATE_VERSION))
    of_one_byte = sum(dtype.base.itemsize == 1 for _, dtype in fields)  # has no byte order
    assert len(layouts) == 2 + 3 * len(fields) - of_one_byte


def test_a_state_has_no_gaps():
    """So equal states are equal bytes, and files hold nothing that happened to lie in memory."""
    assert sum(dtype.itemsize for dtype, *_ in STATE.fields.values()) == STATE.itemsize
    files = [Games(3, seed=1).state.tobytes() for _ in range(2)]
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: s[["layout", "bp"]], f"states says layout {LAYOUT}, but its dtype is another one"),
        (lambda s: s[["seed", "bp"]].copy(), f"it must be that of games.state (layout {LAYOUT})"),
        (lambda s: s["bp"][:, 0], "states has dtype int16; it must be that of games.state"),
        (lambda s: s.astype(s.dtype.newbyteorder()), "it must be that of games.state"),
        (lambda s: s[:0], "states is an array of shape (0,); it must be an (N,) array like games.state, N at least 1"),
    ],
)
def test_what_is_no_array_of_states_is_refused(change: Callable, says: str):
    states = change(Games(4, seed=1).state.copy())
    with pytest.raises(ValueError, match=re.escape(says)):
        Games.from_state(states, Ruleset())


def test_the_state_is_read_only():
    games = Games(2, seed=1)
    shown, before = games.state, games.state.copy()
    for write in (
        lambda: shown.__setitem__("bp", 3),
        lambda: shown["bp"].__setitem__(0, 3),
        lambda: shown[0].__setitem__("bp", 3),
        lambda: games.copy().state.__setitem__(0, shown[1]),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert (games.state == before).all()
    games.step_random()
    assert (shown == games.state).all()  # it follows the games
    assert (games.state != before).any()


def test_a_pickle_or_states_of_another_version_are_refused():
    games = Games(2, seed=1)
    games._states["layout"] = 0xBEEF
    stored = pickle.dumps(games)
    for read in (lambda: pickle.loads(stored), lambda: Games.from_state(games.state, Ruleset())):
        with pytest.raises(ValueError, match=f"has layout 0000beef, .* needs layout {LAYOUT}"):
            read()


def test_a_pickle_from_before_pickles_were_checked_is_refused():
    games = Games(2, seed=1)
    again = object.__new__(Games)
    with pytest.raises(ValueError, match="of an earlier version of the package"):
        again.__setstate__(vars(games))


def test_a_deep_copy_is_trusted_and_on_its_own():
    """Who copies an environment to look ahead does not pay for the check."""
    games = Games(2, seed=1, **STOPS)
    games._states["bp"][0] = -1  # which the door would refuse
    twin = copy.deepcopy(games)
    assert twin.state.tobytes() == games.state.tobytes()
    twin.draw()
    assert twin.state.tobytes() != games.state.tobytes()


@pytest.mark.parametrize(
    ("ruleset", "says"),
    [
        (RICH.replace(cubes=60), "state 0: the cubes of colour 0 are 55 in all; with this ruleset they must be 60"),
        (RICH.replace(cards={"armour": 2}), "the cards of gene 19 are 1 in all; with this ruleset they must be 2"),
        (RICH.replace(players=4, amoebas=6, amoeba_places=[0] * 7), "with this ruleset it must be -3 ... 3"),
        (RICH.replace(players=6), "state 0: the cubes of colour 5 are 0 in all; with this ruleset they must be 55"),
        (RICH.replace(amoebas=3, amoeba_places=[0] * 4), "the further amoebas of player 0 are 1 in all"),
        (RICH.replace(environment=[["west", 3]] * 5), "with this ruleset it must be"),
        (RICH.replace(price={"intelligence": 99}), "with this ruleset other actions are legal in its decision buy"),
    ],
)
def test_another_ruleset_is_refused_where_it_shows(ruleset: Ruleset, says: str):
    games = Games(50, RICH, seed=3)
    games.play_random(70)
    with pytest.raises(ValueError, match=re.escape(says)):
        Games.from_state(games.state, ruleset)


@pytest.mark.parametrize("option", list(STOPS))
def test_states_at_a_stop_need_games_that_stop_there(option: str):
    games = everywhere()
    with pytest.raises(ValueError, match=f"{option} is False, it must be True"):
        Games.from_state(games.state, RULESETS, **(STOPS | {option: False}))


COUNTS = ("damage", "bp", "marker", "owed", "supply")  # may be large
STREAMS = ("index", "episode")  # may be anything

INTEGERS = [name for name in STATE.names if STATE[name].base.kind == "i" and name not in STREAMS]
#: Where no game stands.
NOWHERE = [("node", 0), ("node", 16), ("node", -1), ("player", -1), ("player", -3), ("card", -1)]
NOWHERE += [("num_legal", 1), ("legal", 1)]


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, np.iinfo(STATE[name].base).min) for name in INTEGERS),
        *((name, np.iinfo(STATE[name].base).max) for name in INTEGERS if name not in (*COUNTS, "clinging")),
        *NOWHERE,
    ],
)
def test_impossible_numbers_are_refused_with_their_state(name: str, number: int):
    games = Games(3, seed=1)
    games.play_random(30)
    states = games.state.copy()
    states[name][1] = number
    with pytest.raises(ValueError, match="state 1: "):
        Games.from_state(states, games.ruleset)


def test_a_turn_that_began_anew_does_not_lead_the_rules_out_of_their_arrays():
    """The set-up once went on until no number was left to choose, and wrote where it had no business to."""
    ruleset = Ruleset(players=3, amoebas=2, amoeba_places=[0, 0, 0])
    games = Games(1, ruleset, seed=1)
    while not (games.decision[0] == Decision.PLACE and games.state["turn"][0] == 5):
        games.step_random()
    states = games.state.copy()
    states["turn"] = 0
    assert_refused(states, ruleset, "player 0 has 2 amoebas on the board; with 0 placed in all it must be 0")


def assert_refused(states: np.ndarray, ruleset: Ruleset, says: str = "") -> None:
    """By each of the ways in; ``states`` is one state."""
    with pytest.raises(ValueError, match=re.escape(says)) as error:
        Games.from_state(states, ruleset, **STOPS)
    assert str(error.value).startswith("state 0: ")
    games = trusted_games(states.copy(), ruleset, **STOPS)
    with pytest.raises(ValueError, match=re.escape(str(error.value))):
        pickle.loads(pickle.dumps(games))
    with pytest.raises(ValueError, match=re.escape(str(error.value))):
        as_games(as_tensor(games), ruleset)
    if games.player[0] >= 0 or games.finished[0]:
        env = UrsuppeVector(1, ruleset=ruleset)
        env.games = games
        with pytest.raises(ValueError, match=re.escape(str(error.value))):
            pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize(
    ("node", "name", "at", "value", "says"),
    [
        # what follows from the rest
        (Decision.MOVE, "turn", (), 9, "nobody can stand at node 3"),
        (Decision.BUY, "turn", (), 9, "turn is 9; at the decision buy of player"),
        (Decision.DIVIDE, "turn", (), 0, "turn is 0; at the decision divide of player"),
        (Decision.DIVIDE, "winner", (), 2, "winner is 2; at the decision divide of player"),
        (Decision.START_PLACE, "amoeba", (), 1, "acting is the amoeba whose turn it is in phase move_and_feed"),
        (Decision.DIVIDE, "cling_turn", (), 3, "cling_turn is 3; at the decision divide of player"),
        (Decision.DIVIDE, "carry_colour", (), 1, "carry_colour is 1; at the decision divide of player"),
        (Decision.DIVIDE, "direction", (), 1, "direction is 1; at the decision divide of player"),
        (Decision.DIVIDE, "steps", (), 1, "steps is 1; at the decision divide of player"),
        (Decision.DIVIDE, "mover_amoeba", (), 1, "mover_amoeba is 1; at the decision divide of player"),
        (Decision.DIVIDE, "victim_amoeba", (), 1, "victim_amoeba is 1; at the decision divide of player"),
        (Decision.CARRY, "carry_colour", (), 4, "with this ruleset other actions are legal in its decision carry"),
        (Decision.DEFECT, "phase", (), Phase.NEW_GENES, "phase is 'new_genes', but defect belongs to environment"),
        (Decision.BUY, "key", (), 5, "key is 5; at the decision buy of player"),
        (Decision.BUY, "episode", (), -1, "episode is -1; it must be an integer from 0"),
        # the seat of nobody
        (Decision.BUY, "bp", (5,), 1, "bp is [3"),
        (Decision.BUY, "marker", (5,), 3000, "marker is ["),
        (Decision.BUY, "order", (5,), 1, "order is ["),
        (Decision.BUY, "answers_used", (5,), 1, "answers_used is [0, 0, 0, 0, 0, 1]; at the decision buy of player"),
        # a table that no game comes to
        (Decision.BUY, "marker", (0,), 1, "the markers of players 0 and 1 both stand on place 1"),
        (Decision.BUY, "order", (0,), 2, "order has [2 0 4 2 3], which is not the ascending order of the markers"),
        (Decision.BUY, "drawn", (), 0b1000000101, "3 environment cards have been turned up; by now it must be"),
        (Decision.BUY, "card", (), 1, "card 1 is in force, but has not been turned up"),
        (Decision.BUY, "damage", (0, 6), 1, "amoeba 7 of player 0 has 1 DP off the board"),
        # what would overflow
        (Decision.BUY, "bp", (0,), 32767, "bp has 32767; with this ruleset it must be 0 ... 32761"),
        (Decision.BUY, "damage", (0, 0), 4, "damage has 4; with this ruleset it must be 0 ... 3"),
    ],
)
def test_whatever_the_way_in_a_state_says_no_more_than_a_position_could(
    node: int, name: str, at: tuple, value: int, says: str
):
    states = game_where(lambda state: state["node"] == node, RICH, **STOPS).state.copy()
    Games.from_state(states, RICH, **STOPS)
    states[name][(0, *at)] = value
    assert_refused(states, RICH, says)
