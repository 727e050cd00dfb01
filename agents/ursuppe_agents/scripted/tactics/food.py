"""Where there is something to eat: cubes within reach, hosts and prey; and a map of it."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_env.rules.board import BESIDE, NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.meals import MEAL_CUBES, NUM_PERMITTED, PERMITTED, WITH_PARASITISM
from ursuppe_env.rules.phases.feeding import genes_for_meals
from ursuppe_env.rules.phases.movement import step_cost
from ursuppe_env.rules.state import has, owns_amoeba_in

ENOUGH = 3  # cubes of a colour in a space; what lies there beyond them is worth nothing more

_FUTURE = 0.1  # a full larder for later, in meals now
_OUT_OF_REACH = 100  # more cubes than any amoeba can carry
_FIGHT_LOST = 0.5
_ESCAPE_FAILS = 0.25  # one die brings most amoebas into another space


@compiled
def _num_missing(game, rules, player, meal, space, origin):
    """How many cubes of the meal have to be brought into the space from the origin, if they are there."""
    players = rules["players"]
    missing = 0
    for seat in range(1, players):
        colour = (player + seat) % players
        lacking = np.int64(MEAL_CUBES[players - 3, meal, seat]) - np.int64(game["food"][space, colour])
        if lacking > 0:
            if origin == OFF_BOARD or lacking > game["food"][origin, colour]:
                return _OUT_OF_REACH
            missing += lacking
    return missing


@compiled
def _has_host_in(game, rules, player, space):
    """Whether there is a host for a meal with Parasitism."""
    for other in range(rules["players"]):
        if other != player and game["bp"][other] >= rules["tap_cost"] and owns_amoeba_in(game, rules, other, space):
            return True
    return False


@compiled
def can_feed(game, rules, player, space, origin):
    """Could an amoeba of the player eat in this space?

    ``origin`` is where it comes from, for cubes that a Tentacle brings along; OFF_BOARD if it brings none.
    """
    used = genes_for_meals(game, player)
    if has(game, player, Gene.PARASITISM) and _has_host_in(game, rules, player, space):
        used |= WITH_PARASITISM
    carries = origin != OFF_BOARD and has(game, player, Gene.TENTACLE) and (BESIDE[space] >> origin) & 1 == 1
    most = rules["carry"] if carries else 0
    table = rules["players"] - 3
    for number in range(NUM_PERMITTED[table, rules["even_substitution"], used]):
        meal = PERMITTED[table, rules["even_substitution"], used, number]
        if _num_missing(game, rules, player, meal, space, origin if carries else OFF_BOARD) <= most:
            return True
    return False


@compiled
def larder(game, rules, player, space):
    """How full the space is of what the player eats, 0 ... 1."""
    cubes = 0
    for seat in range(1, rules["players"]):
        cubes += min(np.int64(game["food"][space, (player + seat) % rules["players"]]), ENOUGH)
    return cubes / (ENOUGH * (rules["players"] - 1))


@compiled
def chance_of_kill(game, rules, victim):
    """How likely an attack on an amoeba of this player succeeds, if they defend themselves in all ways they have."""
    chance = 1.0
    if has(game, victim, Gene.DEFENSE) and game["bp"][victim] >= rules["defense_cost"]:
        chance *= _FIGHT_LOST
    if has(game, victim, Gene.ESCAPE) and game["bp"][victim] >= step_cost(game, rules, victim):
        chance *= _ESCAPE_FAILS
    return chance


@compiled
def _best_chance_of_kill(game, rules, player, space):
    """The same for the easiest prey of the player in this space; 0 if they cannot hunt there."""
    hunts = has(game, player, Gene.STRUGGLE_FOR_SURVIVAL) or has(game, player, Gene.AGGRESSION)
    best = 0.0
    if hunts and game["bp"][player] >= rules["attack_cost"]:
        for other in range(rules["players"]):
            if other != player and not has(game, other, Gene.ARMOUR) and owns_amoeba_in(game, rules, other, space):
                best = max(best, chance_of_kill(game, rules, other))
    return best


@compiled
def map_soup(game, rules, player, origin, soup):
    """Write into ``soup`` (19,) what standing in each space is worth when it is time to eat, in meals.

    A kill feeds as a meal does.
    """
    for space in range(NUM_SPACES):
        if can_feed(game, rules, player, space, origin):
            value = 1.0
        else:
            value = _best_chance_of_kill(game, rules, player, space)
        soup[space] = value + _FUTURE * larder(game, rules, player, space)
