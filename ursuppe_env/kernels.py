"""The compiled loops over a batch of games; ``games.py`` is their only caller.

Few entry points, because each that contains the rules takes long to compile. Each works on a slice of the batch,
so that threads can share one.
"""

from ursuppe_env.rules.chance import CHOICE_STREAM, draw, draw_below, start_streams
from ursuppe_env.rules.compilation import compiled
from ursuppe_env.rules.flow import advance, apply, begin_game, resolve
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED
from ursuppe_env.rules.state import NUM_LEGAL_WORDS

NO_ACTION = -1
ALL_LEGAL = -1

# What ``run`` does with each game.
BEGIN = 0  # where the value is 1: start a new game
STEP = 1  # take the action
RESOLVE = 2  # where the value is not -1: let the chance event have it
DRAW = 3  # where the value is 1: draw the chance event


@compiled
def run(states, rules_array, task, values, explicit_chance):
    """Do the task in each game and advance it to its next node; (n,) int64 values as above."""
    rules = rules_array[0]
    for row in range(len(states)):
        game = states[row]
        value = values[row]
        if task == STEP:
            if value == NO_ACTION:
                continue
            apply(game, rules, value)
        elif task == BEGIN:
            if value != 1:
                continue
            begin_game(game, rules)
        elif task == RESOLVE:
            if value == NO_ACTION:
                continue
            resolve(game, rules, value)
        else:
            if value != 1:
                continue
            resolve(game, rules, draw(game, rules))
        advance(game, rules, explicit_chance)


@compiled
def first_illegal(states, actions):
    """The first row whose action is not legal (of a game without a decision: not -1), or ALL_LEGAL."""
    for row in range(len(states)):
        game = states[row]
        if game["num_legal"] == 0:
            if actions[row] != NO_ACTION:
                return row
        elif not is_legal(game, actions[row]):
            return row
    return ALL_LEGAL


@compiled
def choose_randomly(states, actions):
    """A uniformly random legal action for each game, drawn from its own stream of choices; -1 without a decision."""
    for row in range(len(states)):
        game = states[row]
        if game["num_legal"] == 0:
            actions[row] = NO_ACTION
        else:
            actions[row] = legal_action(game, draw_below(game, CHOICE_STREAM, game["num_legal"]))


@compiled
def play(states, rules_array, most, restart, made):
    """Random play without leaving the compiled code: at most ``most`` decisions a game; ``made`` counts them."""
    rules = rules_array[0]
    for row in range(len(states)):
        game = states[row]
        count = 0
        while count < most:
            if game["player"] == CHANCE_PLAYER:
                resolve(game, rules, draw(game, rules))
                advance(game, rules, False)
            if game["player"] == FINISHED:
                if not restart:
                    break
                game["episode"] += 1
                begin_game(game, rules)
                advance(game, rules, False)
            apply(game, rules, legal_action(game, draw_below(game, CHOICE_STREAM, game["num_legal"])))
            advance(game, rules, False)
            count += 1
        made[row] = count


@compiled
def write_mask(states, mask):
    """The legal actions of each game as a row of 0 and 1."""
    for row in range(len(states)):
        game = states[row]
        for word in range(NUM_LEGAL_WORDS):
            bits = game["legal"][word]
            first = 32 * word
            for action in range(first, min(first + 32, mask.shape[1])):
                mask[row, action] = (bits >> (action - first)) & 1


@compiled
def restart_streams(states):
    """Key the streams of each game anew by the seed, index and episode in its record."""
    for row in range(len(states)):
        start_streams(states[row])
