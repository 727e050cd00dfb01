"""Positions: what is written can be read, goes on as the same game, and impossible ones are refused."""

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Chance, Decision, Stage
from ursuppe_env.rules.ruleset import SWITCHES

from support.rulesets import SEEDS, examples, rulesets
from support.standing import FIGHTS

STOPS = {"explicit_chance": True, "pause_after_rounds": True}


def through_json(games: Games, i: int) -> dict[str, Any]:
    return json.loads(json.dumps(games.to_dict(i)))


@examples(40)
@given(ruleset=rulesets(), seed=SEEDS, events=st.integers(0, 300))
def test_a_position_goes_on_as_the_same_game(ruleset: Ruleset, seed: int, events: int):
    games = Games(3, ruleset, seed=seed, index=[-5, 0, 2**40], **STOPS)
    games.reset()
    for _ in range(events):
        games.draw()
        games.resume()
        games.step_random()
    for i in range(3):
        again, game = Games.from_dict(through_json(games, i), **STOPS), games.copy([i])
        assert again.ruleset == games.ruleset
        assert again.state[0] == game.state[0]
        for each in (game, again):
            each.play_random()
        assert again.state[0] == game.state[0]
        for each in (game, again):
            each.reset()
        assert again.state[0] == game.state[0]


#: As in the two editions, and the two other ways; and some on and some off.
MIXTURES = [{}, dict.fromkeys(SWITCHES, True), dict.fromkeys(SWITCHES, False)]
MIXTURES += [{name: bool(mixture >> i & 1) for i, name in enumerate(SWITCHES)} for mixture in (0b01101110, 0b10011101)]


@pytest.mark.parametrize("switches", MIXTURES)
@pytest.mark.parametrize(("players", "edition"), [(3, "1997"), (6, "1998")])
def test_movements_and_attacks_under_way_are_written_and_read(players: int, edition: str, switches: dict[str, bool]):
    games = Games(32, Ruleset(players=players, edition=edition, **FIGHTS, **switches), seed=players, **STOPS)
    fields = ("node", "phase", "movement", "attempts", "lost_fight", "taken")
    seen = set()
    for event in range(900):
        states = games.state
        columns = [states[name].tolist() for name in fields]
        # How many amoebas come along, and whose cubes are on their way; who takes some: the mover or another one.
        columns.append((states["clinging"] > 0).sum(axis=1).tolist())
        columns.append((states["carried"].sum(axis=2) > 0).sum(axis=1).tolist())
        columns.append(((states["carrier"] >= 0) & (states["cling_turn"] > 0)).tolist())
        for i, here in enumerate(zip(*columns, strict=True)):
            if here not in seen:
                seen.add(here)
                again = Games.from_dict(through_json(games, i), **STOPS)
                assert again.state[0] == games.state[i]
                assert again.ruleset == games.ruleset
        (games.draw, games.resume, games.step_random)[event % 3]()
    nodes = {node for node, *_ in seen}
    assert {*Decision, *Chance, Stage.NEXT_ROUND} <= nodes
    ruleset = games.ruleset
    assert ruleset.clinging_carries == any(is_clinger for *_, is_clinger in seen)


def test_a_position_is_written_in_the_words_of_the_rules():
    games = Games(1, Ruleset(players=3, income=12), seed=7)
    position = games.to_dict(0)
    assert position == {
        "format": "ursuppe-position/1",
        "players": 3,
        "edition": "1998",
        "ruleset": {"income": 12},
        "round": 0,
        "phase": "setup",
        "decision": "start_place",
        "player": 1,
        "card": ["north", 9],
        "earlier_cards": [],
        "markers": [0, 0, 0],
        "start_order": [1, 0, 2],
        "bp": [4, 4, 4],
        "genes": [{}, {}, {}],
        "supply": dict(zip(GENE_NAMES, games.ruleset.cards, strict=True)),
        "amoebas": [[], [], []],
        "food": {str(space): [2, 2, 2] for space in range(1, 20)},
        "reserve": [17, 17, 17],
        "streams": {
            "seed": 7,
            "index": 0,
            "episode": 0,
            "draws": {"card": 1, "start_order": 1, "dice": 0, "fight": 0, "choice": 0},
        },
    }


FEED = {
    "players": 3,
    "decision": "feed",
    "player": 0,
    "round": 2,
    "amoebas": [[[1, 13, 0]], [[2, 13, 1], [4, 13, 0]], []],
    "genes": [{"struggle_for_survival": 1}, {"defense": 1, "escape": 1}, {"life_expectancy": 1}],
    "food": {"13": [4, 0, 1]},
    "bp": [1, 5, 0],
}


def legal(games: Games) -> set[str]:
    player = int(games.player[0])
    return {games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[0])}


