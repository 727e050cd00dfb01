"""The parts of an observation, declared once: name, shape, scale, bounds and meaning, in the order of the row.

First the game, then, if it is asked for, the ruleset, as numbers that derive from the declarations in ``Ruleset``: all
but the edition, which is only a name for such numbers, and the number of players, which the length of the first part
tells. What a ruleset has in varying number is filled up to the longest: places on the track with their last number,
which holds for more points too, and the environment with cards without a direction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.rules.board import CARD_DIRECTIONS, NUM_SPACES
from ursuppe_env.rules.genes import NUM_GENES
from ursuppe_env.rules.nodes import Chance, Decision, Phase
from ursuppe_env.rules.ruleset import (
    EDITIONS,
    MAX_AMOEBAS,
    MAX_CARDS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUMBERS,
    RULES,
    SWITCHES,
    Ruleset,
)

_MOST_NEGATIVE_POINTS = 64  # a round number far beyond what the printed genes can sum up to
_PREFIX = "rules_"
_MOST_RULESETS = 1024  # whose numbers are kept

#: What takes the place of ``rules_rows`` where the ruleset is not shown.
NO_RULES_ROWS = np.empty((1, 0), np.float32)


@dataclass(frozen=True)
class Part:
    """One named slice of the observation."""

    name: str
    shape: tuple[int, ...]
    unit: float  # the state's number that is shown as 1.0
    bounds: Callable[[Ruleset], tuple[int, int]]  # smallest and largest number in the state
    meaning: str
    wide: bool = False  # some ruleset has numbers here that do not fit into eight bits
    offset: int = 0  # added to the number where it is shown as uint8, since it can be negative

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape))

    @property
    def scale(self) -> np.float32:
        """What the state's number is multiplied by; a division by ``unit`` may differ in the last bit."""
        return np.float32(1 / self.unit)


def flag(ruleset: Ruleset) -> tuple[int, int]:
    """The bounds of what is shown as 0 or 1."""
    return 0, 1


def _most_damage(ruleset: Ruleset) -> tuple[int, int]:
    survivable = max(ruleset.deadly_damage, ruleset.long_life_damage) - 1
    return 0, max(ruleset.first_damage, survivable) + 1


def _mutation_points(ruleset: Ruleset) -> tuple[int, int]:
    points = ruleset.mutation_points
    return sum(p for p in points if p < 0), sum(p for p in points if p > 0)


def _carried(ruleset: Ruleset) -> tuple[int, int]:
    carriers = ruleset.players * ruleset.amoebas if ruleset.clinging_carries else 1
    return 0, min(ruleset.carry * carriers, ruleset.cubes)


def _most_owed(ruleset: Ruleset) -> tuple[int, int]:
    return 0, sum(map(abs, ruleset.mutation_points))


def furthest_place(ruleset: Ruleset) -> int:
    """Where no marker can be beyond: one place before the end zone, then the best scoring, jumping over all others."""
    best = max(ruleset.amoeba_places) + max(ruleset.gene_places)
    start = max(ruleset.end_zone - 1, ruleset.players)
    return start + best + ruleset.players - 1


def _marker(ruleset: Ruleset) -> tuple[int, int]:
    return 0, furthest_place(ruleset)


