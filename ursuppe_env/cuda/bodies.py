"""What one thread of a GPU does: each body is given a row, and the arrays of the batch.

It hands its row to the loops of ``rules/kernels.py`` and ``observation/`` as a slice of one, so that the same code runs
on processor and GPU. All threads that write to ``faults`` write the same, so that they need not wait for each other.
"""

from ursuppe_env.observation.encoding import encode_games
from ursuppe_env.rules import kernels
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.flow import is_stuck
from ursuppe_env.rules.kernels import play_randomly
from ursuppe_env.rules.nodes import FINISHED
from ursuppe_env.rules.state import rules_of

#: Places in ``faults`` (2,) int32, and what stands there if something is wrong.
REFUSED = 0  # an action that ``step`` cannot take: nothing changes in any game until the processor has heard of it
STUCK = 1  # a game that stands still though it is not finished
NUM_FAULTS = 2
YES = 1

#: What ``key_episode`` can be given, as bits.
SEED = 1
INDEX = 2
RULESET = 4

_NO_STOPS = 0
_UNTIL_NOBODY = 0  # no player's decision ends random play
_NOBODY = -2  # as a seat: neither one that exists nor AT_ACTING_SEAT


def check_action(row, states, asked, actions, values, faults):
    """Before a step: may this row take its action, if it is asked? ``values`` gets a copy of it."""
    values[row] = actions[row] if asked[row] else NO_ACTION
    here = slice(row, row + 1)
    if kernels.first_refused(states[here], asked[here], values[here]) != kernels.NO_ROW:
        faults[REFUSED] = YES


def run(row, states, rules_array, task, values, faults):
    """Do the task with this row's value (``kernels.run``), unless an action has been refused."""
    here = slice(row, row + 1)
    if faults[REFUSED] != YES and kernels.run(states[here], rules_array, task, values[here], _NO_STOPS):
        faults[STUCK] = YES


def choose_random_action(row, states, asked, actions, faults):
    """A uniformly random legal action for this row, unless an action has been refused."""
    here = slice(row, row + 1)
    if faults[REFUSED] == YES:
        actions[row] = NO_ACTION
    else:
        kernels.choose_random_actions(states[here], asked[here], actions[here])


def play(row, states, rules_array, most, restart, made, faults):
    """Random play of this row, unless an action has been refused."""
    made[row] = 0
    if faults[REFUSED] != YES:
        rules = rules_of(states[row], rules_array)
        made[row] = play_randomly(states[row], rules, most, restart, _UNTIL_NOBODY, _NO_STOPS)
        if is_stuck(states[row]):
            faults[STUCK] = YES


def key_episode(row, states, asked, given, seeds, indices, rulesets, values, faults):
    """Before a game begins: its episode, and what is ``given`` of seed, index and ruleset.

    ``values`` (N,) gets what ``run`` is to be given: NO_ACTION for a row that goes on.
    """
    values[row] = NO_ACTION
    if asked[row] and faults[REFUSED] != YES:
        values[row] = 0
        game = states[row]
        if given & SEED:
            game["seed"] = seeds[0]
            game["episode"] = 0
        else:
            game["episode"] += 1
        if given & INDEX:
            game["index"] = indices[row]
        if given & RULESET:
            game["ruleset"] = rulesets[row]


def key_copy(row, states, seeds):
    """Give a copy streams of its own, which depend on the seed and its row."""
    game = states[row]
    game["seed"] = seeds[0]
    game["index"] = row
    game["episode"] = 0
    kernels.restart_streams(states[row : row + 1])


def gather(row, sources, rows, states):
    """Copy the game of this row from another batch."""
    states[row] = sources[rows[row]]


def write_mask(row, states, masks):
    """The legal actions of this row."""
    here = slice(row, row + 1)
    kernels.write_masks(states[here], masks[here])


def observe(row, states, rules_array, seats, rules_rows, has_masks, masks, out, seen, layout_array):
    """What is seen of this row, and its legal actions if it ``has_masks``."""
    here = slice(row, row + 1)
    shown = masks[row : row + has_masks]
    encode_games(states[here], rules_array, seats[here], rules_rows, shown, out[here], seen[here], layout_array)


def take_seat(row, given, players, seats):
    """Who sees this row, as it is given; nobody if there is no such seat."""
    seats[row] = given[row] if 0 <= given[row] < players else _NOBODY


def read_player(row, states, out):
    """Who decides."""
    out[row] = states[row]["player"]


def read_decision(row, states, out):
    """Which decision is asked; as ``player`` where none is."""
    player = states[row]["player"]
    out[row] = states[row]["node"] if player >= 0 else player


def read_finished(row, states, out):
    """Is the game over?"""
    out[row] = states[row]["node"] == FINISHED


def read_winner(row, states, out):
    """Who has won."""
    out[row] = states[row]["winner"]


def read_round(row, states, out):
    """The round."""
    out[row] = states[row]["round"]


def read_markers(row, states, out):
    """The places on the track."""
    for player in range(out.shape[1]):
        out[row, player] = states[row]["marker"][player]
