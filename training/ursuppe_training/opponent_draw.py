"""Which opponents a game has: drawn by weight when it begins, and kept to its end."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_training import seating

with extra("train"):
    import torch


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


class GameKinds(NamedTuple):
    """How the opponents of n games are drawn.

    Attributes:
        is_whole: (n,) whether there is one opponent on all sides but the learner's.
        is_lone: (n,) whether there is one opponent on one side, and learners on all others.
        lone_sides: (n,) where the lone opponent is, if there is one.
    """

    is_whole: NDArray[np.bool_]
    is_lone: NDArray[np.bool_]
    lone_sides: NDArray[np.int64]


class OpponentDraw:
    """Draws opponents by weight, from the key of the game and the side alone (``ursuppe_training.seating``).

    Args:
        weights: of the opponents; those of a kind of game that there is none of do not matter.
        whole_tables: the part of the games in which one draw is for all sides.
        lone_opponents: the part in which one opponent plays alone among learners.
        side_of: (P,) the side of each seat.
        learner: the number of the learning policy.

    Attributes:
        borders: (3, O) where the parts of [0, 1) end that belong to opponents, in the order of ``Weights``.
        shares: (2,) of the games that are whole tables, and these with those of lone opponents.
        side_of: (P,) as given.
        sides: how many there are.
        learner: as given.
    """

    def __init__(
        self,
        weights: Weights,
        whole_tables: float,
        lone_opponents: float,
        side_of: NDArray[np.int64],
        learner: int,
    ) -> None:
        self.borders = np.stack([_borders(part) for part in weights])
        self.shares = np.array([whole_tables, whole_tables + lone_opponents])
        self.side_of = np.array(side_of)
        self.sides = int(side_of.max()) + 1
        self.learner = learner

    def kinds(self, keys: NDArray[np.uint64]) -> GameKinds:
        """How the opponents of the games with these keys, (n,), are drawn."""
        n = len(keys)
        kinds = GameKinds(np.empty(n, np.bool_), np.empty(n, np.bool_), np.empty(n, np.int64))
        seating.find_kinds(keys, self.shares, self.sides, *kinds)
        return kinds

    def seats(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """(n, P) the number of the opponent in each seat of the games with these keys, (n,)."""
        seats = np.empty((len(keys), len(self.side_of)), np.int64)
        seating.draw_all_seats(keys, self.borders, self.shares, self.side_of, self.sides, self.learner, seats)
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


def _borders(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(O,) where the parts of [0, 1) end that belong to these weights; the last one is 1, if there are any."""
    sums = np.cumsum(weights)
    return sums / (sums[-1] or 1.0)
