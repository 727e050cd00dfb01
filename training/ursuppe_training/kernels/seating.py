"""Who plays in a game, drawn from its key alone, in compiled code: one game at a time.

A *side* is a team where there are teams, and else a seat: whoever is drawn for a side plays all its seats.
"""

import numpy as np

from ursuppe_training.kernels import compiled

_SIDES = np.uint64(0xD1B54A32D192ED03)  # tells the sides' draws apart; odd
_LEARNERS_SIDE = 7  # in place of a side: which one the learner has
_WHOLE_TABLE = 14  # in place of a side: who plays all of them
_IS_WHOLE = 15  # in place of a side: is there one draw for all of them, or one for each?

_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)


@compiled
def uniform(key, salt):
    """A pseudo-random number in [0, 1), of key and salt: a hash (SplitMix64) of the key."""
    bits = np.uint64(key) + (np.uint64(salt) + np.uint64(1)) * _SIDES
    bits = (bits ^ (bits >> np.uint64(30))) * _MULTIPLIER_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MULTIPLIER_2
    bits = bits ^ (bits >> np.uint64(31))
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@compiled
def learners_side(key, sides):
    """The side that always learns in the game with this key, of so many."""
    return np.int64(uniform(key, _LEARNERS_SIDE) * sides)


@compiled
def draw_seats(key, borders, whole_tables, side_of, seats):
    """Write the number of the opponent in each seat of the game with this key.

    Args:
        key: of the game.
        borders: (O,) where the parts of [0, 1) end that belong to opponents.
        whole_tables: the part of the games in which one draw is for all sides but the learner's.
        side_of: (P,) the side of each seat.
        seats: (P,) int64, written.
    """
    if uniform(key, _IS_WHOLE) < whole_tables:
        number = _first_beyond(borders, uniform(key, _WHOLE_TABLE))
        for seat in range(len(seats)):
            seats[seat] = number
    else:
        for seat in range(len(seats)):
            seats[seat] = _first_beyond(borders, uniform(key, side_of[seat]))


@compiled
def _first_beyond(borders, drawn):
    """The first opponent whose part of [0, 1) ends beyond what was drawn."""
    number = 0
    while number < len(borders) and borders[number] <= drawn:
        number += 1
    return number