@cache
def parts_of_game(players: int) -> tuple[Part, ...]:
    """What is shown of a game with this many players, in order."""
    P = players
    amoebas = (P, MAX_AMOEBAS)
    return (
        Part("food", (P, NUM_SPACES), 4, lambda r: (0, r.cubes), "cubes of each seat's colour on each space"),
        Part("amoebas", (P, NUM_SPACES), 1, lambda r: (0, r.amoebas), "how many amoebas of each seat on each space"),
        Part("row", amoebas, 5, lambda r: (0, 5), "row of amoeba n of each seat, 1 in the north; 0 off the board"),
        Part("column", amoebas, 5, lambda r: (0, 5), "its column, 1 in the west; 0 off the board"),
        Part("damage", amoebas, 2, _most_damage, "its DP"),
        Part("genes", (P, NUM_GENES), 2, lambda r: (0, 2), "each seat: 2 owned, 1 bought in this round, 0 not owned"),
        Part("mutation_points", (P,), 10, _mutation_points, "sum of each seat's MP", True, _MOST_NEGATIVE_POINTS),
        Part("supply", (NUM_GENES,), 2, lambda r: (0, max(r.cards)), "gene cards left"),
        Part("reserve", (P,), 50, lambda r: (0, r.cubes), "cubes of each seat's colour in the reserve"),
        Part("bp", (P,), 10, lambda r: (0, r.start_bp + r.income * len(r.environment)), "BP of each seat", wide=True),
        Part("marker", (P,), 42, _marker, "place of each seat's marker on the track; 0 before the start", wide=True),
        Part("order", (P,), P - 1, lambda r: (0, r.players - 1), "place of each seat in ascending (or start) order"),
        Part("card_direction", (5,), 1, flag, "card in force: west, north, east, south, none"),
        Part("ozone", (1,), 10, lambda r: (0, max(o for _, o in r.environment)), "its ozone value"),
        Part("cards_left", (MAX_CARDS,), 1, flag, "environment card c of the ruleset has not been turned up yet"),
        Part("round", (1,), 10, lambda r: (0, len(r.environment) - 1), "round"),
        Part("phase", (len(Phase),), 1, flag, "set-up, phases 1-6"),
        Part("decision", (len(Decision),), 1, flag, "decision that is asked, in the order of rules.md section 8"),
        Part("chance", (len(Chance),), 1, flag, "chance event to come: card, start_order, die, dice, fight"),
        Part("to_act", (P,), 1, flag, "who decides"),
        Part("turn", (P,), 1, flag, "whose turn it is in this phase"),
        Part("acting_amoeba", (MAX_AMOEBAS,), 1, flag, "phase 1: number of the acting amoeba"),
        Part("movement", (3,), 1, flag, "movement under way: drift, move, escape"),
        Part("mover", (P,), 1, flag, "owner of the moving amoeba"),
        Part("mover_amoeba", (MAX_AMOEBAS,), 1, flag, "its number"),
        Part("second_step", (1,), 1, flag, "it makes its second active step"),
        Part("dice", (2, 6), 1, flag, "faces rolled for this step"),
        Part("direction", (4,), 1, flag, "direction of the displacement"),
        Part("carried", (P,), 2, _carried, "cubes of each seat's colour on their way with a Tentacle"),
        Part("carry_colour", (P,), 1, flag, "colour of the last cube taken"),
        Part("taken", (1,), 2, lambda r: (0, r.carry), "cubes that the amoeba has taken that takes cubes along"),
        Part("player_0", (P,), 1, flag, "where player 0 sits (cubes are taken in the order of player numbers)"),
        Part("clinging", amoebas, 1, flag, "amoeba n of each seat comes along"),
        Part("clinger", (MAX_AMOEBAS,), 1, flag, "amoeba n is asked to cling, or clings and takes cubes along"),
        Part("attacker", (P,), 1, flag, "owner of the attacking amoeba"),
        Part("attacker_amoeba", (MAX_AMOEBAS,), 1, flag, "its number"),
        Part("victim", (P,), 1, flag, "owner of the attacked amoeba"),
        Part("victim_amoeba", (MAX_AMOEBAS,), 1, flag, "its number"),
        Part("place", (NUM_SPACES,), 1, flag, "space of the attack, or that an amoeba is being placed on"),
        Part("attempts", (1,), 2, lambda r: (0, 2), "attacks made by the acting amoeba or the aggressor"),
        Part("lost_fight", (1,), 1, flag, "the acting amoeba cannot eat any more this round; the aggressor is hungry"),
        Part("answers_used", (2,), 1, flag, "the attacked has used Defense, Escape against this attack"),
        Part("answers_used_this_round", (P, 2), 1, flag, "each seat has used Defense, Escape in this round"),
        Part("fights", (1,), 1, flag, "the defender's Endurance is about to fight again"),
        Part("tapped", (1,), 1, flag, "a host has paid for this meal"),
        Part("owed", (1,), 10, _most_owed, "MP still to be paid for a gene defect", wide=True),
    )


