"""Read a position into a record of the engine; what is left out gets the value that follows from the rest."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.line import quoted
from ursuppe_env.parsing import checked_integer
from ursuppe_env.positions import vocabulary as words
from ursuppe_env.positions.facts import amoeba_as, asked_to_cling
from ursuppe_env.positions.state_checks import cards_turned_up, fill_legal_actions
from ursuppe_env.positions.values import amoeba, answers, choice, entries, integers, known_keys, space, truth
from ursuppe_env.rules import kernels, nodes
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.kernels import BEGIN
from ursuppe_env.rules.nodes import CHANCE_PLAYER, STOP_AT_CHANCE, Chance, Decision, Movement, Phase, Stage
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY, STATE

_MOST_INT16 = int(np.iinfo(np.int16).max)
_MOST_INT8 = int(np.iinfo(np.int8).max)

#: The nodes that can occur in each phase; of several phases the first one is taken where the position does not say.
_NODES_OF: dict[Phase, tuple[int, ...]] = {
    Phase.MOVE_AND_FEED: (*words.ACTING, *words.MOVING, *words.ANSWERING),
    Phase.ENVIRONMENT: (Chance.CARD, Decision.DEFECT),
    Phase.NEW_GENES: (Decision.BUY,),
    Phase.DIVISION: (Decision.DIVIDE, Decision.NUMBER),
    Phase.DEATHS: (Decision.AGGRESS, *words.MOVING, *words.ANSWERING),
    Phase.SCORING: (Stage.NEXT_ROUND, nodes.FINISHED),
    Phase.SETUP: (Chance.CARD, Chance.START_ORDER, Decision.START_PLACE, Decision.PLACE, Decision.NUMBER),
}
_STOPS = {words.PAUSED: (Stage.NEXT_ROUND, nodes.PAUSED), words.FINISHED: (nodes.FINISHED, nodes.FINISHED)}


def read_ruleset(position: Any) -> Ruleset:
    """The ruleset of a position, all of whose keys are known; ``ValueError``: they are not, or it is impossible."""
    known_keys("the position", position, words.KEYS)
    if position.get("format", words.FORMAT) != words.FORMAT:
        raise ValueError(f"format is {quoted(position['format'])}; it must be {words.FORMAT!r}")
    players, edition = position.get("players", 4), position.get("edition", "1998")
    return Ruleset.from_changes(players, edition, position.get("ruleset", {}))


def read_state(position: Mapping[str, Any], ruleset: Ruleset) -> NDArray[np.void]:
    """The state that a position with this ruleset describes: (1,) array of dtype STATE; it may be an impossible one.

    ``ValueError``: the position has not the form that docs/positions.md describes, or contradicts itself.
    """
    states = _at_the_beginning(ruleset).copy()
    game = states[0]
    _read_node(game, position)
    _read_players(game, position, ruleset)
    _read_board(game, position, ruleset)
    _read_round(game, position, ruleset)
    _read_cards(states, position, ruleset)
    _read_order(game, position, ruleset)
    _read_movement(game, position, ruleset)
    _read_attack(game, position, ruleset)
    _read_acting(game, position, ruleset)
    _read_turn(game, position, ruleset)
    _read_rest_of_turn(game, position, ruleset)
    _read_reserve(game, position, ruleset)
    _read_streams(states, position)
    if game["player"] >= 0:
        fill_legal_actions(game, ruleset)
    return states


@lru_cache
def _at_the_beginning(ruleset: Ruleset) -> NDArray[np.void]:
    """A game in which nothing has happened yet; not to be written to."""
    states = np.zeros(1, STATE)
    with np.errstate(over="ignore"):  # the streams count modulo 2**64
        kernels.run(states, ruleset.record, BEGIN, np.ones(1, np.int64), STOP_AT_CHANCE)
    return states


def _read_node(game: np.void, position: Mapping[str, Any]) -> None:
    """Who decides what, which chance event is pending, or that the game pauses or is over; and the phase."""
    ways = ("decision", "chance", words.PAUSED, words.FINISHED)
    given = [name for name in ways if name in position]
    if len(given) != 1:
        what = f"has {' and '.join(given)}" if given else "does not say what happens next"
        raise ValueError(f"the position {what}; it must have one of {', '.join(ways)}")
    (name,) = given
    if name in _STOPS and position[name] is not True:
        raise ValueError(f"{name} is {quoted(position[name])}; it must be true, or left out")
    if name in _STOPS:
        game["node"], game["player"] = _STOPS[name]
    elif name == "chance":
        name = choice("chance", position["chance"], words.CHANCE_EVENTS)
        game["node"], game["player"] = words.CHANCE_EVENTS[name], CHANCE_PLAYER
    else:
        name = choice("decision", position["decision"], words.DECISIONS)
        game["node"], game["player"] = words.DECISIONS[name], nodes.FINISHED  # who decides is found later
    if "player" in position and given != ["decision"]:
        raise ValueError(f"player is {quoted(position['player'])}, but nobody is to decide; leave it out")
    _read_phase(game, position, name)


def _read_phase(game: np.void, position: Mapping[str, Any], name: str) -> None:
    possible = [phase.name.lower() for phase, there in _NODES_OF.items() if game["node"] in there]
    default = "setup" if "setup" in possible and position.get("round") == 0 else possible[0]
    phase = choice("phase", position.get("phase", default), words.PHASES)
    if phase not in possible:
        raise ValueError(f"phase is {quoted(phase)}, but {name} belongs to {' or '.join(possible)}")
    game["phase"] = words.PHASES[phase]


def _read_players(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Markers, BP and genes."""
    players = ruleset.players
    unplaced = (Chance.CARD, Chance.START_ORDER, Decision.START_PLACE) if game["phase"] == Phase.SETUP else ()
    start_places = [0] * players if game["node"] in unplaced else list(range(1, players + 1))
    game["marker"][:players] = integers("markers", position.get("markers", start_places), players, 0, _MOST_INT16)
    if "bp" in position:
        game["bp"][:players] = integers("bp", position["bp"], players, 0, _MOST_INT16)
    genes = entries("genes", position.get("genes", [{}] * players), "objects, one a player", players)
    for player, owned in enumerate(genes):
        for gene, bought in known_keys(f"genes of player {player}", owned, GENE_NAMES).items():
            last_round = len(ruleset.environment) - 1
            number = GENE_NAMES.index(gene)
            when = f"the round in which player {player} bought {gene}"
            game["genes"][player, number] = checked_integer(when, bought, 1, last_round)
            game["mutation_points"][player] += ruleset.mutation_points[number]
    _read_supply(game, position, ruleset)


