"""Games played from outside: begin one, take an action, settle a chance event, play on at random.

The loops over a batch come last. They are few, because each that contains the rules takes long to compile, and each
works on a slice of the batch, so that threads can share one. For a GPU, ``cuda/bodies.py`` calls the same functions.
"""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.chance import CHOICE_STREAM, draw, draw_below, start_streams
from ursuppe_env.rules.flow import advance, apply, is_stuck, resolve
from ursuppe_env.rules.legal import is_legal, legal_action, write_mask
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED
from ursuppe_env.rules.phases.setup import set_up
from ursuppe_env.rules.state import rules_of

# What ``perform`` does; its value is
BEGIN = 0  # any: a new game with the seed, index and episode in the record begins
STEP = 1  # a legal action
RESOLVE = 2  # the number of the chance event's value (``chance.outcomes``)
DRAW = 3  # any; what is drawn takes its place
RESUME = 4  # any: the game goes on after a pause

NO_ROW = -1


@compiled
def begin_game(game, rules):
    """A new game with the seed, index and episode in its record, at its first chance event."""
    start_streams(game)
    set_up(game, rules)


@compiled
def perform(game, rules, task, value, stops):
    """Do the task, go on to where somebody outside must answer (``advance``), and return the value."""
    if task == STEP:
        apply(game, rules, value)
    elif task == BEGIN:
        begin_game(game, rules)
    elif task == RESOLVE:
        resolve(game, rules, value)
    elif task == DRAW:
        value = draw(game, rules)
        resolve(game, rules, value)
    advance(game, rules, stops)
    return value


@compiled
def accepts(game, action):
    """May this be the action of a STEP? Where nobody decides, it must be NO_ACTION."""
    return action == NO_ACTION if game["num_legal"] == 0 else is_legal(game, action)


@compiled
def random_action(game):
    """One of the legal actions, uniformly, from the game's own stream of choices."""
    return legal_action(game, draw_below(game, CHOICE_STREAM, game["num_legal"]))


@compiled
def play_randomly(game, rules, most, restart, until, stops):
    """Play on with random actions, and return the number of decisions made.

    At most ``most`` of them; with ``restart`` a finished game is followed by its next episode. It ends where a player
    of ``until`` decides, which has a bit for each, and with ``stops`` where the game waits for chance or pauses.
    """
    count = 0
    while count < most:
        player = game["player"]
        if player >= 0:
            if until >> player & 1:
                break
            apply(game, rules, random_action(game))
            count += 1
        elif player == FINISHED:
            if not restart or is_stuck(game):
                break
            game["episode"] += 1
            begin_game(game, rules)
        elif stops:
            break
        elif player == CHANCE_PLAYER:
            resolve(game, rules, draw(game, rules))
        advance(game, rules, stops)  # the only call, whatever came before: so that it is inlined
    return count


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
    """The first asked row whose action ``step`` cannot take, or NO_ROW."""
    for row in range(len(states)):
        if asked[row] and not accepts(states[row], actions[row]):
            return row
    return NO_ROW


@compiled
def mark(rows, asked):
    """Set ``asked`` (N,) bool, False before, in these rows.

    Returns the first position in ``rows`` whose row does not exist or comes a second time, or NO_ROW.
    """
    for position in range(len(rows)):
        row = rows[position]
        if row < 0 or row >= len(asked) or asked[row]:
            return position
        asked[row] = True
    return NO_ROW


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
