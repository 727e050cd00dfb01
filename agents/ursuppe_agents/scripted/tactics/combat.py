"""Which amoeba to attack, in phases 1 and 5, and how to answer an attack."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_agents.scripted.tactics.food import chance_of_kill
from ursuppe_env.rules import actions
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import is_legal
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import has


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
