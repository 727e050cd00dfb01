"""The board: 19 spaces, the compass island and the four directions (rules.md section 2).

Inside the engine spaces are counted from 0; texts and records say ``space 1`` ... ``space 19``.
"""

from enum import IntEnum

import numpy as np


class Direction(IntEnum):
    """Compass directions; a die shows them as 1 ... 5."""

    WEST = 0
    NORTH = 1
    EAST = 2
    SOUTH = 3
    STAY = 4  # on an environment card: none


FREE_CHOICE = 6  # the face of the die that lets its roller choose a direction
DIRECTION_NAMES = ("west", "north", "east", "south", "stay")
CARD_DIRECTIONS = (*DIRECTION_NAMES[:4], "none")

#: The map as rules.md draws it: space numbers by row and column, 0 where there is none (the island is at 2, 2).
MAP = np.array(
    [
        [0, 1, 0, 0, 0],
        [2, 3, 4, 5, 6],
        [7, 8, 0, 9, 10],
        [11, 12, 13, 14, 15],
        [16, 17, 18, 19, 0],
    ]
)
ISLAND = (2, 2)  # row, column
NUM_SPACES = 19
OFF_BOARD = -1
OBSTACLE = -1

#: Row and column of each space, (19,) int8 each.
ROW, COLUMN = (axis.astype(np.int8) for axis in np.nonzero(MAP))


#: (19, 4) int8: the space next to each space in each direction; board edge, missing cells and island are OBSTACLE.
NEIGHBOUR = np.empty((NUM_SPACES, 4), np.int8)
for _direction, (_down, _right) in enumerate(((0, -1), (-1, 0), (0, 1), (1, 0))):
    NEIGHBOUR[:, _direction] = np.pad(MAP, 1)[ROW + 1 + _down, COLUMN + 1 + _right] - 1  # OBSTACLE where it is 0

#: (20, 5) int64: where a step from each space in each direction ends; an obstacle keeps in place. The last: NOWHERE.
NOWHERE = NUM_SPACES
NEXT_TO = np.repeat(np.arange(NUM_SPACES + 1)[:, None], len(Direction), axis=1)
np.copyto(NEXT_TO[:NUM_SPACES, : Direction.STAY], NEIGHBOUR, where=NEIGHBOUR != OBSTACLE)

#: (19,) int64: the spaces next to each space, a bit each.
BESIDE = np.array([sum(1 << int(other) for other in row if other != OBSTACLE) for row in NEIGHBOUR])