def test_most_can_be_left_out():
    games = Games.from_dict(FEED)
    assert legal(games) == {"attack 1.2", "attack 1.4", "starve"}
    position = games.to_dict(0)
    assert position["phase"] == "move_and_feed"
    assert position["acting"] == "0.1"
    assert position["reserve"] == [51, 55, 54]
    assert position["supply"]["struggle_for_survival"] == 1
    assert position["markers"] == [1, 2, 3]
    assert position["card"] == ["none", 14]
    assert position["earlier_cards"] == [["south", 13]]
    assert position["streams"]["seed"] == 0


ATTACK = {"attack": {"attacker": "0.1", "victim": "1.2"}}
LEFT_OUT = "left out"


def changed(**changes: Any) -> dict[str, Any]:
    """The position above with some keys changed or left out."""
    return {key: value for key, value in (FEED | changes).items() if value != LEFT_OUT}


FIGHT = {"decision": LEFT_OUT, "player": LEFT_OUT, "chance": "fight", **ATTACK}
DEFEND = {"decision": "defend", "player": 1, **ATTACK}
#: Three amoebas in space 13, of which 1.2 and 1.4 may cling to 0.1 and take cubes; 0.2 may with own_clinging.
CROWD = {
    "players": 3,
    "round": 2,
    "ruleset": {"early_clinging": False, "own_clinging": True, "clinging_carries": True},
    "amoebas": [[[1, 13, 0], [2, 13, 0]], [[2, 13, 0], [4, 13, 0]], []],
    "genes": [{"tentacle": 1, "holding": 1}, {"tentacle": 1, "holding": 1}, {}],
    "food": {"13": [9, 9, 9]},
}
CROWD["ruleset"]["cards"] = {"tentacle": 2, "holding": 2}
WEST = {"kind": "move", "amoeba": "0.1", "dice": [1], "direction": "west"}
AGGRESSORS = changed(
    decision="aggress", round=3, genes=[{"aggression": 2, "endurance": 2}, {"defense": 1, "escape": 1}, {}]
)
UNDER_WAY = {**ATTACK["attack"], "space": 13}
AT_DIE = {"kind": "move", "amoeba": "0.1", "clinging": ["1.2"], "carried": {"1": [2, 0, 0]}}
CLINGER_CARRIES = {"clinging": ["1.2"], "carrier": "1.2", "carried": {"0": [1, 0, 1], "1": [0, 1, 0]}, "taken": 1}
BOTH_CARRY = {"clinging": ["0.2"], "carrier": "0.2", "carried": {"0": [1, 2, 0]}, "taken": 1, "colour": 0}
#: A position, the legal actions in it, and some of what is written of it, also where it was left out.
FOLLOWS: dict[str, tuple[dict[str, Any], set[str], dict[str, Any]]] = {
    "an attack that is to be answered": (
        changed(bp=[0, 5, 0], **DEFEND),
        {"defense", "escape", "pass"},
        {"acting": "0.1", "attack": UNDER_WAY | {"answers": []}, "answers_used": None},
    ),
    "an escape before its die": (
        changed(**FIGHT | {"chance": "die"}, movement={"kind": "escape", "amoeba": "1.2"}),
        set(),
        {"attack": UNDER_WAY | {"answers": ["escape"]}, "movement": {"kind": "escape", "amoeba": "1.2", "step": 1}},
    ),
    "the moving amoeba takes cubes unless the position says otherwise": (
        CROWD | {"decision": "carry", "player": 0, "movement": WEST | {"carried": {"0": [0, 1, 0]}}},
        {"carry 1", "carry 2", "pass"},
        {"movement": WEST | {"carried": {"0": [0, 1, 0]}, "step": 1, "carrier": "0.1", "taken": 1, "colour": 1}},
    ),
    "an amoeba that clings takes cubes along": (  # of two cubes the first one is of colour 1
        CROWD | {"decision": "carry", "player": 1, "movement": WEST | CLINGER_CARRIES},
        {"carry 1", "carry 2", "pass"},
        {"movement": WEST | CLINGER_CARRIES | {"step": 1, "colour": 1}, "reserve": [45, 45, 45]},
    ),
    "two amoebas of one owner have cubes on their way": (
        CROWD | {"decision": "carry", "player": 0, "movement": WEST | BOTH_CARRY},
        {"carry 0", "carry 1", "carry 2", "pass"},
        {"movement": WEST | BOTH_CARRY | {"step": 1}},
    ),
    "early clingers have cubes before the dice are rolled": (
        CROWD | {"ruleset": CROWD["ruleset"] | {"early_clinging": True}, "chance": "die", "movement": AT_DIE},
        set(),
        {"movement": AT_DIE | {"step": 1}},
    ),
    "an answer in this round bars who owns both": (
        changed(**DEFEND, answers_used=[[], ["escape"], []], ruleset={"paired_answers_once": True}),
        {"defense", "pass"},
        {"attack": UNDER_WAY | {"answers": []}, "answers_used": [[], ["escape"], []]},
    ),
    "an answer under way is one of this round": (
        changed(**FIGHT, ruleset={"paired_answers_once": True}),
        set(),
        {"attack": UNDER_WAY | {"answers": ["defense"]}, "answers_used": [[], ["defense"], []]},
    ),
    "a second attempt at the same victim names it": (AGGRESSORS | ATTACK, {"attack 1.2", "pass"}, ATTACK),
    "a second attempt at any victim names none": (
        AGGRESSORS | {"attack": {"attacker": "0.1"}, "ruleset": {"same_victim": False}},
        {"attack 1.2", "attack 1.4", "pass"},
        {"attack": {"attacker": "0.1"}},
    ),
    "an aggressor that was beaten off": (
        AGGRESSORS | ATTACK | {"lost_fight": True, "ruleset": {"hungry_aggressor": True}},
        {"attack 1.2", "pass"},
        {**ATTACK, "lost_fight": True},
    ),
}


