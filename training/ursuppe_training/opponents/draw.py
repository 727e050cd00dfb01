"""Which opponents a game has: drawn by weight when it begins, and kept to its end."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_training.opponents import seating

with extra("train"):
    import torch


class OpponentDraw:
    """Draws opponents by weight, from the key of the game and the side alone (``ursuppe_training.opponents.seating``).

    Args:
        weights: (O,) of the opponents, of any sum.
        whole_tables: the part of the games in which one draw is for all sides.
        side_of: (P,) the side of each seat.

    Attributes:
        borders: (O,) where the parts of [0, 1) end that belong to opponents.
        whole_tables: as given.
        side_of: (P,) as given.
        sides: how many there are.
    """

    def __init__(self, weights: NDArray[np.float64], whole_tables: float, side_of: NDArray[np.int64]) -> None:
        self.borders = np.cumsum(weights) / weights.sum()
        self.whole_tables = whole_tables
        self.side_of = np.array(side_of)
        self.sides = int(side_of.max()) + 1

    def is_whole(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,) whether one opponent is on all sides but the learner's in the games with these keys, (n,)."""
        found = np.empty(len(keys), np.bool_)
        seating.find_whole(keys, self.whole_tables, found)
        return found

    def seats(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n, P) the number of the opponent in each seat of the games with these keys, (n,)."""
        seats = np.empty((len(keys), len(self.side_of)), np.int64)
        seating.draw_all_seats(keys, self.borders, self.whole_tables, self.side_of, seats)
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
    found = np.empty(len(keys), np.int64)
    seating.find_learners_sides(keys, sides, found)
    return found


def is_untold(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(n,) whether the critic is told nothing of who plays in the games with these keys, (n,)."""
    found = np.empty(len(keys), np.bool_)
    seating.find_untold(keys, found)
    return found
