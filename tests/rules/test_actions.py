"""Actions: ids and texts, seen from every seat; the set of legal ones; what wrong ids and texts get."""

import re

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules import actions as ids
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.genes import BARRED_BY, BOUGHT_GENE, GENE_NAMES, LOWER_GENE, NO_GENE
from ursuppe_env.rules.legal import is_legal, legal_action

SIZES = {3: 124, 4: 151, 5: 214, 6: 313}


@pytest.mark.parametrize("players", SIZES)
def test_every_action_has_one_text_from_every_seat(players: int):
    actions = actions_for(players)
    assert len(actions) == SIZES[players]
    for player in range(players):
        texts = [actions.text(id, player) for id in range(len(actions))]
        assert len(set(texts)) == len(texts)
        assert [actions.id(text, player) for text in texts] == list(range(len(actions)))


def test_ids_count_players_from_the_one_who_acts():
    actions = actions_for(4)
    assert actions.id("tap 3", 2) == actions.id("tap 1", 0)
    assert actions.id("attack 0.5", 3) == actions.id("attack 1.5", 0)
    assert actions.id("meal 1-1-0-1", 2) == actions.id("meal 0-1-1-1", 0)
    assert actions.id("carry 2", 2) == actions.id("carry 0", 0)
    assert actions.id("start 2", 2) == actions.id("start 2", 0)


def test_texts_are_those_of_the_rules():
    texts = {actions_for(4).text(id, 0) for id in range(151)}
    assert {"pass", "drift", "west", "stay", "space 19", "amoeba 7", "discard struggle_for_survival", "pay"} <= texts
    assert {"buy movement_2", "buy armour for defense", "buy armour for escape", "start 4", "meal 0-3-1-0"} <= texts
    assert "buy armour" not in texts


@pytest.mark.parametrize("id", [-1, 151, 2**70, 1.0, True, None, "pass"])
def test_a_wrong_id(id: object):
    with pytest.raises(ValueError, match=re.escape(f"action {id!r} does not exist; with 4 players ids are 0 ... 150")):
        actions_for(4).text(id, 0)


@pytest.mark.parametrize("text", ["fly", "space 20", "meal 1-1-1-1", "Drift", "", b"pass", None, ["pass"], {}])
def test_a_wrong_text(text: object):
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is not an action; with 4 players they read like")):
        actions_for(4).id(text, 0)


@pytest.mark.parametrize("player", [-1, 4, 2**70, True, None, 1.0])
def test_a_wrong_player(player: object):
    for call in (lambda: actions_for(4).text(0, player), lambda: actions_for(4).id("pass", player)):
        with pytest.raises(ValueError, match=re.escape(f"player {player!r} does not exist; players are 0 ... 3")):
            call()


def test_the_set_of_legal_actions():
    """Its members by number are those of the mask, and no other integer is in it."""
    games = Games(40, Ruleset(players=6, start_bp=30, income=30), seed=1)
    for number in range(40):
        part = games.copy([number])
        part.play_random(8 * number)
        games._states[number] = part.state[0]
    for game, mask in zip(games.state, games.legal(), strict=True):
        members = np.flatnonzero(mask).tolist()
        assert [legal_action(game, number) for number in range(game["num_legal"])] == members
        assert [action for action in (-1, 320, 2**40, *range(320)) if is_legal(game, action)] == members


def test_the_declared_ids_are_in_the_order_of_the_texts():
    first = {
        **{name: getattr(ids, name) for name in ("PASS", "DRIFT", "MOVE", "HOLD", "CLING", "AGAIN", "EAT", "STARVE")},
        **{name: getattr(ids, name) for name in ("DEFENSE", "ESCAPE", "PAY")},
        "west": ids.FIRST_DIRECTION,
        "space 1": ids.FIRST_SPACE,
        "amoeba 1": ids.FIRST_AMOEBA,
        "discard intelligence": ids.FIRST_DISCARD,
        "buy intelligence": ids.FIRST_BUY,
        "start 1": ids.FIRST_START,
    }
    for players in SIZES:
        actions, rules = actions_for(players), Ruleset(players=players).record[0]
        for text, id in first.items():
            assert actions.id(text.lower(), 0) == id
        assert actions.id("carry 0", 0) == ids.first_carry(rules)
        assert actions.id("tap 0", 0) == ids.first_tap(rules)
        assert actions.id("attack 0.1", 0) == ids.first_attack(rules)
        assert actions.text(int(ids.first_meal(rules)), 0).startswith("meal ")
        assert actions.text(int(ids.first_meal(rules)) - 1, 0).startswith("attack ")


def test_each_way_to_buy_a_gene_has_an_action_of_its_own():
    for purchase, (gene, lower) in enumerate(zip(BOUGHT_GENE, LOWER_GENE, strict=True)):
        words = actions_for(4).text(ids.FIRST_BUY + purchase, 0).removeprefix("buy ").split(" for ")
        assert words[0] == GENE_NAMES[gene]
        assert words[1:] in ([], [GENE_NAMES[lower]])
        if lower != NO_GENE:
            assert BARRED_BY[lower] == gene
