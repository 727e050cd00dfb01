"""What a step does to one game while a policy learns, on processor and GPU alike.

Each *body* is given a row, and the arrays of the batch. A GPU has a thread for each row (``ursuppe_env.cuda``); the
processor a compiled loop (``LOOPS``). There are N games of P seats, O opponents, and M places of decisions in a buffer:

| | |
| --- | --- |
| ``states``, ``rules_array`` | (N,) the games and (R,) their rulesets |
| ``borders``, ``whole_tables``, ``side_of``, ``sides`` | by which seats are drawn (``seating.draw_seats``) |
| ``learner``, ``roles`` | the number of the learning policy, and (O, NUM_ROLES) what is known of all opponents |
| ``keys``, ``seated`` | (N,) uint64 of the games that ``seated`` is of, (N, P) int64 the opponent in each seat |
| ``counts`` | (2,) int64 of the buffer: once it is full, all games stand still |
| ``last``, ``before`` | (N, P) and (M,) int64 the place of each seat's last decision, and of the one before; or NONE |
| ``is_final``, ``finals`` | (M,) bool has a game ended after it, (M, P, 3) float32 with which outcome for that seat |
"""

import numpy as np

from ursuppe_env.rules.nodes import FINISHED
from ursuppe_env.rules.state import rules_of
from ursuppe_training.compilation import compiled
from ursuppe_training.kernels import seating
from ursuppe_training.kernels.outcome import winning_side, write_outcomes

#: Nobody: no player, no network, no agent; or no decision.
NONE = -1

#: What is known of each opponent, by its number: which of the networks it is, which of the scripted agents, is it one
#: that needs the processor, is it a teacher, and by which number the critic knows it.
NETWORK, SCRIPT, ON_PROCESSOR, TEACHES, NAME = range(5)
NUM_ROLES = 5

#: In ``counts`` of a buffer: decisions so far, and as many as there are to be.
USED, FULL = 0, 1

#: What is counted of opponents: games at whole tables, and those that the learner has won.
TABLES, TABLES_WON = range(2)
NUM_COUNTS = 2

_NUM_KINDS = 3  # of what becomes of a seat


def see_who_acts(
    row,
    states,
    counts,
    borders,
    whole_tables,
    side_of,
    sides,
    learner,
    roles,
    keys,
    seated,
    acting,
    networks,
    scripts,
    goes_on,
    learns,
    teaches,
    who_plays,
):
    """Draw the opponents of a game that has just begun, and see who is about to act in this row.

    Written, beside ``keys`` and ``seated``:
        acting: (N,) int64 the number of who acts, NONE where the game stands still.
        networks: (N,) int64 which network acts, or NONE.
        scripts: (N, P) int64 which scripted agent acts, in the place of the seat, or NONE.
        goes_on: (N,) bool.
        learns: (N,) bool, is it the learning policy?
        teaches: (N,) bool, is it a teacher?
        who_plays: (N, P) int64 what the critic is told.
    """
    key = states[row]["key"]
    if key != keys[row]:
        keys[row] = key
        seating.draw_seats(key, borders, whole_tables[0], side_of, seated[row])
    player = int(states[row]["player"])
    players = len(side_of)
    learners_side = seating.learners_side(key, sides)
    is_untold = seating.is_untold(key)
    for behind in range(players):
        seat = (player + behind) % players
        number = learner if side_of[seat] == learners_side else seated[row, seat]
        who_plays[row, behind] = 0 if is_untold else roles[number, NAME]
    acts = learner if side_of[player] == learners_side else seated[row, player]
    is_open = counts[USED] < counts[FULL]
    goes_on[row] = is_open
    acting[row] = acts if is_open else NONE
    networks[row] = roles[acts, NETWORK] if is_open else NONE
    scripts[row, player] = roles[acts, SCRIPT] if is_open else NONE
    learns[row] = is_open and acts == learner
    teaches[row] = is_open and roles[acts, TEACHES] != 0