# ---------------------------------------------------------------------- the ruleset


@dataclass(frozen=True, kw_only=True)
class RulesPart(Part):
    """One named slice of the ruleset's numbers."""

    numbers: Callable[[Ruleset], Sequence[int]]


@cache
def rules_parts() -> tuple[RulesPart, ...]:
    """What is shown of the ruleset, in order; the same for any number of players."""
    parts: list[RulesPart] = []
    for name, declared in (*NUMBERS.items(), *SWITCHES.items()):
        if name == "environment":
            parts += _environment(declared)
        else:
            parts.append(_part(name, declared))
    return tuple(parts)


def _part(name: str, declared: Any) -> RulesPart:
    """A field of the ruleset: a number, a switch, or a number for each place or gene."""
    shape = RULES[name].shape or (1,)
    low, high = (0, 1) if name in SWITCHES else (declared["low"], declared["high"])

    def numbers(ruleset: Ruleset) -> Sequence[int]:
        value = getattr(ruleset, name)
        values = value if isinstance(value, tuple) else (int(value),)
        return (*values, *values[-1:] * (shape[0] - len(values)))

    return RulesPart(
        name=_PREFIX + name,
        shape=shape,
        unit=_largest_printed(numbers),
        bounds=lambda ruleset: (low, high),
        meaning=declared["meaning"],
        offset=max(0, -low),
        numbers=numbers,
    )


def _environment(declared: Any) -> list[RulesPart]:
    """The environment cards: their directions as flags, and their ozone values."""

    def directions(ruleset: Ruleset) -> Sequence[int]:
        flags = [int(name == shown) for name, _ in ruleset.environment for shown in CARD_DIRECTIONS]
        return flags + [0] * (MAX_CARDS * len(CARD_DIRECTIONS) - len(flags))

    def ozone(ruleset: Ruleset) -> Sequence[int]:
        values = [value for _, value in ruleset.environment]
        return values + [0] * (MAX_CARDS - len(values))

    return [
        RulesPart(
            name=_PREFIX + "card_direction",
            shape=(MAX_CARDS, len(CARD_DIRECTIONS)),
            unit=1,
            bounds=flag,
            meaning="environment card c: west, north, east, south, none; no flag where the ruleset has no such card",
            numbers=directions,
        ),
        RulesPart(
            name=_PREFIX + "ozone",
            shape=(MAX_CARDS,),
            unit=_largest_printed(ozone),
            bounds=lambda ruleset: (declared["low"], declared["high"]),
            meaning="its ozone value",
            numbers=ozone,
        ),
    ]


def _largest_printed(numbers: Callable[[Ruleset], Sequence[int]]) -> int:
    """What is shown as 1.0: the largest of these numbers in the printed game, of any edition and number of players."""
    printed = product(range(MIN_PLAYERS, MAX_PLAYERS + 1), EDITIONS)
    return max(1, *(abs(n) for players, edition in printed for n in numbers(Ruleset(players=players, edition=edition))))


def rules_rows(rulesets: Sequence[Ruleset]) -> NDArray[np.float32]:
    """The second part of every observation under each of these rulesets: (R, S) float32."""
    return np.array([_rules_row(ruleset) for ruleset in rulesets])


@lru_cache(maxsize=_MOST_RULESETS)
def _rules_row(ruleset: Ruleset) -> NDArray[np.float32]:
    return np.concatenate([part.scale * np.array(part.numbers(ruleset), np.float32) for part in rules_parts()])
