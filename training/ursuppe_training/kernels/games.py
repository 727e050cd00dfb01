"""What happens to games while a policy learns, in compiled code: who acts, which decision follows which.

There are N games of P seats, O opponents, and M places of decisions in a buffer:

| | |
| --- | --- |
| ``states``, ``rules_array`` | (N,) the games and (R,) their rulesets |
| ``side_of``, ``sides`` | (P,) the side of each seat (``kernels.seating``), and how many there are |
| ``last``, ``before`` | (N, P) and (M,) int64 the place of each seat's last decision, and of the one before; or NONE |
| ``is_final``, ``finals`` | (M,) bool has a game ended after it, (M, P, 3) float32 with which outcome for that seat |
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.rules.nodes import FINISHED
from ursuppe_env.rules.state import rules_of
from ursuppe_training.kernels import compiled, seating
from ursuppe_training.kernels.outcome import write_outcomes

#: No decision.
NONE = -1

_NUM_KINDS = 3  # of what becomes of a seat


class Chains(NamedTuple):
    """Which decision of a seat follows which, and with which outcomes games ended; see the module."""

    last: NDArray[np.int64]
    before: NDArray[np.int64]
    is_final: NDArray[np.bool_]
    finals: NDArray[np.float32]


@compiled
def see_who_acts(states, borders, whole_tables, side_of, sides, learner, keys, seated, acting):
    """Draw the opponents of the games that have just begun, and see who is about to act.

    Args:
        states: see the module, as for ``side_of`` and ``sides``.
        borders: (O,) as for ``seating.draw_seats``.
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
            seating.draw_seats(key, borders, whole_tables, side_of, seated[row])
        player = int(states[row]["player"])
        learns = side_of[player] == seating.learners_side(key, sides)
        acting[row] = learner if learns else seated[row, player]


@compiled
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


@compiled
def end_games(states, rules_array, side_of, sides, score, last, is_final, finals, outcomes, finished):
    """Note what became of each seat of the games that are over.

    Args:
        states: see the module, as for all that are not named here; ``is_final`` and ``finals`` are written.
        score: which place of a team counts, as in ``kernels.outcome``.
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


@compiled
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
