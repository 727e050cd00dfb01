"""Which opponents a game has: drawn by weight when it begins, and kept to its end."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ursuppe_env import Games

_SEATS = np.uint64(0xD1B54A32D192ED03)  # tells the seats' draws apart; odd
_LEARNERS_SEAT = np.uint64(7)  # in place of a seat: which one the learner has
_WHOLE_TABLE = np.uint64(14)  # in place of a seat: who plays all of them
_IS_WHOLE = np.uint64(15)  # in place of a seat: is there one draw for all of them?
_IS_UNTOLD = np.uint64(16)  # in place of a seat: is the critic told nothing of who plays?
_UNTOLD = 0.5  # of the games


class OpponentDraw:
    """Draws opponents by weight, from the key of the game and the seat alone.

    Args:
        of_seats: (O,) weight of each opponent where each seat is drawn for itself; of any sum.
        of_tables: (O,) the same where one draw is for all seats.
        whole_tables: the part of the games in which it is.
    """

    def __init__(self, of_seats: NDArray[np.float64], of_tables: NDArray[np.float64], whole_tables: float) -> None:
        self._of_seats, self._of_tables = _borders(of_seats), _borders(of_tables)
        self._whole_tables = whole_tables

    def is_whole(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,) whether the games with these keys, (n,), have one opponent in all seats but the learner's."""
        return _uniform(keys, _IS_WHOLE) < self._whole_tables

    def seats(self, keys: NDArray[np.uint64], players: int) -> NDArray[np.int64]:
        """(n, P) the number of the opponent in each seat of the games with these keys, (n,)."""
        seats = np.tile(np.arange(players, dtype=np.uint64), (len(keys), 1))
        is_whole = self.is_whole(keys)[:, None]
        drawn = _uniform(keys[:, None], np.where(is_whole, _WHOLE_TABLE, seats))
        return np.where(
            is_whole,
            np.searchsorted(self._of_tables, drawn, side="right"),
            np.searchsorted(self._of_seats, drawn, side="right"),
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
            self._numbers = draw.seats(self._keys, games.num_players)
        elif len(new := np.flatnonzero(keys != self._keys)):
            self._keys[new] = keys[new]
            self._numbers[new] = draw.seats(keys[new], games.num_players)
        return self._numbers

    def state_dict(self) -> dict[str, Any]:
        """The games, and who is in their seats."""
        return {"keys": torch.from_numpy(self._keys.view(np.int64).copy()), "seats": torch.tensor(self._numbers)}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these."""
        self._keys = saved["keys"].numpy().view(np.uint64).copy()
        self._numbers = saved["seats"].numpy().copy()


def learners_seats(keys: NDArray[np.uint64], players: int) -> NDArray[np.int64]:
    """(n,) the seat that always learns in the games with these keys, (n,)."""
    return (_uniform(keys, _LEARNERS_SEAT) * players).astype(np.int64)


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
        bits = keys + (salts + np.uint64(1)) * _SEATS
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)) * 2.0**-53
