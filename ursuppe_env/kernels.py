"""The compiled loops over a batch of games; ``games.py`` is their only caller.

Few entry points, because each that contains the rules takes long to compile. Each works on a slice of the batch,
so that threads can share one.
"""

import numpy as np

from ursuppe_env.rules.chance import CHOICE_STREAM, draw, draw_below, start_streams
from ursuppe_env.rules.compilation import compiled
from ursuppe_env.rules.flow import advance, apply, begin_game, is_stuck, resolve
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED

NO_ACTION = -1
ALL_LEGAL = -1
ALL_ROWS_EXIST = -1

# What ``run`` does with each game.
BEGIN = 0  # where the value is 1: start a new game
STEP = 1  # where the value is not -1: take the action
RESOLVE = 2  # where the value is not -1: let the chance event have it
DRAW = 3  # where the value is 1: draw the chance event, and write its number in place of the 1
RESUME = 4  # where the value is 1: go on after a pause


@compiled.announced("the rules of the game", seconds=15)
def run(states, rules_array, task, values, stops):
    """Do the task in each game and advance it to its next node; (n,) int64 values as above.

    Returns whether a game has come to stand where nothing can happen.
    """
    rules = rules_array[0]
    some_stuck = False
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
            if task == DRAW:
                values[row] = draw(game, rules)
                resolve(game, rules, values[row])
        advance(game, rules, stops)
        some_stuck |= is_stuck(game)
    return some_stuck


@compiled
def first_illegal(states, asked, actions):
    """The first asked row whose action is not legal (of a game without a decision: not -1), or ALL_LEGAL."""
    for row in range(len(states)):
        if not asked[row]:
            continue
        game = states[row]
        if game["num_legal"] == 0:
            if actions[row] != NO_ACTION:
                return row
        elif not is_legal(game, actions[row]):
            return row
    return ALL_LEGAL


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
def choose_randomly(states, asked, actions):
    """A uniformly random legal action for each asked game, drawn from its own stream of choices.

    -1 for games without a decision and those not asked.
    """
    for row in range(len(states)):
        game = states[row]
        if not asked[row] or game["num_legal"] == 0:
            actions[row] = NO_ACTION
        else:
            actions[row] = legal_action(game, draw_below(game, CHOICE_STREAM, game["num_legal"]))


@compiled.announced("random play", seconds=2)
def play(states, rules_array, most, restart, made):
    """Random play without leaving the compiled code: at most ``most`` decisions a game; ``made`` counts them.

    Returns whether a game stands where nothing can happen.
    """
    rules = rules_array[0]
    some_stuck = False
    for row in range(len(states)):
        game = states[row]
        count = 0
        while count < most:
            if game["player"] < FINISHED:  # it waits for a chance event or pauses
                if game["player"] == CHANCE_PLAYER:
                    resolve(game, rules, draw(game, rules))
                advance(game, rules, 0)
            if game["player"] == FINISHED:
                if not restart or is_stuck(game):
                    break
                game["episode"] += 1
                begin_game(game, rules)
                advance(game, rules, 0)
            apply(game, rules, legal_action(game, draw_below(game, CHOICE_STREAM, game["num_legal"])))
            advance(game, rules, 0)
            count += 1
        made[row] = count
        some_stuck |= is_stuck(game)
    return some_stuck


@compiled
def write_mask(states, mask):
    """The legal actions of each game as a row of 0 and 1."""
    for row in range(len(states)):
        words = states[row]["legal"]
        for start in range(0, mask.shape[1], 32):
            word = words[start // 32]
            flags = mask[row, start : start + 32]
            for bit in range(len(flags)):
                flags[bit] = (word >> np.uint32(bit)) & np.uint32(1)


@compiled
def restart_streams(states):
    """Key the streams of each game anew by the seed, index and episode in its record."""
    for row in range(len(states)):
        start_streams(states[row])
