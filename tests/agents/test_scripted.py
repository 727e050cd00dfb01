"""Scripted agents: legal everywhere, strong enough, different from each other, and what each tactic does."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given

from ursuppe_agents import make_agent
from ursuppe_agents.scripted.agents import ScriptedAgent, Strategy
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.nodes import Decision

from support.positions import Position, choice, position, struggling
from support.rulesets import SEEDS, examples, rulesets

NAMES = ["breeder", "collector", "grow", "hoarder", "hunter", "scavenger", "wanderer"]


def scripted(**strategy: object) -> ScriptedAgent:
    """An agent with this strategy."""
    return type("Test", (ScriptedAgent,), {"strategy": Strategy(**strategy)})(np.random.default_rng(0))


# ---------------------------------------------------------------------- in any game


@pytest.mark.parametrize("name", NAMES)
@examples(12)
@given(ruleset=rulesets(), seed=SEEDS)
def test_actions_are_legal_under_any_ruleset(name: str, ruleset: Ruleset, seed: int):
    """In the positions of random play, and of their own games; `step` refuses what is not legal."""
    agent = make_agent(name, 0)
    games = Games(4, ruleset, seed)
    while (rows := np.flatnonzero(~games.finished)).size > 0:
        assert games.legal()[rows, agent(games, rows)].all()
        games.step_random()
    games = Games(4, ruleset, seed)
    while (rows := np.flatnonzero(~games.finished)).size > 0:
        games.step(agent(games, rows), rows)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_deterministic_and_change_nothing(name: str):
    games = Games(200, seed=1)
    games.play_random(80)
    rows = np.flatnonzero(~games.finished)
    before = games.state.copy()
    agent = make_agent(name, 1)
    assert agent.deterministic
    actions = agent(games, rows)
    np.testing.assert_array_equal(make_agent(name, 2)(games, rows), actions)
    np.testing.assert_array_equal(agent(games, rows[::-1]), actions[::-1])
    np.testing.assert_array_equal(agent(games.copy(rows, reseed=7), np.arange(len(rows))), actions)
    assert games.state.tobytes() == before.tobytes()


# ---------------------------------------------------------------------- strength and character


Act = Callable[[Games, np.ndarray], np.ndarray]


def play(games: Games, one: Act, rest: Act, seat: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Let one play this seat of each game, and the rest all others, to the end; yields in which games one decides, and
    what."""
    while (rows := np.flatnonzero(~games.finished)).size > 0:
        actions, is_own = rest(games, rows), games.player[rows] == seat[rows]
        actions[is_own] = one(games, rows[is_own])
        yield rows[is_own], actions[is_own]
        games.step(actions, rows)


