"""Phases 1b and 5: eat, and at whose cost; which cubes; which amoeba to attack, and how to answer an attack."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_agents.scripted.tactics.food import chance_of_kill
from ursuppe_env.rules import actions
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.meals import MEAL_CUBES
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import has


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


@compiled
def best_target(game, rules):
    """The attack that does the others most harm; ``pass`` if there is none. Never on oneself.

    The easiest prey first, then the player furthest ahead, then the amoeba with the least DP.
    """
    player = np.int64(game["player"])
    action = actions.PASS
    best = -1.0
    for seat in range(1, rules["players"]):
        victim = (player + seat) % rules["players"]
        value = 1000.0 * chance_of_kill(game, rules, victim) + np.int64(game["marker"][victim])
        if has(game, victim, Gene.ARMOUR):
            value = np.int64(game["marker"][victim]) / 1000
        for amoeba in range(rules["amoebas"]):
            attack = actions.first_attack(rules) + seat * MAX_AMOEBAS + amoeba
            worth = value - np.int64(game["damage"][victim, amoeba]) / 1000
            if is_legal(game, attack) and worth > best:
                action, best = attack, worth
    return action


@compiled
def decide_defend(game):
    """Escape is likelier to succeed than a fight, which comes second; both cost less than a new amoeba."""
    if is_legal(game, actions.ESCAPE):
        return actions.ESCAPE
    if is_legal(game, actions.DEFENSE):
        return actions.DEFENSE
    return actions.PASS
