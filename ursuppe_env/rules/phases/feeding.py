"""Phase 1b: meals and hunger (rules.md section 7); attacks are in ``combat.py``."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.meals import (
    MEAL_CUBES,
    NUM_PERMITTED,
    PERMITTED,
    WITH_FRUGALITY,
    WITH_PARASITISM,
    WITH_SUBSTITUTION,
)
from ursuppe_env.rules.nodes import Decision, Stage
from ursuppe_env.rules.phases.combat import begin_attack
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import ask, has, owns_amoeba_in, place_cubes, seat_after


@compiled
def is_in_space(game, rules, player, space, meal):
    """Are the cubes of this meal, seen from the player, in the space?"""
    players = rules["players"]
    for seat in range(1, players):
        if game["food"][space, seat_after(player, seat, players)] < MEAL_CUBES[players - 3, meal, seat]:
            return False
    return True


@compiled
def can_eat(game, rules, player, space, used):
    """Is a meal that these genes permit in the space?"""
    table = rules["players"] - 3
    for number in range(NUM_PERMITTED[table, rules["even_substitution"], used]):
        meal = PERMITTED[table, rules["even_substitution"], used, number]
        if is_in_space(game, rules, player, space, meal):
            return True
    return False


@compiled
def genes_for_meals(game, player):
    """What the player may use without a host: Substitution, Frugality."""
    used = 0
    if has(game, player, Gene.SUBSTITUTION):
        used |= WITH_SUBSTITUTION
    if has(game, player, Gene.FRUGALITY):
        used |= WITH_FRUGALITY
    return used


@compiled
def legal_feedings(game, rules):
    """If the basic meal is in the space the amoeba must eat [R8]; if not, eat with genes, attack or starve."""
    player = int(game["player"])
    space = int(game["amoeba_space"][player, game["amoeba"]])
    is_hungry = not can_eat(game, rules, player, space, 0)  # the basic meal (rules.md section 5)
    if not game["lost_fight"]:
        _legal_ways_to_eat(game, rules, player, space, is_hungry)
    if is_hungry and may_attack(game, rules, player):
        _legal_targets(game, rules, player, space)
    if is_hungry or game["lost_fight"]:
        allow(game, actions.STARVE)


@compiled
def _legal_ways_to_eat(game, rules, player, space, is_hungry):
    """``eat`` means a meal without Parasitism, ``tap j`` one with player j as host."""
    used = genes_for_meals(game, player)
    if not is_hungry or (used and can_eat(game, rules, player, space, used)):
        allow(game, actions.EAT)
    if has(game, player, Gene.PARASITISM) and can_eat(game, rules, player, space, used | WITH_PARASITISM):
        for seat in range(1, rules["players"]):
            host = seat_after(player, seat, rules["players"])
            if game["bp"][host] >= rules["tap_cost"] and owns_amoeba_in(game, rules, host, space):
                allow(game, actions.first_tap(rules) + seat)


@compiled
def may_attack(game, rules, player):
    """One attempt an amoeba and round; with Endurance, after a failed one, a second one, free of BP [R9]."""
    if not (has(game, player, Gene.STRUGGLE_FOR_SURVIVAL) or has(game, player, Gene.AGGRESSION)):
        return False
    if game["attempts"] == 0:
        return game["bp"][player] >= rules["attack_cost"]
    return game["attempts"] == 1 and has(game, player, Gene.ENDURANCE)


@compiled
def _legal_targets(game, rules, player, space):
    """Any other amoeba in the space, own ones included, but none whose owner has Armour [R14]."""
    for seat in range(rules["players"]):
        victim = seat_after(player, seat, rules["players"])
        if has(game, victim, Gene.ARMOUR):
            continue
        for amoeba in range(rules["amoebas"]):
            is_itself = seat == 0 and amoeba == game["amoeba"]
            if game["amoeba_space"][victim, amoeba] == space and not is_itself:
                allow(game, actions.first_attack(rules) + seat * MAX_AMOEBAS + amoeba)


@compiled
def choose_feeding(game, rules, action):
    """``eat``, ``tap j``, ``attack j.n`` or ``starve``."""
    player = int(game["player"])
    if action == actions.EAT:
        ask(game, Decision.MEAL, player)
    elif action == actions.STARVE:
        game["damage"][player, game["amoeba"]] += 1
        game["node"] = Stage.NEXT_AMOEBA
    elif action >= actions.first_attack(rules):
        begin_attack(game, rules, game["amoeba"], action)
    else:
        host = (player + action - actions.first_tap(rules)) % rules["players"]
        game["bp"][host] -= rules["tap_cost"]
        game["tapped"] = 1
        ask(game, Decision.MEAL, player)


@compiled
def legal_meals(game, rules):
    """All permitted meals that are in the space; after ``tap`` with one cube less."""
    player = int(game["player"])
    space = int(game["amoeba_space"][player, game["amoeba"]])
    used = genes_for_meals(game, player)
    if game["tapped"]:
        used |= WITH_PARASITISM
    table = rules["players"] - 3
    for number in range(NUM_PERMITTED[table, rules["even_substitution"], used]):
        meal = PERMITTED[table, rules["even_substitution"], used, number]
        if is_in_space(game, rules, player, space, meal):
            allow(game, actions.first_meal(rules) + meal)


@compiled
def eat_meal(game, rules, action):
    """The cubes go to the reserve, then cubes of the own colour are placed."""
    player = int(game["player"])
    players = rules["players"]
    space = int(game["amoeba_space"][player, game["amoeba"]])
    meal = action - actions.first_meal(rules)
    for seat in range(1, players):
        cubes = MEAL_CUBES[players - 3, meal, seat]
        colour = seat_after(player, seat, players)
        game["food"][space, colour] -= cubes
        game["reserve"][colour] += cubes
    place_cubes(game, space, player, rules["excretion"])
    game["tapped"] = 0
    game["node"] = Stage.NEXT_AMOEBA
