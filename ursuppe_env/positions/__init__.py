"""Positions: a game as a JSON object in the words of the rules, to be read, written and set up by hand.

Here is the one door to the engine for what was not made by it in this process: positions, states in files, pickles.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.line import counted
from ursuppe_env.positions.possible import Standing, reasons
from ursuppe_env.positions.read import read_ruleset, read_state
from ursuppe_env.positions.state_checks import impossible_states
from ursuppe_env.positions.vocabulary import FORMAT
from ursuppe_env.positions.write import write_position
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import STATE

__all__ = ["FORMAT", "read_position", "why_impossible", "write_position"]


def read_position(position: Any) -> tuple[NDArray[np.void], Ruleset]:
    """The game that stands at a position: (1,) array of dtype STATE, and its ruleset.

    Raises:
        ValueError: the position has not the form that docs/positions.md describes, or no game can stand there.
    """
    ruleset = read_ruleset(position)
    states = read_state(position, ruleset)
    impossible = why_impossible(states, (ruleset,))
    if impossible is not None:
        raise ValueError(impossible[1])
    return states, ruleset


def why_impossible(states: NDArray[np.void], rulesets: Sequence[Ruleset]) -> tuple[int, str] | None:
    """The first of these (N,) states that no game of a batch with these rulesets can stand at, and why; else None."""
    index = states["ruleset"]
    wrong = np.flatnonzero((index < 0) | (index >= len(rulesets)))
    if len(wrong):
        row, most = int(wrong[0]), len(rulesets) - 1
        return row, f"ruleset is {index[row]}; with {counted(len(rulesets), 'ruleset')} it must be 0 ... {most}"
    found = []
    for number in np.unique(index).tolist():
        rows = np.flatnonzero(index == number)
        alone = states[rows]
        alone["ruleset"] = 0  # as in a batch with this ruleset alone
        reason = _first_impossible(alone, rulesets[number])
        if reason is not None:
            found.append((int(rows[reason[0]]), reason[1]))
    return min(found, default=None)


def _first_impossible(states: NDArray[np.void], ruleset: Ruleset) -> tuple[int, str] | None:
    standings = (Standing(states[row : row + 1], ruleset) for row in range(len(states)))
    closer_looks = (chain(reasons(standing), _differences(standing)) for standing in standings)
    one_by_one = ((row, reason) for row, found in enumerate(closer_looks) for reason in found)
    return next(chain(impossible_states(states, ruleset), one_by_one), None)


def _differences(standing: Standing) -> Iterator[str]:
    """A state says no more than its position does: read again, it must be the same."""
    states, ruleset = standing.states, standing.ruleset
    try:
        again = read_state(write_position(standing.game, ruleset), ruleset)
    except ValueError as error:
        yield str(error)
        return
    if again.tobytes() == states.tobytes():
        return
    for name in STATE.names or ():
        found, needed = states[name][0], again[name][0]
        if (found != needed).any():
            yield f"{name} is {found.tolist()}; at {standing.name} it must be {needed.tolist()}"
