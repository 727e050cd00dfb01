"""Features of the board around a player's own amoebas, in compiled code.

An observation has the board space by space, and the amoebas by row and column: a network would have to learn for each
space on its own that food lies where an amoeba is, and again that one of three colours is missing. Here it is looked
up: how many other colours lie on each space; and all that is on the spaces where each own amoeba is, where the current
will take it, and around the amoeba that acts.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies import compiled
from ursuppe_env.observation import observation_layout
from ursuppe_env.rules.board import COLUMN, NEIGHBOUR, NUM_SPACES, OBSTACLE, ROW, Direction
from ursuppe_env.rules.ruleset import MAX_AMOEBAS

_ROWS = 6  # of the table of spaces, as columns; 0 is off the board
_NOWHERE = NUM_SPACES  # a space after all others, on which nothing lies
_STAY = int(Direction.STAY)
_NUM_DIRECTIONS = len(Direction)
NUM_VIEWED = 2 * MAX_AMOEBAS + _NUM_DIRECTIONS  # spaces

#: The parts of an observation that are read, in the order in which the kernel takes where they begin.
_PARTS = ("food", "amoebas", "row", "column", "card_direction", "turn", "acting_amoeba")


def num_board_features(players: int) -> int:
    """How many numbers there are."""
    return NUM_SPACES + NUM_VIEWED * (2 * players + 1)


def write_features(inputs: NDArray[np.float32], size: int, players: int) -> None:
    """Write behind observations what they say of the board: 19 parts of the other colours that lie on each space, then
    (2P + 1, 19) what is on the viewed ones: food and amoebas of each colour, and the other colours.

    Args:
        inputs: (n, at least size + num_board_features) float32, of which the observations are there.
        size: of an observation.
        players: P.
    """
    fill_board_features(inputs, size, players, part_starts(players), SPACE_AT, NEXT_TO, np.empty(NUM_VIEWED, np.int64))


def part_starts(players: int) -> NDArray[np.int64]:
    """(7,) where the parts of an observation begin that are read."""
    layout = observation_layout(players)
    return np.array([layout[name].start for name in _PARTS])


@compiled
def fill_board_features(inputs, size, players, starts, space_at, next_to, viewed):
    """Write the features behind observations.

    Args:
        inputs: as for ``write_features``.
        size: of an observation.
        players: P.
        starts: (7,) where the parts that are read begin.
        space_at: (36,) the space in each row and column.
        next_to: (20, 5) where a step from each space ends.
        viewed: (19,) int64 to work in.
    """
    food, amoebas, rows, columns, card_direction, turn, acting_amoeba = starts
    for place in range(len(inputs)):
        seen = inputs[place]
        current = _STAY  # there may be no card yet
        for direction in range(_NUM_DIRECTIONS):
            if seen[card_direction + direction] > 0:
                current = direction
                break
        for amoeba in range(MAX_AMOEBAS):
            here = _space_of(seen, rows, columns, amoeba, space_at)
            viewed[amoeba] = here
            viewed[MAX_AMOEBAS + amoeba] = next_to[here, current]
        acts_at = _NOWHERE
        for player in range(players):
            for amoeba in range(MAX_AMOEBAS):
                if seen[turn + player] > 0 and seen[acting_amoeba + amoeba] > 0:
                    acts_at = _space_of(seen, rows, columns, player * MAX_AMOEBAS + amoeba, space_at)
        for direction in range(_NUM_DIRECTIONS):
            viewed[2 * MAX_AMOEBAS + direction] = next_to[acts_at, direction]

        for space in range(NUM_SPACES):
            others = 0
            for player in range(1, players):
                others += seen[food + player * NUM_SPACES + space] > 0
            seen[size + space] = np.float32(others) / np.float32(players - 1)
        to = size + NUM_SPACES
        for plane in range(2 * players + 1):
            start = size
            if plane < players:
                start = food + plane * NUM_SPACES
            elif plane < 2 * players:
                start = amoebas + (plane - players) * NUM_SPACES
            for k in range(NUM_VIEWED):
                space = viewed[k]
                seen[to] = np.float32(0.0) if space == _NOWHERE else seen[start + space]
                to += 1


@compiled
def _space_of(seen, rows, columns, amoeba, space_at):
    """Where an amoeba is, by its number among all players'; rows and columns are parts of the largest one."""
    row, column = seen[rows + amoeba], seen[columns + amoeba]
    return space_at[int((row * _ROWS + column) * (_ROWS - 1) + 0.5)]  # the nearest one


def _space_at_all() -> NDArray[np.int64]:
    """(36,) the space in each row and column, counted from 1."""
    table = np.full(_ROWS * _ROWS, _NOWHERE, np.int64)
    table[(ROW + 1).astype(np.int64) * _ROWS + COLUMN + 1] = np.arange(NUM_SPACES)
    return table


def _next_to_all() -> NDArray[np.int64]:
    """(20, 5) where a step from each space in each direction ends: obstacles keep an amoeba in place."""
    table = np.full((NUM_SPACES + 1, _NUM_DIRECTIONS), _NOWHERE, np.int64)
    here = np.arange(NUM_SPACES)
    table[:NUM_SPACES, :_STAY] = np.where(NEIGHBOUR == OBSTACLE, here[:, None], NEIGHBOUR)
    table[:NUM_SPACES, _STAY] = here
    return table


SPACE_AT, NEXT_TO = _space_at_all(), _next_to_all()
