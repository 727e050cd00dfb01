"""The second part of an observation: the ruleset, as numbers that derive from the declarations in ``Ruleset``.

Every number and switch is here but the edition, which is only a name for such numbers, and the number of players,
which the length of the first part tells. What a ruleset has in varying number is filled up to the longest: places on
the track with their last number, which holds for more points too, and the environment with cards without a direction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.observation.parts import Part, flag
from ursuppe_env.rules.ruleset import EDITIONS, MAX_CARDS, MAX_PLAYERS, MIN_PLAYERS, NUMBERS, RULES, SWITCHES, Ruleset

_PREFIX = "rules_"
_DIRECTIONS = ("west", "north", "east", "south", "none")  # as in ``card_direction`` of the first part
_MOST_RULESETS = 1024  # whose numbers are kept

#: What takes the place of ``rules_rows`` where the ruleset is not shown.
NO_RULES_ROWS = np.empty((1, 0), np.float32)


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
        flags = [int(name == shown) for name, _ in ruleset.environment for shown in _DIRECTIONS]
        return flags + [0] * (MAX_CARDS * len(_DIRECTIONS) - len(flags))

    def ozone(ruleset: Ruleset) -> Sequence[int]:
        values = [value for _, value in ruleset.environment]
        return values + [0] * (MAX_CARDS - len(values))

    return [
        RulesPart(
            name=_PREFIX + "card_direction",
            shape=(MAX_CARDS, len(_DIRECTIONS)),
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
