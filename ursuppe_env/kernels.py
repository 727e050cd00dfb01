"""The compiled loops over a batch of games; what they do to each one is in ``rules/game.py``.

Few entry points, because each that contains the rules takes long to compile. Each works on a slice of the batch,
so that threads can share one.
"""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.chance import start_streams
from ursuppe_env.rules.flow import is_stuck
from ursuppe_env.rules.game import accepts, perform, play_randomly, random_action
from ursuppe_env.rules.legal import write_mask
from ursuppe_env.rules.state import rules_of

ALL_ACCEPTED = -1
ALL_ROWS_EXIST = -1


@compiled.announced("the rules of the game", seconds=12)
def run(states, rules_array, task, values, stops):
    """Do the task in each game whose (n,) int64 value is not NO_ACTION; what ``perform`` returns takes its place.

    Returns whether a game is stuck (``is_stuck``).
    """
    some_stuck = False
    for row in range(len(states)):
        if values[row] != NO_ACTION:
            values[row] = perform(states[row], rules_of(states[row], rules_array), task, values[row], stops)
            some_stuck |= is_stuck(states[row])
    return some_stuck


@compiled
def first_refused(states, asked, actions):
    """The first asked row whose action ``step`` cannot take, or ALL_ACCEPTED."""
    for row in range(len(states)):
        if asked[row] and not accepts(states[row], actions[row]):
            return row
    return ALL_ACCEPTED


@compiled
def mark(rows, asked):
    """Set ``asked`` (N,) bool, False before, in these rows.

    Returns the first position in ``rows`` whose row does not exist or comes a second time, or ALL_ROWS_EXIST.
    """
    for position in range(len(rows)):
        row = rows[position]
        if row < 0 or row >= len(asked) or asked[row]:
            return position
        asked[row] = True
    return ALL_ROWS_EXIST


@compiled
def choose_random_actions(states, asked, actions):
    """A uniformly random legal action for each asked game; NO_ACTION without a decision and where none is asked for."""
    for row in range(len(states)):
        game = states[row]
        actions[row] = random_action(game) if asked[row] and game["num_legal"] > 0 else NO_ACTION


@compiled
def play(states, rules_array, most, restart, until, stops, made):
    """Random play (``play_randomly``) without leaving the compiled code.

    ``until`` (n,) int64; ``made`` (n,) int64 gets the numbers of decisions. Returns whether a game is stuck.
    """
    some_stuck = False
    for row in range(len(states)):
        rules = rules_of(states[row], rules_array)
        made[row] = play_randomly(states[row], rules, most, restart, until[row], stops)
        some_stuck |= is_stuck(states[row])
    return some_stuck


@compiled
def write_masks(states, masks):
    """The legal actions of each game as a row of 0 and 1."""
    for row in range(len(states)):
        write_mask(states[row], masks[row])


@compiled
def restart_streams(states):
    """Key the streams of each game anew by the seed, index and episode in its record."""
    for row in range(len(states)):
        start_streams(states[row])