@pytest.mark.parametrize("name", FOLLOWS)
def test_what_is_left_out_follows_from_the_rest(name: str):
    position, actions, written = FOLLOWS[name]
    games = Games.from_dict(position, explicit_chance=True)
    assert legal(games) == actions
    found = games.to_dict(0)
    assert {key: found.get(key) for key in written} == written


def test_the_first_round_in_which_things_can_stand_like_this_is_the_default():
    def round_of(**changes: Any) -> int:
        position = {"players": 3, "decision": "divide", "player": 0, "bp": [9, 9, 9], "amoebas": [[[1, 1, 0]], [], []]}
        return Games.from_dict(position | changes).to_dict(0)["round"]

    assert round_of() == 1
    assert round_of(markers=[7, 1, 2]) == 2
    assert round_of(genes=[{"speed": 4}, {}, {}]) == 4
    assert round_of(genes=[{"speed": 4}, {}, {}], decision="move") == 5


def test_a_position_of_the_set_up_needs_next_to_nothing():
    games = Games.from_dict({"decision": "start_place", "player": 2})
    assert legal(games) == {"start 1", "start 2", "start 3", "start 4"}
    games = Games.from_dict({"players": 3, "decision": "place", "markers": [2, 3, 1]})
    assert (games.player[0], len(legal(games))) == (2, 19)
    games = Games.from_dict({"players": 3, "round": 0, "decision": "number", "markers": [2, 3, 1], "place": 7})
    assert len(legal(games)) == 7


ACTS, HAS_ACTED = {"decision": "move", "acting": "0.1"}, {"decision": "move", "acting": "0.2"}
BUYS, ATTACKS, PAUSES = {"decision": "buy", "player": 0}, {"decision": "aggress", "player": 1}, {"paused": True}


@pytest.mark.parametrize(
    ("stands", "round", "life_expectancy", "first_damage", "most"),
    [
        (ACTS, 2, 0, 0, 1),
        (HAS_ACTED, 2, 0, 0, 2),
        (ACTS, 2, 1, 0, 2),
        (HAS_ACTED, 2, 1, 0, 3),
        (ACTS, 1, 0, 5, 5),  # as it was in the set-up
        (HAS_ACTED, 1, 0, 5, 6),
        (ACTS, 2, 0, 5, 1),
        (BUYS, 1, 0, 0, 2),
        (BUYS, 2, 1, 0, 3),
        (BUYS, 2, 0, 0, 3),  # its owner may have lost the gene to the card of this round
        (BUYS, 1, 1, 0, 2),  # bought since the amoeba starved
        (ATTACKS, 2, 0, 0, 1),
        (ATTACKS, 2, 1, 0, 2),
        (PAUSES, 1, 0, 5, 1),
    ],
)
def test_an_amoeba_has_no_more_dp_than_it_lives_with(
    stands: dict[str, Any], round: int, life_expectancy: int, first_damage: int, most: int
):
    """It starves once a round, in phase 1, and dies in phase 5 by the genes that its owner has then."""

    def games(damage: int) -> Games:
        position = {
            "players": 3,
            "round": round,
            "ruleset": {"first_damage": first_damage},
            "genes": [{"life_expectancy": life_expectancy} if life_expectancy else {}, {}, {}],
            "bp": [40, 40, 40],
            "amoebas": [[[1, 13, damage], [2, 14, 0]], [[1, 13, 0]], []],
        }
        if stands == ATTACKS:
            position["genes"][1] = {"aggression": 2}
        return Games.from_dict(position | stands, **STOPS)

    games(most)
    with pytest.raises(ValueError, match=f"(DP; by now|damage.*) it must be 0 ... {most}$"):
        games(most + 1)


