"""Which opponents a game has: drawn by weight when it begins, and kept to its end.

A *side* is a team where there are teams, and else a seat: whoever is drawn for a side plays all its seats.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ursuppe_env import Games

_SIDES = np.uint64(0xD1B54A32D192ED03)  # tells the sides' draws apart; odd
_LEARNERS_SIDE = np.uint64(7)  # in place of a side: which one the learner has
_WHOLE_TABLE = np.uint64(14)  # in place of a side: who plays all of them
_KIND = np.uint64(15)  # in place of a side: is there one draw for all of them, one for a single one, or one for each?
_IS_UNTOLD = np.uint64(16)  # in place of a side: is the critic told nothing of who plays?
_LONE = np.uint64(17)  # in place of a side: who plays alone among learners
_LONE_SIDE = np.uint64(18)  # in place of a side: where
_UNTOLD = 0.5  # of the games


class Weights(NamedTuple):
    """Of each of O opponents, by how games are drawn; of any sum.

    Attributes:
        of_sides: (O,) where each side is drawn for itself.
        of_tables: (O,) where one draw is for all sides.
        of_lone: (O,) where one is drawn to play alone among learners.
    """

    of_sides: NDArray[np.float64]
    of_tables: NDArray[np.float64]
    of_lone: NDArray[np.float64]


class OpponentDraw:
    """Draws opponents by weight, from the key of the game and the side alone.

    Args:
        weights: of the opponents; those of a kind of game that there is none of do not matter.
        whole_tables: the part of the games in which one draw is for all sides.
        lone_opponents: the part in which one opponent plays alone among learners.
        side_of: (P,) the side of each seat.
        learner: the number of the learning policy.
    """

    def __init__(
        self,
        weights: Weights,
        whole_tables: float,
        lone_opponents: float,
        side_of: NDArray[np.int64],
        learner: int,
    ) -> None:
        self._borders = Weights(*map(_borders, weights))
        self._whole_tables = whole_tables
        self._either = whole_tables + lone_opponents
        self._side_of = side_of
        self._learner = learner

    def is_whole(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,) whether the games with these keys, (n,), have one opponent on all sides but the learner's."""
        return _uniform(keys, _KIND) < self._whole_tables

    def is_lone(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,) whether the games with these keys, (n,), have one opponent on one side, and learners on all others."""
        return (_uniform(keys, _KIND) < self._either) & ~self.is_whole(keys)

    def lone_sides(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n,) where the lone opponent is, if there is one: any side but that which always learns."""
        sides = int(self._side_of.max()) + 1
        behind = 1 + (_uniform(keys, _LONE_SIDE) * (sides - 1)).astype(np.int64)
        return (learners_sides(keys, sides) + behind) % sides

    def seats(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n, P) the number of the opponent in each seat of the games with these keys, (n,)."""
        is_whole = self.is_whole(keys)[:, None]
        drawn = _uniform(keys[:, None], np.where(is_whole, _WHOLE_TABLE, self._side_of.astype(np.uint64)))
        seats = np.where(
            is_whole,
            np.searchsorted(self._borders.of_tables, drawn, side="right"),
            np.searchsorted(self._borders.of_sides, drawn, side="right"),
        )
        lone = np.flatnonzero(self.is_lone(keys))
        if len(lone):
            number = np.searchsorted(self._borders.of_lone, _uniform(keys[lone], _LONE), side="right")
            is_there = self._side_of == self.lone_sides(keys[lone])[:, None]
            seats[lone] = np.where(is_there, number[:, None], self._learner)
        return seats


class SeatedOpponents:
    """The opponents in the seats of some games: drawn when a game begins, and kept to its end, whatever the weights are
    then.

    A row whose key is another one than before has a new game.
    """

    def __init__(self) -> None:
        self._keys = np.empty(0, np.uint64)
        self._numbers = np.empty((0, 0), np.int64)

    def of(self, games: Games, draw: OpponentDraw) -> NDArray[np.int64]:
        """(N, P) the number of the opponent in each seat of all games; those of new games are drawn."""
        keys = games.state["key"]
        if len(keys) != len(self._keys):
            self._keys = keys.copy()
            self._numbers = draw.seats(self._keys)
        elif len(new := np.flatnonzero(keys != self._keys)):
            self._keys[new] = keys[new]
            self._numbers[new] = draw.seats(keys[new])
        return self._numbers

    def state_dict(self) -> dict[str, Any]:
        """The games, and who is in their seats."""
        return {"keys": torch.from_numpy(self._keys.view(np.int64).copy()), "seats": torch.tensor(self._numbers)}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these."""
        self._keys = saved["keys"].numpy().view(np.uint64).copy()
        self._numbers = saved["seats"].numpy().copy()


def learners_sides(keys: NDArray[np.uint64], sides: int) -> NDArray[np.int64]:
    """(n,) the side that always learns in the games with these keys, (n,), which have so many."""
    return (_uniform(keys, _LEARNERS_SIDE) * sides).astype(np.int64)


def is_untold(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(n,) whether the critic is told nothing of who plays in the games with these keys, (n,)."""
    return _uniform(keys, _IS_UNTOLD) < _UNTOLD


def _borders(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(O,) where the parts of [0, 1) end that belong to these weights; the last one is 1, if there are any."""
    sums = np.cumsum(weights)
    return sums / (sums[-1] or 1.0)


def _uniform(keys: NDArray[np.uint64], salts: NDArray[np.uint64] | np.uint64) -> NDArray[np.float64]:
    """Pseudo-random numbers in [0, 1), of keys and salts: a hash (SplitMix64) of the keys."""
    with np.errstate(over="ignore"):
        bits = keys + (salts + np.uint64(1)) * _SIDES
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)) * 2.0**-53
