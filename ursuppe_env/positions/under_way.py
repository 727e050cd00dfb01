"""Read what is under way in a position: whose turn it is, a movement, an attack and the rest of the turn."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ursuppe_env.line import quoted
from ursuppe_env.parsing import checked_integer
from ursuppe_env.positions.facts import amoeba_as, asked_to_cling
from ursuppe_env.positions.values import amoeba, answers, choice, entries, integers, known_keys, space, truth
from ursuppe_env.positions.vocabulary import ACTING, ANSWERING, ANSWERS, ATTACK_KEYS, MOVEMENT_KEYS, MOVEMENTS
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, OFF_BOARD
from ursuppe_env.rules.nodes import FINISHED, Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY

_MOST_OWED = int(np.iinfo(np.int16).max)


def read_what_is_under_way(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Write the order of the players, whose turn it is, and what has begun and not ended into the record."""
    _read_order(game, position, ruleset)
    _read_movement(game, position, ruleset)
    _read_attack(game, position, ruleset)
    _read_acting(game, position, ruleset)
    game["lost_fight"] = truth("lost_fight", position.get("lost_fight", False))
    game["tapped"] = truth("tapped", position.get("tapped", False))
    if "place" in position:
        game["place"] = space("place", position["place"])
    _read_turn(game, position, ruleset)
    debt = 0
    if game["node"] == Decision.DEFECT:  # all that the card in force demands
        _, ozone = ruleset.environment[int(game["card"])]
        debt = max(int(game["mutation_points"][game["player"]]) - ozone, 0)
    game["owed"] = checked_integer("owed", position.get("owed", debt), 0, _MOST_OWED)


def _on_board(game: np.void, name: str, value: Any, ruleset: Ruleset) -> Amoeba:
    """An amoeba that is on the board."""
    found = amoeba(name, value, ruleset.players, ruleset.amoebas)
    if game["amoeba_space"][found] == OFF_BOARD:
        raise ValueError(f"{name} is {quoted(value)}, which is not on the board; it must be among amoebas")
    return found


