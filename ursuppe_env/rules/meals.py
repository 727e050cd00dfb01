"""Which meals exist, as tables made once from the words of the rules (rules.md section 7, phase 1b).

A meal is written from the eater's view: cubes of the colours of the next players, the eater's own (never eaten) first.
"""

from itertools import product

import numpy as np

MAX_PLAYERS = 6

# What the eater may use, as bits of the index into the tables below.
WITH_SUBSTITUTION = 1
WITH_FRUGALITY = 2
WITH_PARASITISM = 4

Meal = tuple[int, ...]


def basic_meals(players: int) -> set[Meal]:
    """The basic meal in each of its forms (rules.md section 5)."""
    foreign = players - 1
    if players == 3:
        return {(0, 2, 1), (0, 1, 2)}
    if players in (4, 5):
        return {(0,) + (1,) * foreign}
    return {(0, *cubes) for cubes in product((0, 1), repeat=foreign) if sum(cubes) == 4}


def substituted_meals(players: int, even: bool) -> set[Meal]:
    """One foreign colour less but one cube more in total, each of the remaining colours at least 1.

    With ``even_substitution`` 2:2:0 only, with 4 players.
    """
    basic = next(iter(basic_meals(players)))
    colours = sum(cubes > 0 for cubes in basic) - 1
    total = sum(basic) + 1
    largest = 2 if even and players == 4 else total
    return {
        (0, *cubes)
        for cubes in product(range(largest + 1), repeat=players - 1)
        if sum(cubes) == total and sum(c > 0 for c in cubes) == colours
    }


def one_cube_fewer(meals: set[Meal]) -> set[Meal]:
    """Each of the meals without any one of its cubes."""
    return {
        (*meal[:colour], meal[colour] - 1, *meal[colour + 1 :])
        for meal in meals
        for colour in range(len(meal))
        if meal[colour]
    }


def permitted_meals(players: int, even: bool, used: int) -> set[Meal]:
    """All meals for the owner of these genes; Parasitism takes its cube off, the others only may."""
    meals = basic_meals(players)
    if used & WITH_SUBSTITUTION:
        meals = meals | substituted_meals(players, even)
    if used & WITH_FRUGALITY:
        meals = meals | one_cube_fewer(meals)
    if used & WITH_PARASITISM:
        meals = one_cube_fewer(meals)
    return meals


def _all_meals(players: int) -> tuple[Meal, ...]:
    meals: set[Meal] = set().union(*(permitted_meals(players, False, used) for used in range(8)))
    return tuple(sorted(meals, key=lambda meal: (-sum(meal), meal)))


#: For 3 ... 6 players every meal that can ever be eaten; the place in the tuple is its number in the action layout.
ALL_MEALS = {players: _all_meals(players) for players in range(3, MAX_PLAYERS + 1)}
MOST_MEALS = max(len(meals) for meals in ALL_MEALS.values())

#: (4, 170, 6) int8: [players - 3, meal number, colour from the eater's view] cubes.
MEAL_CUBES = np.zeros((4, MOST_MEALS, MAX_PLAYERS), np.int8)
#: (4, 2, 8, 170) uint8: [players - 3, even_substitution, genes used] numbers of the permitted meals, and how many.
PERMITTED = np.zeros((4, 2, 8, MOST_MEALS), np.uint8)  # a GPU has 64 kB for tables, and each reader gets a copy
NUM_PERMITTED = np.zeros((4, 2, 8), np.int16)

for _players, _meals in ALL_MEALS.items():
    MEAL_CUBES[_players - 3, : len(_meals), :_players] = _meals
    _number = {meal: number for number, meal in enumerate(_meals)}
    for _even, _used in product((0, 1), range(8)):
        _permitted = sorted(_number[meal] for meal in permitted_meals(_players, bool(_even), _used))
        PERMITTED[_players - 3, _even, _used, : len(_permitted)] = _permitted
        NUM_PERMITTED[_players - 3, _even, _used] = len(_permitted)
