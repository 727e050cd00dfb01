"""What happens to games while a policy learns, in compiled code: who acts, which decision follows which, how games end.

A *side* is a team where there are teams, and else a seat: whoever is drawn for a side plays all its seats. Who plays in
a game is drawn from its key alone. What becomes of a seat means what ``networks.critic`` says.

There are N games of P seats, O opponents, and M places of decisions in a buffer:

| | |
| --- | --- |
| ``states``, ``rules_array`` | (N,) the games and (R,) their rulesets |
| ``side_of``, ``sides`` | (P,) the side of each seat, and how many there are |
| ``last``, ``before`` | (N, P) and (M,) int64 the place of each seat's last decision, and of the one before; or NONE |
| ``is_final``, ``finals`` | (M,) bool has a game ended after it, (M, P, 3) float32 with which outcome for that seat |
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.compilation.compiler import compiler_for
from ursuppe_env.rules.nodes import FINISHED
from ursuppe_env.rules.state import rules_of

_compiled = compiler_for("training", [Path(__file__).resolve()])

#: No decision.
NONE = -1

_SIDES = np.uint64(0xD1B54A32D192ED03)  # tells the sides' draws apart; odd
_LEARNERS_SIDE = 7  # in place of a side: which one the learner has
_WHOLE_TABLE = 14  # in place of a side: who plays all of them
_IS_WHOLE = 15  # in place of a side: is there one draw for all of them, or one for each?

_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)

#: Which place of a side counts (``ursuppe_env.teams``): of its worst or best marker, or the sum of all.
WORST, BEST, SUM = range(3)

_FURTHER = 2**20  # than any marker stands: a place more counts for more than any best marker
_WIN, _RANK, _MARGIN = range(3)  # the kinds of what becomes of a seat
_NUM_KINDS = 3


class Chains(NamedTuple):
    """Which decision of a seat follows which, and with which outcomes games ended; see the module."""

    last: NDArray[np.int64]
    before: NDArray[np.int64]
    is_final: NDArray[np.bool_]
    finals: NDArray[np.float32]


@_compiled
def uniform(key, salt):
    """A pseudo-random number in [0, 1), of key and salt: a hash (SplitMix64) of the key."""
    bits = np.uint64(key) + (np.uint64(salt) + np.uint64(1)) * _SIDES
    bits = (bits ^ (bits >> np.uint64(30))) * _MULTIPLIER_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MULTIPLIER_2
    bits = bits ^ (bits >> np.uint64(31))
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@_compiled
def learners_side(key, sides):
    """The side that always learns in the game with this key, of so many."""
    return np.int64(uniform(key, _LEARNERS_SIDE) * sides)


@_compiled
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


@_compiled
def _first_beyond(borders, drawn):
    """The first opponent whose part of [0, 1) ends beyond what was drawn."""
    number = 0
    while number < len(borders) and borders[number] <= drawn:
        number += 1
    return number


@_compiled
def see_who_acts(states, borders, whole_tables, side_of, sides, learner, keys, seated, acting):
    """Draw the opponents of the games that have just begun, and see who is about to act.

    Args:
        states: see the module, as for ``side_of`` and ``sides``.
        borders: (O,) as for ``draw_seats``.
        whole_tables: likewise.
        learner: the number of the learning policy among the opponents.
        keys: (N,) uint64 of the games that ``seated`` is of, written.
        seated: (N, P) int64 the opponent in each seat, written.
        acting: (N,) int64 the number of who acts, written.
    """
    for row in range(len(states)):
        key = states[row]["key"]
        if key != keys[row]:
            keys[row] = key
            draw_seats(key, borders, whole_tables, side_of, seated[row])
        player = int(states[row]["player"])
        learns = side_of[player] == learners_side(key, sides)
        acting[row] = learner if learns else seated[row, player]


@_compiled
def note_decisions(games, seats, first, last, before, is_final):
    """Let each of m decisions follow the one before of the same seat.

    Args:
        games: (m,) int64 in which game it was made; all are different.
        seats: (m,) int8 who decided.
        first: the place of the first one; the others follow it.
        last: see the module, as for the others; all are written.
    """
    for k in range(len(games)):
        place, game, seat = first + k, games[k], seats[k]
        before[place] = last[game, seat]
        is_final[place] = False
        last[game, seat] = place


@_compiled
def write_outcomes(game, rules, side_of, sides, score, outcomes):
    """Write what becomes of each seat.

    Args:
        game: that is over.
        rules: its ruleset's record.
        side_of: (P,) the side of each seat.
        sides: how many there are.
        score: which place of a side counts.
        outcomes: (P, 3) float32, written: the chance of winning, and the rewards ``rank`` and ``margin``.
    """
    total = 0.0
    for side in range(sides):
        total += _place(game, side, side_of, score)
    mean = total / sides
    players = len(side_of)
    for seat in range(players):
        side = side_of[seat]
        ahead = _num_ahead(game, side, side_of, sides, score)
        outcomes[seat, _WIN] = np.float32(sides / players) if ahead == 0 else np.float32(0.0)
        outcomes[seat, _RANK] = np.float32(1 - 2 * ahead / (sides - 1))
        outcomes[seat, _MARGIN] = np.float32((_place(game, side, side_of, score) - mean) / rules["end_zone"])


@_compiled
def _num_ahead(game, side, side_of, sides, score):
    """How many sides are in front of this one."""
    own = _place(game, side, side_of, score) * _FURTHER + _place(game, side, side_of, BEST)
    ahead = 0
    for other in range(sides):
        if _place(game, other, side_of, score) * _FURTHER + _place(game, other, side_of, BEST) > own:
            ahead += 1
    return ahead


@_compiled
def _place(game, side, side_of, score):
    """The place of a side on the track."""
    found, worst, best = 0, _FURTHER, 0
    for seat in range(len(side_of)):
        if side_of[seat] == side:
            marker = int(game["marker"][seat])
            found += marker
            worst = min(worst, marker)
            best = max(best, marker)
    if score == SUM:
        return found
    return best if score == BEST else worst


@_compiled
def end_games(states, rules_array, side_of, sides, score, last, is_final, finals, outcomes, finished):
    """Note what became of each seat of the games that are over.

    Args:
        states: see the module, as for all that are not named here; ``is_final`` and ``finals`` are written.
        score: which place of a team counts, ``WORST``, ``BEST`` or ``SUM``.
        outcomes: (P, 3) float32 of all seats, to work in.
        finished: (N,) bool, written.
    """
    players = len(side_of)
    for row in range(len(states)):
        game = states[row]
        finished[row] = game["node"] == FINISHED
        if not finished[row]:
            continue
        write_outcomes(game, rules_of(game, rules_array), side_of, sides, score, outcomes)
        for seat in range(players):
            place = last[row, seat]
            if place != NONE and not is_final[place]:
                is_final[place] = True
                for behind in range(players):
                    for kind in range(_NUM_KINDS):
                        finals[place, behind, kind] = outcomes[(seat + behind) % players, kind]


@_compiled
def compute_advantages(last, before, is_final, finals, values, gae_lambda, surplus, is_complete):
    """Generalised advantage estimation for each seat of each game, backwards through its decisions.

    Args:
        last: see the module, as for the next three.
        values: (M, P, 3) float32 the outcomes that the critic predicts.
        gae_lambda: float32.
        surplus: (M, P, 3) float32 how much more than predicted, written.
        is_complete: (M,) bool, written: is it known what follows?
    """
    players = last.shape[1]
    for chain in range(last.size):
        place, after = last[chain // players, chain % players], NONE
        while place != NONE:
            ends = is_final[place]
            is_complete[place] = ends or after != NONE
            for seat in range(players):
                for kind in range(_NUM_KINDS):
                    predicted = values[place, seat, kind]
                    if ends:
                        surplus[place, seat, kind] = finals[place, seat, kind] - predicted
                    elif after != NONE:
                        later = gae_lambda * surplus[after, seat, kind]
                        surplus[place, seat, kind] = (values[after, seat, kind] - predicted) + later
                    else:
                        surplus[place, seat, kind] = np.float32(0.0)
            after, place = place, before[place]
