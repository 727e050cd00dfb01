"""Read a position into a record of the engine; what is left out gets the value that follows from the rest."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import kernels
from ursuppe_env.line import quoted
from ursuppe_env.parsing import checked_integer
from ursuppe_env.positions import vocabulary as words
from ursuppe_env.positions.state_checks import cards_turned_up, fill_legal_actions
from ursuppe_env.positions.under_way import read_what_is_under_way
from ursuppe_env.positions.values import answers, choice, entries, integers, known_keys, space
from ursuppe_env.rules import nodes
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.game import BEGIN
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import CHANCE_PLAYER, STOP_AT_CHANCE, Chance, Decision, Phase, Stage
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
    read_what_is_under_way(game, position, ruleset)
    _read_answers_used(game, position, ruleset)
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
            amoeba = f"amoeba {amoeba_name((player, number))}"
            game["amoeba_space"][player, number] = space(f"the space of {amoeba}", where)
            game["damage"][player, number] = checked_integer(f"DP of {amoeba}", damage, 0, _MOST_INT8)
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


def _read_answers_used(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Answers used in this round; if they are left out, those of this attack as far as the ruleset counts them."""
    used, victim = game["answers_used"], int(game["victim"])
    if "answers_used" in position:
        by_player = entries("answers_used", position["answers_used"], "lists, one a player", ruleset.players)
        for player, names in enumerate(by_player):
            used[player] |= answers(f"answers_used of player {player}", names, words.ANSWERS_THIS_ROUND)
    elif victim != NOBODY and ruleset.paired_answers_once:
        for name, bit in words.ANSWERS_THIS_ROUND.items():
            used[victim] |= bit if used[victim] & words.ANSWERS[name] else 0


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
    game = states[0]
    streams = known_keys("streams", position.get("streams", {}), words.STREAM_KEYS)
    for name in ("seed", "index", "episode"):
        limits = np.iinfo(STATE[name])
        low = int(limits.min) if name == "index" else 0
        game[name] = checked_integer(name, streams.get(name, 0), low, int(limits.max))
    with np.errstate(over="ignore"):
        kernels.restart_streams(states)
    draws = known_keys("draws", streams.get("draws", {}), words.STREAMS)
    for number, name in enumerate(words.STREAMS):
        game["draws"][number] = checked_integer(f"draws of {name}", draws.get(name, 0), 0, int(np.iinfo(np.uint32).max))