@pytest.mark.parametrize(
    ("stands", "player", "incomes"),
    [
        (BUYS, 0, 6),
        ({"decision": "divide", "player": 1}, 0, 6),  # after player 1 in the descending order
        ({"decision": "divide", "player": 1}, 1, 5),
        (PAUSES, 0, 5),
    ],
)
def test_nobody_has_more_bp_than_leaves_room_for_the_incomes_to_come(stands: dict[str, Any], player: int, incomes: int):
    """Ten rounds of 10 BP; this is the fifth."""
    most, bp = 32761 - 10 * incomes, [9, 9, 9, 9]
    bp[player] = most
    Games.from_dict({"round": 5, "bp": bp} | stands, **STOPS)
    bp[player] += 1
    says = f"player {player} has {most + 1} BP; with the income still to come it must be 0 ... {most}"
    with pytest.raises(ValueError, match=re.escape(says)):
        Games.from_dict({"round": 5, "bp": bp} | stands, **STOPS)


def test_the_streams_can_be_chosen():
    ends = []
    for seed in (2**64 - 1, str(2**64 - 1), 2**64 - 2):
        games = Games.from_dict(FEED | {"streams": {"seed": seed}})
        games.play_random()
        ends.append(games.state.tobytes())
    assert ends[0] == ends[1] != ends[2]


MOVE = {"kind": "move", "amoeba": "0.1"}
OF_TENTACLE = [{"tentacle": 1}, {"holding": 1}, {}]
SPEED = [{"speed": 1}, {}, {}]
DIE = {"decision": LEFT_OUT, "player": LEFT_OUT, "chance": "die"}
STEP = MOVE | {"dice": [1], "direction": "west"}
#: With switches: 1.2 and 1.4 may cling to 0.1 and take cubes; a second attempt of an aggressor.
ALL = CROWD["ruleset"]
SOME = ALL | {"own_clinging": False, "clinging_carries": False}
CARRY = {key: CROWD[key] for key in ("ruleset", "amoebas", "genes", "food")} | {"decision": "carry", "player": 1}
TAKE = {"decision": "carry", "movement": STEP, "genes": OF_TENTACLE}
ASKED = {"decision": "cling", "player": 1, "movement": STEP | {"asked": "1.2"}, "genes": OF_TENTACLE}
ESCAPE = {**DIE, **ATTACK, "movement": {"kind": "escape", "amoeba": "1.2"}}
AGGRESS = {"decision": "aggress", "round": 3, "genes": [{"aggression": 2}, {}, {}]}
PHASE_5 = {"phase": "deaths", "round": 3, "genes": [{"aggression": 2}, {"escape": 1}, {}]}
SECOND = {key: AGGRESSORS[key] for key in ("decision", "round", "genes")}
OWN_ASKED = {**CARRY, "decision": "cling", "player": 0, "movement": WEST | {"asked": "0.2"}}
ONCE = {"ruleset": {"paired_answers_once": True}}
BOTH_CLING = {"carrier": "1.4", "clinging": ["1.2", "1.4"]}


def genes(*owned: dict[str, int]) -> dict[str, Any]:
    """These of the first players, and none of the others."""
    return {"genes": [*owned, *[{}] * (3 - len(owned))]}


def step(**changes: Any) -> dict[str, Any]:
    """0.1 steps west, but for what is changed."""
    return {"movement": STEP | changes}


def attack(**changes: Any) -> dict[str, Any]:
    """0.1 attacks 1.2, but for what is changed."""
    return {"attack": ATTACK["attack"] | changes}


