"""What players may do, in words; what is told of what has happened: ``test_told.py``."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ursuppe_env import Games, Ruleset
from ursuppe_env.render.narration import action_in_words, decider_in_words, event_in_words, genes_in_words
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import CHANCE_PLAYER, Chance, Decision

from support.rulesets import SEEDS, examples, rulesets
from support.standing import game_where

POSITION = {
    "players": 3,
    "round": 3,
    "card": ["north", 9],
    "player": 0,
    "bp": [9, 9, 9],
    "amoebas": [[[1, 13, 0], [2, 4, 0]], [[3, 13, 1]], [[1, 13, 0]]],
    "food": {"13": [0, 1, 1], "14": [9, 0, 9]},
}


def words_of(*genes: dict[str, int], **changes: Any) -> dict[str, str]:
    """All legal actions at this position, where the players own these genes, in words."""
    games = Games.from_dict(POSITION | changes | {"genes": [*genes, *[{}] * (3 - len(genes))]})
    player = int(games.player[0])
    legal = [games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[0])]
    return {action: action_in_words(games.state[0], games.ruleset, action) for action in legal}


def test_moves_in_words():
    assert words_of(decision="move") == {
        "drift": "drift north: that way is closed, it stays in space 13",
        "move": "make a step of its own (1 BP; one die)",
    }
    free = {"streamlining": 1, "holding": 1}
    assert words_of(free, decision="move", acting="0.2", card=["south", 10]) == {
        "drift": "drift south: that way is closed, it stays in space 4",
        "move": "make a step of its own (free; one die)",
        "hold": "hold on to space 4",
    }
    assert words_of({"movement_1": 1}, decision="move", card=["west", 6]) == {
        "drift": "drift west, to space 12",
        "move": "make a step of its own (1 BP; two dice)",
    }
    assert words_of({"movement_2": 2}, decision="move", card=["none", 14]) == {
        "drift": "drift: there is no current, it stays in space 13",
        "move": "make a step of its own (1 BP; any direction)",
    }


def test_steps_in_words():
    moving = {"kind": "move", "amoeba": "0.1"}
    assert words_of(decision="direction", movement=moving | {"dice": [6]}) == {
        "west": "step west, to space 12",
        "east": "step east, to space 14",
        "south": "step south, to space 18",
        "stay": "stay in space 13",
    }
    speed = words_of({"speed": 1}, decision="again", movement=moving)
    assert speed == {"again": "step once more (free; one die)", "pass": "step no more"}
    west = moving | {"dice": [1], "direction": "west"}
    assert words_of({"tentacle": 1}, decision="carry", movement=west | {"carried": {"0": [0, 1, 0]}}) == {
        "carry 1": "take a cube of colour 1 along",
        "carry 2": "take a cube of colour 2 along",
        "pass": "take no further cube along",
    }
    asked = words_of({}, {"holding": 1}, decision="cling", player=1, movement=west | {"asked": "1.3"})
    assert asked == {"cling": "1.3 comes along", "pass": "1.3 stays"}


def test_meals_in_words():
    hunter = {"struggle_for_survival": 1, "frugality": 2}
    assert words_of(hunter, decision="feed", ruleset={"cards": {"frugality": 1}}) == {
        "eat": "eat",
        "attack 1.3": "attack amoeba 3 of player 1 (1 BP)",
        "attack 2.1": "attack amoeba 1 of player 2 (1 BP)",
        "starve": "starve: 1 DP",
    }
    assert words_of({"parasitism": 1}, decision="feed", ruleset={"cards": {"parasitism": 1}}) == {
        "tap 1": "eat with player 1 as host, who pays 1 BP",
        "tap 2": "eat with player 2 as host, who pays 1 BP",
        "starve": "starve: 1 DP",
    }
    free = words_of({"parasitism": 1}, decision="feed", ruleset={"cards": {"parasitism": 1}, "tap_cost": 0})
    assert free["tap 1"] == "eat with player 1 as host, who pays 0 BP"
    assert words_of(decision="meal", food={"13": [0, 2, 2]}) == {
        "meal 0-2-1": "eat 2 of colour 1, 1 of colour 2",
        "meal 0-1-2": "eat 1 of colour 1, 2 of colour 2",
    }


def test_attacks_and_answers_in_words():
    assert words_of({"aggression": 2}, {"armour": 2}, decision="aggress") == {
        "attack 1.3": "attack amoeba 3 of player 1 (1 BP), whose armour takes 1 DP",
        "attack 2.1": "attack amoeba 1 of player 2 (1 BP)",
        "pass": "attack nobody",
    }
    genes = {"struggle_for_survival": 1}, {"defense": 1, "escape": 1}
    assert words_of(*genes, decision="defend", player=1, attack={"attacker": "0.1", "victim": "1.3"}) == {
        "defense": "fight (1 BP)",
        "escape": "escape (1 BP; one die)",
        "pass": "do nothing: the attack succeeds",
    }
    armoured = {"aggression": 2}, {"armour": 2, "escape": 1}
    attack = {"attacker": "0.1", "victim": "1.3"}
    assert words_of(*armoured, decision="defend", phase="deaths", player=1, attack=attack)["pass"] == "do nothing: 1 DP"


def test_payments_and_divisions_in_words():
    owed = {"owed": 1, "card": ["west", 6], "ruleset": {"mutation_points": {"armour": 9}}}
    assert words_of({"ray_protection": 1, "armour": 2}, decision="defect", **owed) == {
        "discard ray_protection": "discard ray_protection, for 4 of the 1 MP owed",
        "discard armour": "discard armour, for 9 of the 1 MP owed",
        "pay": "pay 1 BP",
    }
    divisions = {f"space {space}": f"divide to space {space} (6 BP)" for space in (3, 5, 12, 14, 18)}
    assert words_of(decision="divide") == {"pass": "divide no more"} | divisions


def test_purchases_in_words():
    genes = [{"speed": 1, "defense": 1}, {}, {}]
    games = Games.from_dict(POSITION | {"decision": "buy", "genes": genes})

    def words(action: str) -> str:
        return action_in_words(games.state[0], games.ruleset, action)

    assert words("buy intelligence") == "buy intelligence (2 BP, 3 MP)"
    assert words("buy endurance") == "buy endurance (4 BP, 4 MP), giving up speed"
    assert words("buy armour for defense") == "buy armour (6 BP, 6 MP), giving up defense"
    assert words("pass") == "buy nothing more"


def test_chance_in_words():
    assert event_in_words(["card", ["none", 14]]) == "environment card: no current, ozone 14"
    assert event_in_words(["card", ["west", 6]]) == "environment card: the current goes west, ozone 6"
    assert event_in_words(["start_order", [2, 0, 1]]) == "the start order is player 2, player 0, player 1"
    assert event_in_words(["die", 5]) == "the die shows 5 (stay)"
    assert event_in_words(["dice", [6, 1]]) == "the dice show 6 (free choice) and 1 (west)"
    assert event_in_words(["fight", "defender"]) == "the defender wins the fight"


@pytest.mark.parametrize("edition", ["1998", "1997"])
def test_genes_in_words(edition: str):
    games = Games.from_dict(POSITION | {"edition": edition, "decision": "buy", "genes": [{"speed": 1}, {}, {}]})
    game, ruleset = games.state[0], games.ruleset
    heading, *lines = genes_in_words(game, ruleset)
    assert [line.split()[0] for line in lines] == list(GENE_NAMES)
    assert max(map(len, lines)) <= 80
    for line, price, points, left in zip(lines, ruleset.price, ruleset.mutation_points, game["supply"], strict=True):
        assert line.split()[1:4] == [str(price), str(points), str(left)]
        assert len(line.split()) > 5
    assert genes_in_words(game, ruleset, "Move") == [heading, lines[1], lines[17]]
    assert lines[17].endswith("no dice: pick the direction")  # to stay is not free in 1997
    assert genes_in_words(game, ruleset, "ray")[1].endswith("pays 4 when discarded")
    with pytest.raises(ValueError, match="there is no gene 'wings'; genes are intelligence, "):
        genes_in_words(game, ruleset, "wings")


FREE = ("holding", "tentacle", "struggle_for_survival", "aggression", "defense")
RICH = {"start_bp": 80, "income": 40, "price": dict.fromkeys(FREE, 0), "cards": dict.fromkeys(FREE, 3)}


def test_an_amoeba_that_clings_and_takes_cubes_is_named():
    ruleset = Ruleset(players=3, edition="1997", **RICH)
    for clings in (True, False):
        (game,) = game_where(
            lambda state, clings=clings: (
                (state["node"] == Decision.CARRY) & ((state["carrier"] != state["mover"]) == clings)
            ),
            ruleset,
        ).state
        carrier = int(game["carrier"]), int(game["carrier_amoeba"])
        assert decider_in_words(game, persons=()) == f"player {carrier[0]} ({amoeba_name(carrier)})"
        words = action_in_words(game, ruleset, "pass")
        assert words == ("take no further cube along" if game["taken"] else "take no cube along")


@examples(25)
@given(ruleset=rulesets(), seed=SEEDS, decisions=st.integers(0, 250))
def test_every_choice_has_words_of_its_own(ruleset: Ruleset, seed: int, decisions: int):
    games = Games(1, ruleset, seed, explicit_chance=True)
    for _ in range(decisions):
        player = int(games.player[0])
        if player == CHANCE_PLAYER:
            name = Chance(int(games.state["node"][0])).name.lower()
            assert event_in_words([name, games.draw()[0]])
        elif player >= 0:
            game = games.state[0]
            legal = [games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[0])]
            words = [action_in_words(game, ruleset, action) for action in legal]
            assert len(set(words)) == len(words)
            assert decider_in_words(game, (0,))
            games.step_random()