def win_rate(one: Act, rest: Act, seeds: int, seed: int) -> float:
    """Of one against three, each of the seeds played once from each seat."""
    seat = np.arange(4 * seeds) % 4
    games = Games(4 * seeds, seed=seed, index=np.arange(4 * seeds) // 4)
    deque(play(games, one, rest, seat), maxlen=0)
    return (games.winner == seat).mean()


@pytest.mark.parametrize(("name", "others"), [(name, "random" if name == "grow" else "grow") for name in NAMES])
def test_growing_beats_random_players_and_genes_beat_growing_without_them(name: str, others: str):
    assert win_rate(make_agent(name, 0), make_agent(others, 0), seeds=60, seed=11) > 0.75


@cache
def habits(name: str) -> dict[str, float]:
    """What an agent does among three that grow."""
    games, done = Games(60, seed=5), Counter()
    for rows, actions in play(games, make_agent(name, 0), make_agent("grow", 0), np.zeros(60, np.int64)):
        for decision, action in zip(games.decision[rows], actions, strict=True):
            verb = games.actions.text(int(action), 0).split()[0]
            done[f"{Decision(int(decision)).name.lower()} {verb}"] += 1
    return {
        "kills or tries to": done["feed attack"] + done["aggress attack"],
        "pays to move": done["move move"],
        "divides": done["divide space"],
        "keeps its cards": 1 / (1 + done["defect discard"]),
        "taps": done["feed tap"],
        "advanced genes": int((games.state["genes"][:, 0, 16:] > 0).sum()),
    }


@pytest.mark.parametrize(
    ("habit", "name"),
    [
        ("kills or tries to", "hunter"),
        ("pays to move", "wanderer"),
        ("divides", "breeder"),
        ("keeps its cards", "hoarder"),
        ("taps", "scavenger"),
        ("advanced genes", "collector"),
    ],
)
def test_each_has_a_way_of_its_own(habit: str, name: str):
    others = [habits(other)[habit] for other in NAMES if other not in (name, "grow")]
    assert habits(name)[habit] > 1.1 * max(others)


# ---------------------------------------------------------------------- tactics
#
#   .     1     .        .     .
#   2     3     4        5     6
#   7     8     ISLE     9     10
#   11    12    13       14    15
#   16    17    18       19    .

MEAL = (0, 1, 1, 1)  # for player 0 of 4


def test_drift_if_that_leads_to_food_and_move_if_not():
    # Both neighbours of 13 that it can drift or move to; the current goes east.
    options = {"amoebas": {"0.1": 13}, "card": ("east", 10)}
    assert choice(position(**options, food={14: MEAL}), scripted()) == "drift"
    assert choice(position(**options, food={12: MEAL, 13: MEAL, 18: MEAL}), scripted()) == "move"
    assert choice(position(**options, food={12: MEAL}), scripted(effort=1.0)) == "drift"
    assert choice(position(**options), scripted()) == "drift"


def test_hold_on_to_a_space_with_food():
    options = {"amoebas": {"0.1": 13}, "card": ("east", 10), "genes": {0: ["holding"]}}
    assert choice(position(**options, food={13: MEAL}), scripted()) == "hold"
    assert choice(position(**options, food={14: MEAL}), scripted()) == "drift"


def test_go_where_the_food_is():
    game = position(amoebas={"0.1": 13}, food={18: MEAL})
    game.act("move")
    game.roll(6)
    assert choice(game, scripted()) == "south"


def test_a_second_step_only_towards_something_better():
    for food, then in (({14: MEAL}, "pass"), ({15: MEAL, 9: MEAL}, "again")):
        game = position(amoebas={"0.1": 13}, food=food, genes={0: ["speed", "movement_1"]})
        game.act("move")
        game.roll(3, 3)
        assert game.space("0.1") == 14
        assert choice(game, scripted()) == then


def test_with_a_second_step_to_come_the_first_goes_towards_the_food():
    game = position(amoebas={"0.1": 13}, food={15: MEAL}, genes={0: ["speed", "movement_2"]})
    game.act("move")
    assert choice(game, scripted()) == "east"


def test_a_tentacle_brings_what_is_missing():
    game = position(
        amoebas={"0.1": 13}, card=("east", 10), food={13: (3, 2, 2, 0), 14: (0, 1, 0, 1)}, genes={0: ["tentacle"]}
    )
    game.act("drift")
    taken = []
    while game.asks[0] == "carry":
        taken.append(choice(game, scripted()))
        game.act(taken[-1])
    assert taken[0] == "carry 2"
    assert game.damage("0.1") == 0  # it has eaten: all there is to choose was chosen for it
    assert game.food(14) == (2, 0, 1, 0)


def test_an_amoeba_moves_to_where_its_tentacle_makes_a_meal():
    game = position(amoebas={"0.1": 13}, food={13: (0, 1, 0, 0), 18: (0, 0, 1, 1)}, genes={0: ["tentacle"]})
    game.act("move")
    game.roll(6)
    assert choice(game, scripted()) == "south"


def test_cling_to_who_goes_to_food():
    for food, answer in (({14: (1, 0, 1, 1)}, "cling"), ({13: (1, 0, 1, 1)}, "pass")):
        game = position(amoebas={"0.1": 13, "1.1": 13}, card=("east", 10), food=food, genes={1: ["holding"]})
        game.act("drift")
        assert game.asks == ("cling", 1)
        assert choice(game, scripted()) == answer


def test_nobody_clings_into_the_unknown():
    options = {"amoebas": {"0.1": 13, "1.1": 13}, "food": {14: (1, 0, 1, 1)}, "genes": {1: ["holding"]}}
    game = position(edition="1997", **options)
    game.act("move")
    assert game.asks == ("cling", 1)
    assert choice(game, scripted()) == "pass"


#: Player 0's amoeba with Struggle for Survival and others in space 13, at its feeding.
hungry = partial(struggling, board="13: 0.1 0.2 1.1 2.1")


def test_attack_the_leader_but_not_oneself():
    assert choice(hungry(), scripted()) == "attack 2.1"
    assert choice(hungry(markers=(1, 4, 3, 2)), scripted()) == "attack 1.1"


def test_attack_whoever_cannot_answer():
    assert choice(hungry(genes={2: ["defense"]}), scripted()) == "attack 1.1"
    assert choice(hungry(genes={2: ["defense"]}, bp={2: 0}), scripted()) == "attack 2.1"
    assert choice(hungry(genes={2: ["armour"]}), scripted()) == "attack 1.1"


def test_who_can_eat_with_genes_does_not_attack():
    genes = {0: ["struggle_for_survival", "frugality"]}
    assert choice(hungry(food={13: (0, 1, 1, 0)}, genes=genes), scripted()) == "eat"
    assert choice(hungry(food={13: (0, 1, 0, 0)}, genes=genes), scripted()) == "attack 2.1"


def test_the_leader_pays_for_a_meal():
    game = position("13: 0.1 1.1 2.1 cubes 0-1-1-1", genes={0: ["parasitism"]})
    game.act("drift")
    assert choice(game, scripted()) == "tap 2"


def test_eat_what_there_is_most_of():
    game = position(amoebas={"0.1": 13}, food={13: (0, 4, 2, 1)}, genes={0: ["substitution"]})
    game.act("drift")
    assert game.asks == ("meal", 0)
    assert choice(game, scripted()) == "meal 0-3-1-0"


def test_escape_first_then_fight():
    game = hungry(genes={2: ["defense", "escape"]})
    game.act("attack 2.1")
    assert choice(game, scripted()) == "escape"
    game.act("escape")
    game.roll(5)  # it stays
    assert choice(game, scripted()) == "defense"


def test_pay_up_to_the_ransom_else_lose_the_least_wish():
    genes = {0: ["speed", "movement_1", "spores", "intelligence"]}  # 11 MP
    wishes = ("movement_1", "speed", "intelligence", "spores")
    game = position(phase=2, round=2, turned_up=[("west", 6)], genes=genes, bp={0: 9})
    game.turn_up("west", 9)
    assert game.asks == ("defect", 0)
    assert choice(game, scripted(wishes=wishes, ransom=2)) == "pay"
    assert choice(game, scripted(wishes=wishes, ransom=1)) == "discard spores"
    assert choice(game, scripted(wishes=wishes[::-1], ransom=1)) == "discard movement_1"
    assert choice(game, scripted(wishes=wishes[1:], ransom=1)) == "discard movement_1"
    game = position(phase=2, round=2, turned_up=[("west", 6)], genes=genes, bp={0: 9})
    game.turn_up("east", 8)  # 3 MP: Movement I would not do
    assert choice(game, scripted(wishes=wishes[::-1], ransom=1)) == "discard speed"


def at_buying(**options: object) -> Position:
    """The leader, player 3, is about to buy."""
    return position(phase=3, **{"bp": {3: 10}, **options})


def test_wishes_come_true_in_their_order():
    agent = scripted(wishes=("movement_2", "division_rate", "movement_1"), debt=1.0)
    assert choice(at_buying(), agent) == "buy division_rate"
    assert choice(at_buying(bp={3: 5}), agent) == "buy movement_1"
    assert choice(at_buying(genes={3: ["movement_1"]}), agent) == "buy movement_2"
    assert choice(at_buying(bp={3: 2}, genes={2: ["intelligence"]}), agent) == "pass"


def test_no_more_genes_than_the_strategy_can_bear():
    # After the west cards and an 8: ozone 10, 10, 9, 11, 10, 13, 14 are left.
    options = {"turned_up": [("west", 6), ("west", 9), ("west", 12), ("east", 8)], "round": 3, "card": ("west", 6)}
    genes = {3: ["substitution", "holding"]}  # 8 MP
    game = at_buying(**options, genes=genes)
    wishes = ("intelligence",)  # 3 MP more: 1 + 1 + 2 + 1 MP too many over 7 cards
    assert choice(game, scripted(wishes=wishes, debt=5 / 7 + 0.01)) == "buy intelligence"
    assert choice(game, scripted(wishes=wishes, debt=5 / 7 - 0.01)) == "pass"
    assert choice(game, scripted(wishes=("ray_protection",), debt=0.0)) == "buy ray_protection"


def test_in_the_last_round_points_are_bought():
    genes = {3: ["movement_1", "speed"]}
    agent = scripted(wishes=("parasitism",))
    at_the_end = partial(at_buying, markers=(1, 2, 3, 41), amoebas={"3.1": 1, "3.2": 2, "3.3": 3})
    # A third point; 12 BP are two divisions, as 14 would be.
    assert choice(at_the_end(genes=genes, bp={3: 4}), agent) == "buy intelligence"
    assert choice(at_the_end(genes=genes, bp={3: 2}), agent) == "pass"  # it would cost a division
    assert choice(at_the_end(bp={3: 4}), agent) == "pass"  # a first point is worth nothing


def at_division(**options: object) -> Position:
    """Player 3 is about to divide, with 10 BP more than given."""
    return position(phase=4, **{"amoebas": {"3.1": 13}, "bp": {3: 0}, **options})


def test_divide_as_long_as_the_reserve_is_kept():
    assert choice(at_division(), scripted(reserve=5)) == "pass"
    assert choice(at_division(), scripted(reserve=4)) != "pass"
    assert choice(at_division(genes={3: ["streamlining"]}), scripted(reserve=5)) != "pass"


def test_save_for_a_wish_once_the_colony_stands():
    wish = {"wishes": ("speed",), "reserve": 0, "debt": 5.0}
    assert choice(at_division(), scripted(**wish, colony=1)) != "pass"
    wish = {"wishes": ("holding",), "reserve": 0, "debt": 5.0}
    assert choice(at_division(), scripted(**wish, colony=1)) == "pass"
    assert choice(at_division(), scripted(**wish, colony=2)) != "pass"
    assert choice(at_division(genes={2: ["holding"]}), scripted(**wish, colony=1)) != "pass"


def test_in_the_last_round_nothing_is_saved():
    assert choice(at_division(markers=(1, 2, 3, 42 - 1)), scripted(reserve=9)) == "pass"
    amoebas = {f"3.{number}": number for number in range(1, 4)}
    assert choice(at_division(markers=(1, 2, 3, 41), amoebas=amoebas), scripted(reserve=9)) != "pass"


def test_a_new_amoeba_goes_to_where_the_current_takes_it_to_food():
    options = {"amoebas": {"3.1": 13}, "card": ("north", 9), "food": {8: (1, 1, 1, 0), 12: (1, 1, 1, 0)}}
    # Both 12 and 14 are next to 13; from 12 the current goes to 8.
    assert choice(at_division(**options), scripted(reserve=0)) == "space 12"
    crowd = {f"{player}.1": 12 for player in range(3)} | {f"{player}.2": 12 for player in range(3)}
    options = {"amoebas": {"3.1": 13, **crowd}, "card": ("north", 9), "food": {8: (1, 1, 1, 0), 9: (1, 1, 1, 0)}}
    assert choice(at_division(**options), scripted(reserve=0)) == "space 14"


@pytest.mark.parametrize("players", [3, 4, 5, 6])
@pytest.mark.parametrize("name", NAMES)
def test_the_highest_start_place_that_is_free_and_the_lowest_number(name: str, players: int):
    games = Games(20, Ruleset(players=players), seed=3)
    agent = make_agent(name, 0)
    rows = np.arange(20)
    for place in range(players, 1, -1):  # the last one is what is left
        assert set(agent(games, rows)) == {games.actions.id(f"start {place}", 0)}
        games.step(agent(games, rows), rows)
    while (games.decision != Decision.NUMBER).any():
        games.step(agent(games, rows), rows)
    assert set(agent(games, rows)) == {games.actions.id("amoeba 1", 0)}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "grow"])
def test_who_takes_the_lowest_start_place_instead_loses_against_three_of_the_kind(name: str):
    agent = make_agent(name, 0)

    def act(games: Games, rows: np.ndarray) -> np.ndarray:
        is_place = games.decision[rows] == Decision.START_PLACE
        return np.where(is_place, games.legal()[rows].argmax(axis=1), agent(games, rows))

    assert win_rate(act, agent, seeds=100, seed=17) < 0.2  # a fair share is 0.25