def carrying(**movement: Any) -> dict[str, Any]:
    """1.2, which clings, is asked what it takes along."""
    return {**CARRY, "movement": WEST | {"carrier": "1.2", "clinging": ["1.2"], **movement}}


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    # the table
    ({"food": {"13": [4, 30, 1], "12": [0, 40, 0]}}, "70 cubes of colour 1 are on the board; there are 55"),
    ({"food": {"13": [0, 60, 0]}}, "food in space 13 of player 1 is 60; it must be an integer from 0 to 55"),
    ({"reserve": [50, 55, 54]}, "reserve of player 0 is 50; it must be 51"),
    ({"amoebas": [[[1, 13, 0], [1, 12, 0]], [], []]}, "amoebas of player 0 have the number 1 twice"),
    ({"amoebas": [[[1, 20, 0]], [], []]}, "the space of amoeba 0.1 is 20; it must be an integer from 1 to 19"),
    ({"amoebas": [[[8, 2, 0]], [], []]}, "a number in amoebas of player 0 is 8; it must be an integer from 1 to 7"),
    ({"amoebas": [[[1, 2, -1]], [], []]}, "DP of amoeba 0.1 is -1"),
    ({"markers": [3, 3, 1]}, "the markers of players 0 and 1 both stand on place 3"),
    ({"markers": [3, 0, 1]}, "the marker of player 1 stands nowhere on the track"),
    ({"markers": [3, 42, 1]}, "a marker stands on place 42, in the end zone: the game would be over"),
    ({"markers": [3, 9, 1], "round": 1, "genes": LEFT_OUT}, "before the first scoring it must be on 1 ... 3"),
    ({"round": 11}, "round is 11; it must be an integer from 0 to 10"),
    ({"round": 0}, "round is 0; it must be 0 in the set-up and at least 1 after it"),
    ({"genes": [{"speed": 1, "endurance": 2}, {}, {}], "round": 3}, "player 0 owns speed and endurance; nobody"),
    ({"genes": [{"armour": 2, "defense": 1, "escape": 1}, {}, {}], "round": 3}, "nobody can own them together"),
    ({"genes": [{"armour": 2, "escape": 3}, {}, {}], "round": 4}, "player 0 has bought escape later than armour"),
    ({"genes": [{"armour": 2}, {"armour": 2}, {}], "round": 3}, "2 players own armour; its cards are 1 in all"),
    (genes({"endurance": 1}), "has bought endurance in round 1; it needs a gene bought in an earlier"),
    (genes({"speed": 2}), "has bought speed in round 2; by now it must be 1 at the latest"),
    ({"supply": {"armour": 3}}, "supply of armour is 3; it must be 1, with 0 owners"),
    ({"card": ["west", 5]}, "card is ['west', 5]; it must be one of the ruleset's cards that are left"),
    ({"card": ["west", 6], "earlier_cards": [["west", 6]]}, "a card of earlier_cards is ['west', 6]"),
    ({"earlier_cards": []}, "1 environment cards have been turned up (card and earlier_cards); in round 2"),
    # who decides what
    ({"player": 1, "acting": "0.1"}, "player is 1, but it is player 0 who decides feed"),
    ({"player": 2}, "player 2 has no amoeba on the board that could act"),
    ({"player": LEFT_OUT}, "the position does not say who decides; it must have player"),
    ({"acting": "0.2"}, "acting is '0.2', which is not on the board"),
    ({"acting": "0.8"}, "acting is '0.8'; it must be an amoeba such as '0.1', number 1 of player 0"),
    ({"decision": LEFT_OUT}, "the position does not say what happens next; it must have one of decision, chance"),
    ({"finished": True}, "the position has decision and finished; it must have one of"),
    ({"finished": True, "decision": LEFT_OUT}, "player is 0, but nobody is to decide; leave it out"),
    ({"finished": True, "decision": LEFT_OUT, "player": LEFT_OUT}, "the game is over, but no marker stands in"),
    ({"phase": "deaths"}, "phase is 'deaths', but feed belongs to move_and_feed"),
    ({"bp": [0, 0, 0]}, "only 'starve' is legal at the decision feed of player 0, so nobody is asked; the game "),
    ({"decision": "buy", "bp": [0, 0, 0]}, "so nobody is asked; the game would go on to the decision divide of"),
    ({"decision": "meal"}, "no action is legal at the decision meal of player 0"),
    ({"decision": "aggress"}, "player 0 does not own aggression and does not attack in phase deaths"),
    ({"decision": "defect"}, "owed is 0; with 4 MP and ozone 14 nothing is owed"),
    ({"decision": "defect", "owed": 2}, "owed is 2; with 4 MP and ozone 14 nothing is owed"),
    ({"decision": "defect", "ruleset": {"environment": [["none", 1]] * 9}, "owed": 9}, "it must be 3"),
    ({"decision": "number"}, "the decision number of player 0 needs place"),
    ({"decision": "number", "place": 13}, "place is 13, which was not legal for player 0 in decision divide"),
    ({"decision": "start_place"}, "round is 2; it must be 0 in the set-up"),
    # what is under way
    ({"decision": "defend", "player": 1}, "the position does not say what is under way; it must have attack"),
    ({"decision": "cling", "player": 1}, "the position does not say what is under way; it must have movement"),
    (DEFEND | {"player": 2}, "player is 2, but it is player 1 who decides defend"),
    (DEFEND | {"genes": [{}] * 3}, "owns neither struggle_for_survival nor"),
    (DEFEND | {"food": {"13": [0, 2, 1]}}, "player 0 could not attack 1.2"),
    (DEFEND | {"genes": [FEED["genes"][0], {}, {}]}, "only 'pass' is legal"),
    (DEFEND | {"attempts": 2}, "does not own endurance and cannot have attacked"),
    (DEFEND | attack(space=3), "attacker and victim must both be in the space of the attack, 3"),
    ({"movement": MOVE}, "the decision feed of player 0 has no movement"),
    (ATTACK, "the decision feed of player 0 has no attack with a victim"),
    ({"decision": "direction", "movement": MOVE}, "dice is []; at the decision direction of player 0 it must have 1"),
    ({"decision": "again", "movement": MOVE}, "player 0 owns neither speed nor endurance and steps only once"),
    (TAKE | {"genes": FEED["genes"]}, "player 0 does not own tentacle and carries no cubes"),
    (TAKE | step(direction="east"), "direction is 'east', which the dice do not allow"),
    (TAKE | step(direction="north", dice=[2]), "nothing moves north from space 13"),
    (TAKE | step(carried={"0": [1, 0, 1]}), "carries 2 cubes; at the decision carry of player 0 it must be at most 1"),
    (ASKED | {"player": 2}, "player is 2, but it is player 1 who decides cling"),
    (ASKED | {"genes": FEED["genes"]}, "1.2 cannot cling; it must belong to an opponent of player 0 who owns holding"),
    (ASKED | step(asked="1.2", clinging=["1.4"]), "1.4 cannot have said that it clings; it is asked later"),
    (ASKED | {"amoebas": [[[1, 13, 0]], [[2, 12, 0]], []]}, "cling; it must be in the space of the moving amoeba"),
    (
        {"decision": "direction", "movement": MOVE | {"dice": [6], "clinging": ["1.4"]}, "genes": OF_TENTACLE},
        "1.4 cannot have said at the decision direction of player 0 that it clings",
    ),
    ({"decision": "again", "movement": {"kind": "drift", "amoeba": "0.1"}, "card": ["west", 6]}, "a drift does not"),
    ({"decision": "again", "movement": MOVE | {"step": 2}, "genes": SPEED}, "after the second step nobody is asked"),
    (PHASE_5 | genes({"endurance": 2, "aggression": 2}) | {"decision": "again", "movement": MOVE}, "only escape"),
    (TAKE | {"movement": MOVE | {"dice": [1]}}, "the decision carry of player 0 needs direction"),
    (DIE | genes({"movement_1": 1}) | {"movement": MOVE}, "player 0 rolls two dice; it cannot be the chance event die"),
    ({**DIE, "movement": MOVE | {"kind": "escape"}}, "the chance event die needs attack with a victim"),
    (ESCAPE | {"movement": {"kind": "escape", "amoeba": "1.4"}}, "the victim of the attack must be the same amoeba"),
    (ESCAPE | {"genes": [FEED["genes"][0], {}, {}]}, "player 1 has used escape, but does not own it"),
    (FIGHT | attack(answers=[]), "player 1 must have used defense at the chance event fight"),
    (  # all of them have left the space of the attack
        {**DIE, **PHASE_5, "attack": ATTACK["attack"] | {"space": 13, "answers": []}}
        | {"movement": {"kind": "escape", "amoeba": "1.2", "step": 2}}
        | {"amoebas": [[[1, 12, 0]], [[2, 12, 0]], []]}
        | {"genes": [{"aggression": 2, "holding": 1}, {"escape": 1, "speed": 1}, {}]},
        "player 1 must have used escape at the chance event die",
    ),
    (FIGHT | attack(lost_fights=1), "lost_fights belongs to the chance event fight"),
    ({**FIGHT, **PHASE_5, "genes": [{"aggression": 2}, {}, {}]}, "player 1 has used defense, but does not own it"),
    (
        {**DEFEND, **PHASE_5, "attack": {"attacker": "0.3", "victim": "1.2"}}
        | {"amoebas": [[[1, 13, 0], [3, 13, 0]], [[2, 13, 0]], []]},
        "the attacker must be the lowest-numbered amoeba in its space, 0.1",
    ),
    (AGGRESS | {"bp": [0, 0, 0]}, "player 0 has 0 BP; an attack costs 1"),
    (AGGRESS | ATTACK, "player 0 does not own endurance and does not attack a second time"),
    ({"attempts": 1, "decision": "move"}, "attempts is 1; at the decision move of player 0 it must be 0"),
    ({"tapped": True}, "tapped belongs to the decision meal of an owner of parasitism"),
    ({"lost_fight": True}, "lost_fight cannot be true at the decision feed of player 0 with 0 attempts"),
    ({"owed": 3}, "owed belongs to the decision defect"),
    ({"place": 3}, "the decision feed of player 0 has no place"),
    ({"answers_used": [["escape"], [], []]}, "has used escape in this round; it is counted with paired_answers_once"),
    # what depends on switches
    (carrying() | {"ruleset": SOME}, "carrier must be the moving amoeba; with this ruleset one that clings takes"),
    (carrying(clinging=[]), "1.2 takes cubes along; it must be among clinging"),
    (carrying(clinging=["1.2", "1.4"]), "1.4 cannot have said that it clings; it is asked later"),
    (carrying() | {"player": 0}, "player 1 who decides"),
    (carrying(taken=2, carried={"1": [2, 0, 0]}), "2 cubes; at the decision carry of player 1 it must be at most 1"),
    (carrying(**BOTH_CLING, taken=2, carried={"1": [3, 0, 0]}), "decision carry of player 1 it must be less than 2"),
    (carrying(**BOTH_CLING, taken=0, carried={"1": [3, 0, 0]}), "3 cubes that player 1 carries it must be 1 ... 3"),
    (carrying(taken=1), "taken is 1; of the 0 cubes that player 1 carries it must be 0 ... 0"),
    (carrying(taken=4), "taken is 4; it must be an integer from 0 to 2"),
    (carrying(carried={"1": [1, 0, 0]}, colour=1), "colour is 1, of which the amoeba has taken no cube"),
    (
        carrying(**BOTH_CLING, carried={"1": [0, 1, 2]}, taken=2, colour=1) | {"ruleset": ALL | {"carry": 3}},
        "taken is 2; there are fewer cubes up to colour 1 among those carried",
    ),
    (carrying(carried={"2": [1, 0, 0]}), "player 2 does not own tentacle and carries no cubes"),
    (
        {**CARRY, "decision": "cling", "movement": WEST | {"asked": "1.2", "taken": 1}},
        "taken is about the amoeba that takes cubes along; it belongs to the decision carry",
    ),
    (carrying(asked="1.2"), "asked is the amoeba that the decision cling is about; it belongs to that decision alone"),
    ({**CARRY, "movement": WEST | {"carrier": "2.1"}}, "carrier is '2.1', which is not on the board"),
    ({**CARRY, "movement": WEST | {"carried": [1, 0, 0]}}, "carried is [1, 0, 0]; it must be an object with keys"),
    (OWN_ASKED | {"movement": WEST | {"asked": "0.1"}}, "0.1 cannot cling; it is the moving amoeba itself"),
    (OWN_ASKED | {"ruleset": SOME}, "0.2 cannot cling; it must belong to an opponent of player 0 who owns holding"),
    (OWN_ASKED | genes({"tentacle": 1}), "0.2 cannot cling; it must belong to somebody who owns holding"),
    (
        {**DIE, "ruleset": ALL | {"early_clinging": True}, "genes": CROWD["genes"], "amoebas": CROWD["amoebas"]}
        | {"movement": MOVE | {"carried": {"0": [1, 0, 0]}}},
        "player 0 carries 1 cube; at the chance event die it must be at most 0",
    ),
    (SECOND | {"attack": {"attacker": "0.1"}}, "the decision aggress of player 0 needs attack with a victim"),
    (SECOND | ATTACK | {"ruleset": {"same_victim": False}}, "decision aggress of player 0 has no attack with a victim"),
    (SECOND | attack(space=13), "space and answers of attack belong to an attack that is under way"),
    (
        SECOND
        | {"attack": {"attacker": "0.1", "victim": "0.2"}}
        | {"amoebas": [[[1, 13, 0], [2, 13, 0]], [[2, 13, 0]], []]},
        "the victim of player 0 must belong to another player",
    ),
    (
        SECOND | ATTACK | {"amoebas": [[[1, 13, 0]], [[2, 12, 0], [4, 13, 0]], []]},
        "only 'pass' is legal at the decision aggress of player 0, so nobody is asked",
    ),
    (SECOND | ATTACK | {"lost_fight": True}, "cannot be true at the decision aggress of player 0 with 1 attempts"),
    (SECOND | {"ruleset": {"hungry_aggressor": True}, "lost_fight": True}, "aggress of player 0 with 0 attempts"),
    (ONCE | {"answers_used": [["escape"], [], []]}, "player 0 has used escape, but does not own it"),
    (FIGHT | ONCE | {"answers_used": [[], [], []]}, "player 1 has used defense; it must be among answers_used"),
    ({"answers_used": [["spores"], [], []]}, "an answer in answers_used of player 0 is 'spores'; it must be one"),
    ({"answers_used": [[]]}, "answers_used is [[]]; it must be a list of 3 lists, one a player"),
    (FIGHT | attack(answers="defense"), "answers is 'defense'; it must be a list of"),
    ({"lost_fight": 1}, "lost_fight is 1; it must be true or false"),
    ({"ruleset": {"own_clinging": 1}}, "own_clinging is 1; it must be true or false"),
    # the form
    ({"amoeba": 1}, "the position has the unknown key 'amoeba'; did you mean 'amoebas'? keys are format, players"),
    ({"format": "ursuppe-position/0"}, "it must be 'ursuppe-position/1'"),
    ({"decision": "eat"}, "decision is 'eat'; it must be one of start_place, place"),
    ({"player": True}, "player is True; it must be an integer from 0 to 2"),
    ({"players": 7}, "players is 7; it must be an integer from 3 to 6"),
    ({"ruleset": {"incom": 3}}, "a ruleset has no field 'incom'; did you mean income?"),
    ({"bp": [1, 2]}, "bp is [1, 2]; it must be a list of 3 integers, one a player"),
    (genes({"sped": 1}), "genes of player 0 has the unknown key 'sped'; did you mean 'speed'?"),
    ({"food": {"20": [0, 0, 0]}}, "food has the unknown key '20'"),
    ({"streams": {"seed": "5.0"}}, "seed is '5.0'; it must be an integer from 0 to 18446744073709551615"),
    ({"streams": {"seed": -1}}, "seed is -1; it must be an integer from 0 to 18446744073709551615"),
    ({"streams": {"draws": {"die": 1}}}, "draws has the unknown key 'die'"),
]