def _read_order(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The ascending order of the track; until all markers stand on it, the start order."""
    players = ruleset.players
    if game["node"] != Decision.START_PLACE:
        if "start_order" in position:
            raise ValueError("start_order belongs to the decision start_place; later the order is that of the markers")
        is_placed = game["marker"][:players] > 0
        if is_placed.all():
            game["order"][:players] = np.argsort(game["marker"][:players], kind="stable")
        elif game["phase"] != Phase.SETUP or 0 <= game["node"] <= Decision.AGGRESS:
            raise ValueError(f"the marker of player {np.argmin(is_placed)} stands nowhere on the track")
        return
    placed = [player for player in range(players) if game["marker"][player]]
    chooser = [checked_integer("player", position["player"], 0, players - 1)] if "player" in position else []
    first = list(dict.fromkeys([*placed, *chooser]))
    default = first + [player for player in range(players) if player not in first]
    order = integers("start_order", position.get("start_order", default), players, 0, players - 1)
    if len(set(order)) < players or set(order[: len(placed)]) != set(placed):
        right = "it must name each player once, and first those who have a start place"
        raise ValueError(f"start_order is {order}; {right}")
    game["order"][:players] = order


def _read_movement(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    if "movement" not in position:
        return
    movement = known_keys("movement", position["movement"], MOVEMENT_KEYS)
    game["movement"] = kind = MOVEMENTS[choice("the kind of movement", movement.get("kind"), MOVEMENTS)]
    mover = _on_board(game, "the amoeba of movement", movement.get("amoeba"), ruleset)
    game["mover"], game["mover_amoeba"] = mover
    is_drift = kind == Movement.DRIFT
    first, last = (0, 0) if is_drift else (1, 2)
    game["steps"] = checked_integer("step", movement.get("step", first), first, last)
    dice = entries("dice", movement.get("dice", []), "numbers 1 to 6")
    if len(dice) > 2:
        raise ValueError(f"dice is {quoted(dice)}; there are two at most")
    for number, face in enumerate(dice):
        game["dice"][number] = checked_integer("a die", face, 1, 6)
    if is_drift:
        game["direction"] = ruleset.record[0]["card_direction"][game["card"]]
    if "direction" in movement:
        direction = DIRECTION_NAMES.index(choice("direction", movement["direction"], DIRECTION_NAMES[:4]))
        if is_drift and direction != game["direction"]:
            raise ValueError(f"direction is {quoted(movement['direction'])}, which is not that of the card in force")
        game["direction"] = direction
    _read_company(game, movement, ruleset)


def _read_company(game: np.void, movement: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Amoebas that come along, the one that is asked whether it does, and cubes on their way."""
    for name in entries("clinging", movement.get("clinging", []), "amoebas"):
        owner, number = _on_board(game, "an amoeba of clinging", name, ruleset)
        game["clinging"][owner] |= 1 << number
    if ("asked" in movement) != (game["node"] == Decision.CLING):
        raise ValueError("asked is the amoeba that the decision cling is about; it belongs to that decision alone")
    if "asked" in movement:
        _read_cling_turn(game, _on_board(game, "asked", movement["asked"], ruleset), ruleset)
    players = [str(player) for player in range(ruleset.players)]
    most = ruleset.carry * ruleset.amoebas
    for player, cubes in known_keys("carried", movement.get("carried", {}), players).items():
        found = integers(f"cubes carried by player {player}", cubes, ruleset.players, 0, most)
        game["carried"][int(player), : ruleset.players] = found
    _read_carrier(game, movement, ruleset)


def _read_cling_turn(game: np.void, clinger: Amoeba, ruleset: Ruleset) -> None:
    turn = game["order"][: ruleset.players].tolist().index(clinger[0])
    game["cling_turn"] = turn * ruleset.amoebas + clinger[1]


def _read_carrier(game: np.void, movement: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The amoeba that takes cubes along, and what it has taken; left out, the mover and all that its owner carries."""
    if game["node"] != Decision.CARRY:
        for name in ("carrier", "taken", "colour"):
            if name in movement:
                raise ValueError(f"{name} is about the amoeba that takes cubes along; it belongs to the decision carry")
        return
    mover = int(game["mover"]), int(game["mover_amoeba"])
    carrier = _on_board(game, "carrier", movement.get("carrier", amoeba_name(mover)), ruleset)
    game["carrier"], game["carrier_amoeba"] = carrier
    if carrier != mover:
        _read_cling_turn(game, carrier, ruleset)
    carried = game["carried"][carrier[0]]
    game["taken"] = checked_integer("taken", movement.get("taken", int(carried.sum())), 0, ruleset.carry)
    last = max(np.flatnonzero(carried).tolist(), default=0) if game["taken"] else 0
    game["carry_colour"] = checked_integer("colour", movement.get("colour", last), 0, ruleset.players - 1)


def _read_attack(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Where it takes place, and the answers to it, are, left out, the victim's space and the one that is under way."""
    game["attempts"] = checked_integer("attempts", position.get("attempts", int("attack" in position)), 0, 2)
    if "attack" not in position:
        return
    attack, can_be_again = known_keys("attack", position["attack"], ATTACK_KEYS), game["node"] == Decision.AGGRESS
    game["attacker"], game["attacker_amoeba"] = _on_board(game, "attacker", attack.get("attacker"), ruleset)
    game["fights"] = checked_integer("lost_fights", attack.get("lost_fights", 0), 0, 1)
    if "victim" in attack or not can_be_again:
        game["victim"], game["victim_amoeba"] = _on_board(game, "victim", attack.get("victim"), ruleset)
    if can_be_again and ("space" in attack or "answers" in attack):
        raise ValueError("space and answers of attack belong to an attack that is under way; nobody is attacked")
    if can_be_again:
        return
    game["place"] = game["amoeba_space"][game["victim"], game["victim_amoeba"]]
    if "space" in attack:
        game["place"] = space("the space of the attack", attack["space"])
    is_escape = game["movement"] == Movement.ESCAPE
    under_way = ["defense"] if game["node"] == Chance.FIGHT else ["escape"] if is_escape else []
    game["answers_used"][game["victim"]] = answers("answers", attack.get("answers", under_way), ANSWERS)


def _read_acting(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The amoeba whose turn it is in phase 1: the one that moves, attacks or is about to."""
    if game["phase"] != Phase.MOVE_AND_FEED:
        if "acting" in position:
            raise ValueError("acting is the amoeba whose turn it is in phase move_and_feed; it belongs to that alone")
        return
    known = amoeba_as(game, "attacker") or amoeba_as(game, "mover")
    if known is None and game["node"] not in ACTING:
        raise _not_said("attack" if game["node"] in ANSWERING else "movement")
    if known is None and "acting" in position:
        known = _on_board(game, "acting", position["acting"], ruleset)
    if known is None:
        player = _given_player(position, ruleset)
        own = np.flatnonzero(game["amoeba_space"][player] != OFF_BOARD)
        if len(own) == 0:
            raise ValueError(f"player {player} has no amoeba on the board that could act")
        known = player, int(own[0])  # the one with the lowest number
    if amoeba("acting", position.get("acting", amoeba_name(known)), ruleset.players, ruleset.amoebas) != known:
        raise ValueError(f"acting is {quoted(position['acting'])}, but {amoeba_name(known)!r} moves or attacks")
    game["turn"] = game["order"][: ruleset.players].tolist().index(known[0])
    game["amoeba"] = known[1]


def _not_said(needed: str) -> ValueError:
    return ValueError(f"the position does not say what is under way; it must have {needed}")


def _given_player(position: Mapping[str, Any], ruleset: Ruleset) -> int:
    if "player" not in position:
        raise ValueError("the position does not say who decides; it must have player")
    return checked_integer("player", position["player"], 0, ruleset.players - 1)


def _read_turn(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Who decides, and how many players have had or begun their turn in this phase."""
    players = ruleset.players
    order = game["order"][:players].tolist()
    if 0 <= game["node"] <= Decision.AGGRESS:
        is_set_up = game["phase"] == Phase.SETUP
        known = _read_turn_of_setup(game, order) if is_set_up else _known_decider(game, ruleset)
        given = _given_player(position, ruleset) if known is None or "player" in position else known
        if known not in (None, given):
            decision = Decision(int(game["node"])).name.lower()
            raise ValueError(f"player is {given}, but it is player {known} who decides {decision}")
        game["player"] = given
    if game["phase"] == Phase.SCORING:
        game["turn"] = players
        if game["node"] == FINISHED:
            game["winner"] = order[-1]
    elif game["phase"] == Phase.DEATHS:
        aggressor = game["attacker"] if game["attacker"] != NOBODY else game["player"]
        if aggressor < 0:
            raise _not_said("attack")
        game["turn"] = order[::-1].index(aggressor) + 1
    elif game["phase"] >= Phase.ENVIRONMENT and game["player"] >= 0:
        game["turn"] = order[::-1].index(game["player"]) + 1


def _read_turn_of_setup(game: np.void, order: list[int]) -> int:
    """In the set-up the markers and amoebas that are placed tell whose turn it is."""
    players = len(order)
    if game["node"] == Decision.START_PLACE:
        turn = int(np.count_nonzero(game["marker"]))
        sequence = order
    else:
        turn = int(np.count_nonzero(game["amoeba_space"] != OFF_BOARD))
        sequence = order + order[::-1]
    if turn >= len(sequence):
        raise ValueError(f"all {players} players have placed what they place in the set-up; it is over")
    game["turn"] = turn
    return sequence[turn]


#: What must be under way in these decisions, and whose decision it is.
_DECIDERS: dict[int, tuple[str, str]] = {
    **dict.fromkeys((Decision.DIRECTION, Decision.AGAIN, Decision.CLING), ("movement", "mover")),
    Decision.CARRY: ("movement", "carrier"),
    Decision.DEFEND: ("attack", "victim"),
}


def _known_decider(game: np.void, ruleset: Ruleset) -> int | None:
    """Who decides, where what is under way tells."""
    node = int(game["node"])
    if node in ACTING:
        return int(game["order"][game["turn"]])
    if node == Decision.AGGRESS and game["attacker"] != NOBODY:
        return int(game["attacker"])
    if node not in _DECIDERS:
        return None
    what, role = _DECIDERS[node]
    if game[role] == NOBODY:
        raise _not_said(what)
    return asked_to_cling(game, ruleset)[0] if node == Decision.CLING else int(game[role])
