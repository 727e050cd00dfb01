"""What is done with one game from outside: begin it, take an action, settle a chance event, play on at random.

The loops over games are elsewhere (``kernels.py``); another one, such as one for GPUs, can call the same functions.
"""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.chance import CHOICE_STREAM, draw, draw_below, start_streams
from ursuppe_env.rules.flow import advance, apply, is_stuck, resolve
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED
from ursuppe_env.rules.phases.setup import set_up

# What ``perform`` does; its value is
BEGIN = 0  # any: a new game with the seed, index and episode in the record begins
STEP = 1  # a legal action
RESOLVE = 2  # the number of the chance event's value (``chance.outcomes``)
DRAW = 3  # any; what is drawn takes its place
RESUME = 4  # any: the game goes on after a pause


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
