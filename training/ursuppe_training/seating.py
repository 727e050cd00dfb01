"""Who plays in a game, drawn from its key alone, in compiled code: one game at a time, on processor and GPU.

A *side* is a team where there are teams, and else a seat: whoever is drawn for a side plays all its seats.
"""

import numpy as np

from ursuppe_training.compilation import compiled

_SIDES = np.uint64(0xD1B54A32D192ED03)  # tells the sides' draws apart; odd
_LEARNERS_SIDE = 7  # in place of a side: which one the learner has
_WHOLE_TABLE = 14  # in place of a side: who plays all of them
_KIND = 15  # in place of a side: is there one draw for all of them, one for a single one, or one for each?
_IS_UNTOLD = 16  # in place of a side: is the critic told nothing of who plays?
_LONE = 17  # in place of a side: who plays alone among learners
_LONE_SIDE = 18  # in place of a side: where
_UNTOLD = 0.5  # of the games

_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)

#: Places in the (2,) shares of the games: those with one draw for all sides, and these with the lone opponents' games.
WHOLE, EITHER = 0, 1


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
def is_untold(key):
    """Is the critic told nothing of who plays in the game with this key?"""
    return uniform(key, _IS_UNTOLD) < _UNTOLD


@compiled
def is_whole(key, shares):
    """Has the game with this key one opponent on all sides but the learner's?"""
    return uniform(key, _KIND) < shares[WHOLE]


@compiled
def is_lone(key, shares):
    """Has the game with this key one opponent on one side, and learners on all others?"""
    drawn = uniform(key, _KIND)
    return shares[WHOLE] <= drawn < shares[EITHER]


@compiled
def lone_side(key, sides):
    """Where the lone opponent is, if there is one: any side but that which always learns."""
    behind = 1 + np.int64(uniform(key, _LONE_SIDE) * (sides - 1))
    return (learners_side(key, sides) + behind) % sides


@compiled
def draw_seats(key, borders, shares, side_of, sides, learner, seats):
    """Write the number of the opponent in each seat of the game with this key.

    Args:
        key: of the game.
        borders: (3, O) where the parts of [0, 1) end that belong to opponents: where each side is drawn for itself,
            where one draw is for all, and where one plays alone.
        shares: (2,) of the games.
        side_of: (P,) the side of each seat.
        sides: how many there are.
        learner: the number of the learning policy.
        seats: (P,) int64, written.
    """
    if is_whole(key, shares):
        number = _first_beyond(borders[1], uniform(key, _WHOLE_TABLE))
        for seat in range(len(seats)):
            seats[seat] = number
    elif is_lone(key, shares):
        number, where = _first_beyond(borders[2], uniform(key, _LONE)), lone_side(key, sides)
        for seat in range(len(seats)):
            seats[seat] = number if side_of[seat] == where else learner
    else:
        for seat in range(len(seats)):
            seats[seat] = _first_beyond(borders[0], uniform(key, side_of[seat]))


@compiled
def _first_beyond(borders, drawn):
    """The first opponent whose part of [0, 1) ends beyond what was drawn."""
    number = 0
    while number < len(borders) and borders[number] <= drawn:
        number += 1
    return number


# ---------------------------------------------------------------------- many games


@compiled
def draw_all_seats(keys, borders, shares, side_of, sides, learner, seats):
    """``draw_seats`` for (n,) keys; ``seats`` (n, P)."""
    for row in range(len(keys)):
        draw_seats(keys[row], borders, shares, side_of, sides, learner, seats[row])


@compiled
def find_learners_sides(keys, sides, found):
    """``learners_side`` of (n,) keys."""
    for row in range(len(keys)):
        found[row] = learners_side(keys[row], sides)


@compiled
def find_untold(keys, found):
    """``is_untold`` of (n,) keys."""
    for row in range(len(keys)):
        found[row] = is_untold(keys[row])


@compiled
def find_kinds(keys, shares, sides, whole, lone, lone_sides):
    """``is_whole``, ``is_lone`` and ``lone_side`` of (n,) keys."""
    for row in range(len(keys)):
        whole[row] = is_whole(keys[row], shares)
        lone[row] = is_lone(keys[row], shares)
        lone_sides[row] = lone_side(keys[row], sides)