def _read_supply(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The cards that nobody owns."""
    owners = (game["genes"] > 0).sum(axis=0)
    supply = known_keys("supply", position.get("supply", {}), GENE_NAMES)
    for number, gene in enumerate(GENE_NAMES):
        left = ruleset.cards[number] - int(owners[number])
        if left < 0:
            raise ValueError(f"{owners[number]} players own {gene}; its cards are {ruleset.cards[number]} in all")
        if checked_integer(f"supply of {gene}", supply.get(gene, left), 0, _MOST_INT8) != left:
            why = f"with {owners[number]} owners and {ruleset.cards[number]} cards in all"
            raise ValueError(f"supply of {gene} is {supply[gene]}; it must be {left}, {why}")
        game["supply"][number] = left


def _read_board(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Amoebas, and cubes on the spaces; in the set-up the cubes lie already."""
    players = ruleset.players
    by_player = entries("amoebas", position.get("amoebas", [[]] * players), "lists, one a player", players)
    for player, own in enumerate(by_player):
        name = f"amoebas of player {player}"
        for entry in entries(name, own, "[number, space, damage]"):
            number, where, damage = entries(f"an entry in {name}", entry, "numbers [number, space, damage]", 3)
            number = checked_integer(f"a number in {name}", number, 1, ruleset.amoebas) - 1
            if game["amoeba_space"][player, number] != OFF_BOARD:
                raise ValueError(f"{name} have the number {number + 1} twice")
            which = f"amoeba {amoeba_name((player, number))}"
            game["amoeba_space"][player, number] = space(f"the space of {which}", where)
            game["damage"][player, number] = checked_integer(f"DP of {which}", damage, 0, _MOST_INT8)
    if "food" not in position and game["phase"] == Phase.SETUP:
        return
    game["food"][:] = 0
    spaces = [str(number + 1) for number in range(NUM_SPACES)]
    for where, cubes in known_keys("food", position.get("food", {}), spaces).items():
        game["food"][int(where) - 1, :players] = integers(f"food in space {where}", cubes, players, 0, ruleset.cubes)


def _read_round(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The round; if it is left out, the first one in which things can stand like this."""
    phase, last_round = game["phase"], len(ruleset.environment) - 1
    earliest = 0
    if phase != Phase.SETUP:
        has_been_scored = sorted(game["marker"][: ruleset.players].tolist()) != list(range(1, ruleset.players + 1))
        is_second = (has_been_scored and phase != Phase.SCORING) or game["node"] == Decision.DEFECT
        earliest = max(1 + is_second, int(game["genes"].max()) + int(phase < Phase.NEW_GENES))
    number = checked_integer("round", position.get("round", min(earliest, last_round)), 0, last_round)
    if (number == 0) != (phase == Phase.SETUP):
        raise ValueError(f"round is {number}; it must be 0 in the set-up and at least 1 after it")
    game["round"] = number


def _read_cards(states: NDArray[np.void], position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The environment cards turned up; if they are left out, the last ones of the ruleset's list."""
    game = states[0]
    needed = int(cards_turned_up(states)[0])
    values = [list(card) for card in ruleset.environment]
    left = values.copy()
    if "card" in position:
        in_force = [_turned_up("card", position["card"], left)]
    else:
        in_force = [left.pop()] if needed else []
    if "earlier_cards" in position:
        given = entries("earlier_cards", position["earlier_cards"], "cards [direction, ozone]")
        earlier = [_turned_up("a card of earlier_cards", card, left) for card in given]
    else:
        earlier = left[len(left) - max(needed - 1, 0) :]
    turned_up = earlier + in_force
    if len(turned_up) != needed:
        found = f"{len(turned_up)} environment cards have been turned up (card and earlier_cards)"
        raise ValueError(f"{found}; in round {game['round']} it must be {needed} by now")
    for card in turned_up:  # of equal cards the one with the lowest number, as when they are drawn
        number = next(n for n, value in enumerate(values) if value == card and not int(game["drawn"]) >> n & 1)
        game["drawn"] |= 1 << number
        game["card"] = number


def _turned_up(name: str, value: Any, left: list[list[Any]]) -> list[Any]:
    """Take this card from those that are left."""
    card = list(entries(name, value, "values [direction, ozone]", 2))
    if card not in left or isinstance(card[1], bool):
        cards = ", ".join(map(str, left))
        raise ValueError(f"{name} is {quoted(value)}; it must be one of the ruleset's cards that are left: {cards}")
    left.remove(card)
    return card


def _read_reserve(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """What is neither on the board nor carried."""
    players = ruleset.players
    out = (game["food"].sum(axis=0, dtype=np.int64) + game["carried"].sum(axis=0))[:players]
    left = (ruleset.cubes - out).tolist()
    for player, cubes in enumerate(left):
        if cubes < 0:
            raise ValueError(f"{out[player]} cubes of colour {player} are on the board; there are {ruleset.cubes}")
    reserve = integers("reserve", position.get("reserve", left), players, 0, ruleset.cubes)
    for player, cubes in enumerate(reserve):
        if cubes != left[player]:
            elsewhere = f"with {out[player]} of {ruleset.cubes} cubes on the board or carried"
            raise ValueError(f"reserve of player {player} is {cubes}; it must be {left[player]}, {elsewhere}")
    game["reserve"][:players] = reserve


def _read_streams(states: NDArray[np.void], position: Mapping[str, Any]) -> None:
    """Key and counters of the streams; numbers of a key may be texts, since JavaScript rounds those of 64 bits."""
    game = states[0]
    streams = known_keys("streams", position.get("streams", {}), words.STREAM_KEYS)
    for name in ("seed", "index", "episode"):
        limits = np.iinfo(STATE[name])
        low = int(limits.min) if name == "index" else 0
        given = streams.get(name, 0)
        is_text = isinstance(given, str) and re.fullmatch(r"-?\d{1,20}", given, re.ASCII)
        game[name] = checked_integer(name, int(given) if is_text else given, low, int(limits.max))
    with np.errstate(over="ignore"):
        kernels.restart_streams(states)
    draws = known_keys("draws", streams.get("draws", {}), words.STREAMS)
    for number, name in enumerate(words.STREAMS):
        game["draws"][number] = checked_integer(f"draws of {name}", draws.get(name, 0), 0, int(np.iinfo(np.uint32).max))


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
    movement = known_keys("movement", position["movement"], words.MOVEMENT_KEYS)
    game["movement"] = kind = words.MOVEMENTS[choice("the kind of movement", movement.get("kind"), words.MOVEMENTS)]
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
    attack, can_be_again = known_keys("attack", position["attack"], words.ATTACK_KEYS), game["node"] == Decision.AGGRESS
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
    game["answers_used"][game["victim"]] = answers("answers", attack.get("answers", under_way), words.ANSWERS)


def _read_acting(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The amoeba whose turn it is in phase 1: the one that moves, attacks or is about to."""
    if game["phase"] != Phase.MOVE_AND_FEED:
        if "acting" in position:
            raise ValueError("acting is the amoeba whose turn it is in phase move_and_feed; it belongs to that alone")
        return
    known = amoeba_as(game, "attacker") or amoeba_as(game, "mover")
    if known is None and game["node"] not in words.ACTING:
        raise _not_said("attack" if game["node"] in words.ANSWERING else "movement")
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
        if game["node"] == nodes.FINISHED:
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
    if node in words.ACTING:
        return int(game["order"][game["turn"]])
    if node == Decision.AGGRESS and game["attacker"] != NOBODY:
        return int(game["attacker"])
    if node not in _DECIDERS:
        return None
    what, role = _DECIDERS[node]
    if game[role] == NOBODY:
        raise _not_said(what)
    return asked_to_cling(game, ruleset)[0] if node == Decision.CLING else int(game[role])


def _read_rest_of_turn(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """What is left out follows: MP owed from the card in force, and answers used in this round from this attack."""
    game["lost_fight"] = truth("lost_fight", position.get("lost_fight", False))
    game["tapped"] = truth("tapped", position.get("tapped", False))
    if "place" in position:
        game["place"] = space("place", position["place"])
    debt = 0
    if game["node"] == Decision.DEFECT:
        _, ozone = ruleset.environment[int(game["card"])]
        debt = max(int(game["mutation_points"][game["player"]]) - ozone, 0)
    game["owed"] = checked_integer("owed", position.get("owed", debt), 0, _MOST_INT16)
    used, victim = game["answers_used"], int(game["victim"])
    if "answers_used" in position:
        by_player = entries("answers_used", position["answers_used"], "lists, one a player", ruleset.players)
        for player, names in enumerate(by_player):
            used[player] |= answers(f"answers_used of player {player}", names, words.ANSWERS_THIS_ROUND)
    elif victim != NOBODY and ruleset.paired_answers_once:  # which counts them
        for name, bit in words.ANSWERS_THIS_ROUND.items():
            used[victim] |= bit if used[victim] & words.ANSWERS[name] else 0
