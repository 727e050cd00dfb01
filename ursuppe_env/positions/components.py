"""Read what lies on the table in a position: markers, BP, genes, amoebas, cubes and environment cards."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.line import quoted
from ursuppe_env.parsing import checked_integer
from ursuppe_env.positions.state_checks import cards_turned_up
from ursuppe_env.positions.values import entries, integers, known_keys, space
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.chance import card_value
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Chance, Decision, Phase
from ursuppe_env.rules.ruleset import Ruleset

_MOST_INT16 = int(np.iinfo(np.int16).max)
_MOST_INT8 = int(np.iinfo(np.int8).max)


def read_players(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """Markers, BP and genes."""
    players = ruleset.players
    is_unplaced = game["node"] in (Chance.START_ORDER, Decision.START_PLACE) or (
        game["node"] == Chance.CARD and game["phase"] == Phase.SETUP
    )
    start_places = [0] * players if is_unplaced else list(range(1, players + 1))
    markers = integers("markers", position.get("markers", start_places), players, 0, _MOST_INT16)
    game["marker"][:players] = markers
    if "bp" in position:
        game["bp"][:players] = integers("bp", position["bp"], players, 0, _MOST_INT16)
    genes = entries("genes", position.get("genes", [{}] * players), "objects, one a player", players)
    for player, owned in enumerate(genes):
        for gene, bought in known_keys(f"genes of player {player}", owned, GENE_NAMES).items():
            last_round = len(ruleset.environment) - 1
            number = GENE_NAMES.index(gene)
            game["genes"][player, number] = checked_integer(
                f"the round in which player {player} bought {gene}", bought, 1, last_round
            )
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
            raise ValueError(
                f"supply of {gene} is {supply[gene]}; it must be {left}, "
                f"with {owners[number]} owners and {ruleset.cards[number]} cards in all"
            )
        game["supply"][number] = left


def read_board(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
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
            game["amoeba_space"][player, number] = space(f"the space of amoeba {amoeba_name((player, number))}", where)
            game["damage"][player, number] = checked_integer(
                f"DP of amoeba {amoeba_name((player, number))}", damage, 0, _MOST_INT8
            )
    if "food" not in position and game["phase"] == Phase.SETUP:
        return
    game["food"][:] = 0
    spaces = [str(number + 1) for number in range(NUM_SPACES)]
    for where, cubes in known_keys("food", position.get("food", {}), spaces).items():
        game["food"][int(where) - 1, :players] = integers(f"food in space {where}", cubes, players, 0, ruleset.cubes)


def read_cards(states: NDArray[np.void], position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """The environment cards turned up; if they are left out, the last ones of the ruleset's list."""
    game, rules = states[0], ruleset.record[0]
    needed = int(cards_turned_up(states)[0])
    values = [list(card_value(rules, number)) for number in range(len(ruleset.environment))]
    left = values.copy()
    in_force = [_turned_up("card", position["card"], left)] if "card" in position else left[-1:][:needed]
    if "card" not in position and in_force:
        left.pop()
    if "earlier_cards" in position:
        given = entries("earlier_cards", position["earlier_cards"], "cards [direction, ozone]")
        earlier = [_turned_up("a card of earlier_cards", card, left) for card in given]
    else:
        earlier = left[len(left) - max(needed - 1, 0) :]
    if len(earlier) + len(in_force) != needed:
        raise ValueError(
            f"{len(earlier) + len(in_force)} environment cards have been turned up (card and earlier_cards); "
            f"in round {game['round']} it must be {needed} by now"
        )
    for card in earlier + in_force:  # of equal cards the one with the lowest number, as when they are drawn
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


def read_reserve(game: np.void, position: Mapping[str, Any], ruleset: Ruleset) -> None:
    """What is neither on the board nor carried."""
    players = ruleset.players
    out = game["food"].sum(axis=0, dtype=np.int64) + game["carried"].sum(axis=0)
    left = [ruleset.cubes - int(cubes) for cubes in out[:players]]
    for player in range(players):
        if left[player] < 0:
            raise ValueError(f"{out[player]} cubes of colour {player} are on the board; there are {ruleset.cubes}")
    reserve = integers("reserve", position.get("reserve", left), players, 0, ruleset.cubes)
    for player in range(players):
        if reserve[player] != left[player]:
            raise ValueError(
                f"reserve of player {player} is {reserve[player]}; it must be {left[player]}, "
                f"with {out[player]} of {ruleset.cubes} cubes on the board or carried"
            )
    game["reserve"][:players] = left
