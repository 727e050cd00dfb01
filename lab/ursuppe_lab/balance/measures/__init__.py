"""Measures: small functions from what happened in games to numbers, one a game.

A measure takes a ``Chronicle`` of N games and returns its figures by name: (N,) arrays, of which the mean is of
interest, or ``Ratio``. The names depend on the ruleset alone. Measures are entry points of the group
``ursuppe.balance_measures``; in a study, ``module:function`` names one of your own.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.registry import load_entry, registered
from ursuppe_lab.balance.measures.chronicle import Chronicle

GROUP = "ursuppe.balance_measures"


class Ratio(NamedTuple):
    """A figure that is a ratio of sums over all games: the win rate of owners is their wins divided by their number.

    Attributes:
        numerator: (N,) of each game.
        denominator: (N,) of each game; 0 where the game says nothing.
    """

    numerator: NDArray[np.generic]
    denominator: NDArray[np.generic]


Measure = Callable[[Chronicle], Mapping[str, "NDArray[np.generic] | Ratio"]]


def measure_names() -> tuple[str, ...]:
    """The registered names, in alphabetical order."""
    return tuple(sorted(registered(GROUP)))


def load_measure(name: str) -> Measure:
    """The measure of this name, or ``module:function``; ``ValueError`` says what there is if there is none."""
    if name not in measure_names() and ":" not in name:
        known = ", ".join(measure_names())
        raise ValueError(f"there is no measure {name!r}; known are {known}, and module:function for one of your own")
    measure = load_entry("measure", name, GROUP)
    if not callable(measure):
        raise ValueError(f"measure {name!r} is {measure!r}; it must be a function of a Chronicle")
    return measure


def meaning_of(measure: str) -> str:
    """The first line of what a measure says about itself."""
    return (load_measure(measure).__doc__ or "").strip().partition("\n")[0]