def note_decision(row, games, places, seats, last, before, is_final):
    """Let the decision in this row follow the one before of the same seat.

    Args:
        games: (m,) int64 in which game it was made.
        places: (m,) int64 in the buffer; NONE where none is noted.
        seats: (m,) int8 who decided.
    """
    place = places[row]
    if place != NONE:
        game, seat = games[row], seats[row]
        before[place] = last[game, seat]
        is_final[place] = False
        last[game, seat] = place


def end_game(
    row,
    states,
    rules_array,
    whole_tables,
    side_of,
    sides,
    score,
    learner,
    seated,
    last,
    is_final,
    finals,
    outcomes,
    num_opponents,
    counted,
    finished,
):
    """If the game in this row is over, note what became of each seat, and who has won.

    Args:
        score: which place of a team counts, as in ``kernels.outcome``.
        outcomes: (N, P, 3) float32 of all seats, to work in.
        num_opponents: O.
        counted: (N, NUM_COUNTS) int64, written: what is counted as one more, as places in an array of NUM_COUNTS
            times O numbers, or the one behind it.
        finished: (N,) bool, written.
    """
    game = states[row]
    finished[row] = game["node"] == FINISHED
    nothing = NUM_COUNTS * num_opponents
    for what in range(NUM_COUNTS):
        counted[row, what] = nothing
    if not finished[row]:
        return
    write_outcomes(game, rules_of(game, rules_array), side_of, sides, score, outcomes[row])
    players = len(side_of)
    for seat in range(players):
        place = last[row, seat]
        if place != NONE and not is_final[place]:
            is_final[place] = True
            for behind in range(players):
                for kind in range(_NUM_KINDS):
                    finals[place, behind, kind] = outcomes[row, (seat + behind) % players, kind]

    key, winner = game["key"], winning_side(game, side_of, sides, score)
    opponent = seated[row, 0]
    if seating.is_whole(key, whole_tables[0]) and opponent != learner:
        counted[row, TABLES] = TABLES * num_opponents + opponent
        if winner == seating.learners_side(key, sides):
            counted[row, TABLES_WON] = TABLES_WON * num_opponents + opponent


def compute_advantages(row, last, before, is_final, finals, values, gae_lambda, surplus, is_complete):
    """Generalised advantage estimation for one seat of one game, backwards through its decisions.

    Args:
        row: of game and seat together.
        values: (M, P, 3) float32 the outcomes that the critic predicts.
        gae_lambda: (1,) float32.
        surplus: (M, P, 3) float32 how much more than predicted, written.
        is_complete: (M,) bool, written: is it known what follows?
    """
    players = last.shape[1]
    place, after = last[row // players, row % players], NONE
    while place != NONE:
        ends = is_final[place]
        is_complete[place] = ends or after != NONE
        for seat in range(players):
            for kind in range(_NUM_KINDS):
                predicted = values[place, seat, kind]
                if ends:
                    surplus[place, seat, kind] = finals[place, seat, kind] - predicted
                elif after != NONE:
                    later = gae_lambda[0] * surplus[after, seat, kind]
                    surplus[place, seat, kind] = (values[after, seat, kind] - predicted) + later
                else:
                    surplus[place, seat, kind] = np.float32(0.0)
        after, place = place, before[place]


# ---------------------------------------------------------------------- on the processor

_see_who_acts, _note_decision = compiled(see_who_acts), compiled(note_decision)
_end_game, _compute_advantages = compiled(end_game), compiled(compute_advantages)


@compiled
def _see_who_acts_in_all(rows, *arguments):
    for row in range(rows):
        _see_who_acts(row, *arguments)


@compiled
def _note_decisions(rows, *arguments):
    for row in range(rows):
        _note_decision(row, *arguments)


@compiled
def _end_games(rows, *arguments):
    for row in range(rows):
        _end_game(row, *arguments)


@compiled
def _compute_all_advantages(rows, *arguments):
    for row in range(rows):
        _compute_advantages(row, *arguments)


#: A body, and what does it to so many rows.
LOOPS = {
    see_who_acts: _see_who_acts_in_all,
    note_decision: _note_decisions,
    end_game: _end_games,
    compute_advantages: _compute_all_advantages,
}