@pytest.mark.parametrize(("changes", "says"), IMPOSSIBLE)
def test_an_impossible_position_is_refused_with_the_reason(changes: dict[str, Any], says: str):
    with pytest.raises(ValueError, match=re.escape(says)) as error:
        Games.from_dict(changed(**changes), **STOPS)
    assert "\n" not in str(error.value)


CLINGER = {"decision": "carry", "player": 1, "movement": WEST | {"carrier": "1.2", "clinging": ["1.2"]}}
OWN_CLINGER = {"decision": "cling", "player": 1, "movement": WEST | {"clinging": ["0.2"], "asked": "1.2"}}
MOVING_FREELY = {"decision": "direction", "amoebas": [[[1, 12, 0]], [], []], "genes": [{"movement_2": 2}, {}, {}]}
SUBSTITUTING = {"players": 4, "decision": "meal", "player": 0, "amoebas": [[[1, 13, 0]], [], [], []]}
SUBSTITUTING |= {"genes": [{"substitution": 1}, {}, {}, {}], "food": {"13": [0, 3, 3, 3]}}
ANY_VICTIM = AGGRESSORS | {"attack": {"attacker": "0.1"}, "ruleset": {"same_victim": False}}
OTHERS = "with this ruleset other actions are legal in its decision"

#: States that only one value of a switch allows; IMPOSSIBLE has those that a position itself tells apart.
OF_SWITCHES: list[tuple[dict[str, Any], str, str]] = [
    (CROWD | CLINGER, "early_clinging", "dice is [1]; at the decision carry of player 1 it must have 0 numbers"),
    (CROWD | OWN_CLINGER, "early_clinging", "dice is [1]; at the decision cling of player 1 it must have 0 numbers"),
    (AGGRESSORS | ATTACK, "same_victim", f"{OTHERS} aggress"),
    (ANY_VICTIM, "same_victim", f"{OTHERS} aggress"),
    (changed(**MOVING_FREELY, movement=MOVE, round=3), "free_stay", f"{OTHERS} direction"),
    (SUBSTITUTING, "even_substitution", f"{OTHERS} meal"),
]


