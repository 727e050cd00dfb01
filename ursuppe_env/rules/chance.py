"""Chance: one random stream a game and kind of event, and how its values read (rules.md section 8).

The streams are counter-based: the n-th value of a stream is a hash of (seed, index, episode, kind, n), so a game's
dice depend neither on the other games of the batch nor on how often another kind was drawn.
"""

from functools import cache
from itertools import permutations, product

import numpy as np

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.board import CARD_DIRECTIONS
from ursuppe_env.rules.nodes import Chance

CARD_STREAM = 0
START_ORDER_STREAM = 1
DICE_STREAM = 2
FIGHT_STREAM = 3
CHOICE_STREAM = 4  # of step_random and play_random
_STREAMS = 8  # room for kinds in the counter

DEFENDER_WINS = 1  # the number of this outcome of a fight; the other one is 0

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_INDICES = np.uint64(2**32)  # above the indices of any batch
_RESEEDED = np.uint64(0xC0FFEE5EEDC0FFEE)


@compiled
def mix(value):
    """Scramble 64 bits (the output function of SplitMix64)."""
    value = np.uint64(value)
    value = (value ^ (value >> np.uint64(30))) * _MULTIPLIER_1
    value = (value ^ (value >> np.uint64(27))) * _MULTIPLIER_2
    return value ^ (value >> np.uint64(31))


@compiled
def start_streams(game):
    """Key the game's streams by its seed, index and episode, and start them."""
    seed, index = np.uint64(game["seed"]), np.uint64(game["index"])
    if seed < _INDICES:  # it could be an index as well: game 2 of seed 1 must not be game 1 of seed 2
        index = index * _MULTIPLIER_1
    key = mix(mix(seed + _GOLDEN) ^ mix(index + _GOLDEN))
    game["key"] = mix(key ^ mix(np.uint64(game["episode"]) + _GOLDEN))
    game["draws"][:] = 0


@compiled
def reseeded(seed):
    """The seed for copies: their streams are none that any game of ``Games(seed=...)`` has."""
    return mix(np.uint64(seed) ^ _RESEEDED)


@compiled
def draw_below(game, stream, bound):
    """The next value of a stream, uniform on 0 ... bound - 1."""
    count = np.uint64(game["draws"][stream])
    game["draws"][stream] += 1
    value = mix(np.uint64(game["key"]) + _GOLDEN * (count * np.uint64(_STREAMS) + np.uint64(stream + 1)))
    return np.int64((value >> np.uint64(32)) * np.uint64(bound) >> np.uint64(32))


@compiled
def _factorial(number):
    product = 1
    for factor in range(2, number + 1):
        product *= factor
    return product


@compiled
def is_drawn(game, card):
    """Has this card been turned up?"""
    return (np.int64(game["drawn"]) >> card) & 1 == 1


@compiled
def _draw_card(game, rules):
    """One of the cards not yet drawn; of equal cards the one with the lowest number."""
    left = 0
    for card in range(rules["num_cards"]):
        if not is_drawn(game, card):
            left += 1
    skipped = draw_below(game, CARD_STREAM, left)
    drawn = 0
    while skipped > 0 or is_drawn(game, drawn):
        if not is_drawn(game, drawn):
            skipped -= 1
        drawn += 1
    first = 0
    while is_drawn(game, first) or not equal_cards(rules, first, drawn):
        first += 1
    return first


@compiled
def equal_cards(rules, card, other):
    """Do two cards show the same direction and ozone value?"""
    same_direction = rules["card_direction"][card] == rules["card_direction"][other]
    return same_direction and rules["card_ozone"][card] == rules["card_ozone"][other]


@compiled
def draw(game, rules):
    """Draw the value of the chance event that the game stands at, as the number that ``resolve`` takes."""
    node = game["node"]
    if node == Chance.CARD:
        return _draw_card(game, rules)
    if node == Chance.START_ORDER:
        return draw_below(game, START_ORDER_STREAM, _factorial(rules["players"]))
    if node == Chance.DIE:
        return draw_below(game, DICE_STREAM, 6)
    if node == Chance.DICE:
        return draw_below(game, DICE_STREAM, 36)
    return draw_below(game, FIGHT_STREAM, 2)


@compiled
def nth_permutation(number, players, out):
    """Write the players' permutation of this number (0 ... P! - 1, in lexical order) into ``out``."""
    for place in range(players):
        out[place] = place
    for place in range(players):
        rest = _factorial(players - 1 - place)
        chosen = place + number // rest
        number %= rest
        player = out[chosen]
        for later in range(chosen, place, -1):
            out[later] = out[later - 1]
        out[place] = player


@cache
def chance_values(event: Chance, players: int) -> tuple[object, ...]:
    """What can happen at an event that is no card, all equally likely, in the order of the numbers."""
    faces = range(1, 7)
    values = {
        Chance.START_ORDER: permutations(range(players)),
        Chance.DIE: faces,
        Chance.DICE: product(faces, faces),
        Chance.FIGHT: ("attacker", "defender"),
    }
    return tuple(values[event])


@cache
def _numbers(event: Chance, players: int) -> dict[str, int]:
    """The numbers of these values, by how Python writes them: True is no 1."""
    return {repr(_as_recorded(value)): number for number, value in enumerate(chance_values(event, players))}


def _as_recorded(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def value_of(rules: np.void, event: Chance, number: int) -> object:
    """A chance event's value as records.md writes it, from its number."""
    is_card = event == Chance.CARD
    return _as_recorded(card_value(rules, number) if is_card else chance_values(event, int(rules["players"]))[number])


def outcomes(game: np.void, rules: np.void) -> list[tuple[object, int, float]]:
    """What can happen at this chance event: (value as in records.md, its number, its probability)."""
    event = Chance(int(game["node"]))
    if event == Chance.CARD:
        left = _cards_left(game, rules)
        count = sum(map(len, left.values()))
        return [(list(value), cards[0], len(cards) / count) for value, cards in left.items()]
    values = chance_values(event, int(rules["players"]))
    return [(_as_recorded(value), number, 1 / len(values)) for number, value in enumerate(values)]


def number_of(game: np.void, rules: np.void, value: object) -> int | None:
    """The number of what happens at this chance event, as records.md writes it; None: it cannot happen."""
    event = Chance(int(game["node"]))
    if event == Chance.CARD:
        numbers = {repr(list(shown)): cards[0] for shown, cards in _cards_left(game, rules).items()}
    else:
        numbers = _numbers(event, int(rules["players"]))
    return numbers.get(repr(value))


def _cards_left(game: np.void, rules: np.void) -> dict[tuple[str, int], list[int]]:
    """The numbers of the cards that have not been turned up, by what they show."""
    drawn = int(game["drawn"])
    left: dict[tuple[str, int], list[int]] = {}
    for card in range(int(rules["num_cards"])):
        if not drawn >> card & 1:
            left.setdefault(card_value(rules, card), []).append(card)
    return left


def card_value(rules: np.void, card: int) -> tuple[str, int]:
    """A card as records write it: (direction, ozone)."""
    return CARD_DIRECTIONS[rules["card_direction"][card]], int(rules["card_ozone"][card])
