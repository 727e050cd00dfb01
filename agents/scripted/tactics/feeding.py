"""Phase 1b: eat, at whose cost, or attack; and which cubes."""

import numpy as np

from ursuppe_agents.scripted.tactics.combat import best_target
from ursuppe_agents.scripted.tactics.compilation import compiled
from ursuppe_agents.scripted.tactics.food import chance_of_kill
from ursuppe_env.rules import actions
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.meals import MEAL_CUBES
from ursuppe_env.rules.ruleset import MAX_AMOEBAS

_A_MEAL = 1.0


@compiled
def decide_feed(game, rules, strategy):
    """Attack if that is worth more than a meal; else at the leader's cost if somebody can be tapped; else eat."""
    meal = _best_meal(game, rules)
    target = best_target(game, rules)
    if target != actions.PASS:
        victim = (game["player"] + (target - actions.first_attack(rules)) // MAX_AMOEBAS) % rules["players"]
        value = strategy["hunt"] * chance_of_kill(game, rules, victim)
        if meal == actions.STARVE or value > _A_MEAL:
            return target
    return meal


@compiled
def _best_meal(game, rules):
    """``tap`` of the one furthest ahead, ``eat`` or ``starve``."""
    action = actions.EAT if is_legal(game, actions.EAT) else actions.STARVE
    furthest = -1
    for seat in range(1, rules["players"]):
        tap = actions.first_tap(rules) + seat
        marker = np.int64(game["marker"][(game["player"] + seat) % rules["players"]])
        if is_legal(game, tap) and marker > furthest:
            action, furthest = tap, marker
    return action


@compiled
def decide_meal(game, rules):
    """The fewest cubes, of the colours that there are most of in the space."""
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