@pytest.mark.parametrize(("position", "name", "says"), OF_SWITCHES)
def test_a_state_shows_how_its_switches_stand(position: dict[str, Any], name: str, says: str):
    games = Games.from_dict(position, **STOPS)
    ruleset = games.ruleset
    assert Games.from_state(games.state, ruleset, **STOPS).state == games.state
    with pytest.raises(ValueError, match=re.escape(says)):
        Games.from_state(games.state, ruleset.replace(**{name: not getattr(ruleset, name)}), **STOPS)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"food": {}}, "food must be 2 cubes of each colour on each space in the set-up"),
        ({"bp": [4, 4, 5]}, "bp must be 4 for each player in the set-up"),
        ({"amoebas": [[[1, 1, 0]], [], []]}, "player 0 has 1 amoebas on the board; with 1 placed in all it must be 0"),
        ({"amoebas": [[], [], [[1, 1, 2]]]}, "the amoebas of player 2 have other DP in the set-up; it must be [0]"),
        ({"amoebas": [[[1, 1, 0]], [], [[1, 1, 0]]]}, "two amoebas share a space in the set-up"),
        ({"player": 0}, "player is 0, but it is player 2 who decides place"),
        ({"genes": [{"speed": 1}, {}, {}]}, "player 0 has bought speed in round 1; by now it must be 0 at the latest"),
        (
            {"decision": "start_place", "markers": [0, 1, 0], "amoebas": [[[1, 1, 0]], [], []]},
            "there is an amoeba on the board at the decision start_place of player 0; it must be empty",
        ),
        ({"decision": "start_place", "markers": [0, 4, 0]}, "a marker stands on place 4; start places are 1 ... 3"),
        (
            {"decision": LEFT_OUT, "chance": "start_order", "markers": [0, 4, 0]},
            "there is a marker on the track at the chance event start_order; it must be empty",
        ),
    ],
)
def test_an_impossible_set_up_is_refused_with_the_reason(changes: dict[str, Any], says: str):
    position = {"players": 3, "decision": "place", "markers": [2, 3, 1]}
    assert len(legal(Games.from_dict(position))) == 19
    with pytest.raises(ValueError, match=re.escape(says)):
        Games.from_dict({key: value for key, value in (position | changes).items() if value != LEFT_OUT}, **STOPS)
