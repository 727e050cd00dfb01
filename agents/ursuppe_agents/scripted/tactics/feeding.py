"""Phase 1b: eat, and at whose cost, or attack; and which cubes."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_agents.scripted.tactics.combat import best_target
from ursuppe_env.rules import actions
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.meals import MEAL_CUBES


@compiled
def decide_feed(game, rules):
    """``tap`` the one furthest ahead, else ``eat``; without a meal, attack if possible, else starve."""
    action = actions.EAT if is_legal(game, actions.EAT) else actions.STARVE
    furthest = -1
    for seat in range(1, rules["players"]):
        tap = actions.first_tap(rules) + seat
        marker = np.int64(game["marker"][(game["player"] + seat) % rules["players"]])
        if is_legal(game, tap) and marker > furthest:
            action, furthest = tap, marker
    if action == actions.STARVE:
        target = best_target(game, rules)
        if target != actions.PASS:
            return target
    return action


@compiled
def decide_meal(game, rules):
    """Of the colours that there are most of in the space, and as few cubes as possible."""
    player = np.int64(game["player"])
    players = rules["players"]
    space = game["amoeba_space"][player, game["amoeba"]]
    action = legal_action(game, 0)
    least = 1e9
    for number in range(game["num_legal"]):
        meal = legal_action(game, number) - actions.first_meal(rules)
        loss = 0.0
        for seat in range(1, players):
            cubes = np.int64(MEAL_CUBES[players - 3, meal, seat])
            if cubes > 0:
                loss += cubes / np.int64(game["food"][space, (player + seat) % players])
        if loss < least:
            action, least = meal + actions.first_meal(rules), loss
    return action
