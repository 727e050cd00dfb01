"""Phase 1a: drift, move or hold, where to, with whom and with what, and once more with Speed or Endurance.

``soup`` (2, 19) has what it is worth to stand in each space: in row STANDING as it is, in row STEPPING if a free
active step is still to come.
"""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_agents.scripted.tactics.food import ENOUGH
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import NEXT_TO, NUM_SPACES
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import is_legal
from ursuppe_env.rules.phases.displacement import asked_to_cling, on_their_way
from ursuppe_env.rules.phases.movement import step_cost
from ursuppe_env.rules.state import NOBODY, has

STANDING = 0
STEPPING = 1

_FREE_CHOICE = 5  # the faces of the die from 0: the four directions, stay, and this


@compiled
def _face_value(values, space, face):
    """What a face of the die is worth in this space, if ending in each space is worth these ``values`` (19,)."""
    if face < _FREE_CHOICE:
        return values[NEXT_TO[space, face]]
    best = values[NEXT_TO[space, 0]]
    for direction in range(1, 4):
        best = max(best, values[NEXT_TO[space, direction]])
    return best


@compiled
def step_value(game, player, values, space):
    """What an active step from this space is expected to be worth."""
    if has(game, player, Gene.MOVEMENT_2):
        return max(values[space], _face_value(values, space, _FREE_CHOICE))
    two_dice = has(game, player, Gene.MOVEMENT_1)
    total = 0.0
    for face in range(6):
        value = _face_value(values, space, face)
        if two_dice:
            for other in range(6):
                total += max(value, _face_value(values, space, other)) / 6
        else:
            total += value
    return total / 6


@compiled
def map_steps(game, player, soup):
    """Write row STEPPING of the soup, where the player may step a second time; else it is as row STANDING."""
    may_step_again = has(game, player, Gene.SPEED) or has(game, player, Gene.ENDURANCE)
    for space in range(NUM_SPACES):
        soup[STEPPING, space] = soup[STANDING, space]
        if may_step_again:
            soup[STEPPING, space] = max(soup[STANDING, space], step_value(game, player, soup[STANDING], space))


@compiled
def decide_move(game, rules, strategy, soup):
    """Drift, unless a step that has to be paid for, or staying, promises more."""
    player = np.int64(game["player"])
    space = np.int64(game["amoeba_space"][player, game["amoeba"]])
    action = actions.DRIFT
    best = soup[STANDING, NEXT_TO[space, rules["card_direction"][game["card"]]]]
    if is_legal(game, actions.HOLD) and soup[STANDING, space] > best:
        action, best = actions.HOLD, soup[STANDING, space]
    if is_legal(game, actions.MOVE):
        cost = strategy["effort"] * step_cost(game, rules, player)
        if step_value(game, player, soup[STEPPING], space) - cost > best:
            action = actions.MOVE
    return action


@compiled
def decide_direction(game, soup):
    """The direction that promises most."""
    player = np.int64(game["mover"])
    space = np.int64(game["amoeba_space"][player, game["mover_amoeba"]])
    row = STEPPING if game["steps"] == 1 else STANDING
    action = actions.FIRST_DIRECTION
    best = -1.0
    for direction in range(5):
        value = soup[row, NEXT_TO[space, direction]]
        if is_legal(game, actions.FIRST_DIRECTION + direction) and value > best:
            action, best = actions.FIRST_DIRECTION + direction, value
    return action


@compiled
def decide_carry(game, rules):
    """Bring what is scarcest at the other end.

    Colours are taken in order, so the number of cubes to have of each is raised only when all colours have as many.
    Nothing goes into the unknown.
    """
    if game["direction"] == NOBODY:
        return actions.PASS
    player = np.int64(game["carrier"])
    space = np.int64(game["amoeba_space"][player, game["carrier_amoeba"]])
    end = NEXT_TO[space, game["direction"]]
    for wanted in range(1, ENOUGH + 1):
        for colour in range(rules["players"]):
            action = actions.first_carry(rules) + actions.seen_from(player, colour, rules)
            there = np.int64(game["food"][end, colour]) + on_their_way(game, rules, colour)  # at the end
            if colour != player and is_legal(game, action) and there < wanted:
                return action
    return actions.PASS


@compiled
def decide_cling(game, rules, soup):
    """Come along to where there is more to eat; not into the unknown (with ``early_clinging``)."""
    if game["direction"] == NOBODY:
        return actions.PASS
    player, amoeba = asked_to_cling(game, rules)
    space = np.int64(game["amoeba_space"][player, amoeba])
    end = NEXT_TO[space, game["direction"]]
    return actions.CLING if soup[STANDING, end] > soup[STANDING, space] else actions.PASS


@compiled
def decide_again(game, soup):
    """A second step if it promises more than staying here."""
    player = np.int64(game["mover"])
    space = np.int64(game["amoeba_space"][player, game["mover_amoeba"]])
    if step_value(game, player, soup[STANDING], space) > soup[STANDING, space]:
        return actions.AGAIN
    return actions.PASS
