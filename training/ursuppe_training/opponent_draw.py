"""Which opponents a game has: drawn by weight when it begins, and kept to its end.

A *side* is a team where there are teams, and else a seat: whoever is drawn for a side plays all its seats.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ursuppe_env import Games

_SIDES = np.uint64(0xD1B54A32D192ED03)  # tells the sides' draws apart; odd
_LEARNERS_SIDE = np.uint64(7)  # in place of a side: which one the learner has
_WHOLE_TABLE = np.uint64(14)  # in place of a side: who plays all of them
_IS_WHOLE = np.uint64(15)  # in place of a side: is there one draw for all of them?
_IS_UNTOLD = np.uint64(16)  # in place of a side: is the critic told nothing of who plays?
_UNTOLD = 0.5  # of the games


class OpponentDraw:
    """Draws opponents by weight, from the key of the game and the side alone.

    Args:
        of_sides: (O,) weight of each opponent where each side is drawn for itself; of any sum.
        of_tables: (O,) the same where one draw is for all sides.
        whole_tables: the part of the games in which it is.
        side_of: (P,) the side of each seat.
    """

    def __init__(
        self,
        of_sides: NDArray[np.float64],
        of_tables: NDArray[np.float64],
        whole_tables: float,
        side_of: NDArray[np.int64],
    ) -> None:
        self._of_sides, self._of_tables = _borders(of_sides), _borders(of_tables)
        self._whole_tables = whole_tables
        self._side_of = side_of.astype(np.uint64)

    def is_whole(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,) whether the games with these keys, (n,), have one opponent on all sides but the learner's."""
        return _uniform(keys, _IS_WHOLE) < self._whole_tables

    def seats(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n, P) the number of the opponent in each seat of the games with these keys, (n,)."""
        is_whole = self.is_whole(keys)[:, None]
        drawn = _uniform(keys[:, None], np.where(is_whole, _WHOLE_TABLE, self._side_of))
        return np.where(
            is_whole,
            np.searchsorted(self._of_tables, drawn, side="right"),
            np.searchsorted(self._of_sides, drawn, side="right"),
        )


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
    """(O,) where the parts of [0, 1) end that belong to these weights; the last one is 1."""
    sums = np.cumsum(weights)
    return sums / sums[-1]


def _uniform(keys: NDArray[np.uint64], salts: NDArray[np.uint64] | np.uint64) -> NDArray[np.float64]:
    """Pseudo-random numbers in [0, 1), of keys and salts: a hash (SplitMix64) of the keys."""
    with np.errstate(over="ignore"):
        bits = keys + (salts + np.uint64(1)) * _SIDES
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)) * 2.0**-53
