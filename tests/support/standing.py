"""Games that stand at given nodes, for the tests of the drawings."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Phase

#: Plenty of everything, so that every gene is used.
RICH = {"start_bp": 30, "income": 25, "cards": dict.fromkeys(GENE_NAMES, 6), "price": dict.fromkeys(GENE_NAMES, 1)}

#: Many cards of all that moves, attacks and defends: these games come to every node often.
FIGHTS: dict[str, Any] = {
    "start_bp": 40,
    "income": 30,
    "cards": dict.fromkeys(GENE_NAMES, 6),
    "mutation_points": {"speed": 9, "ray_protection": -9},
}

#: What the drawings are tested with: small and large numbers, few and many of everything.
DRAWN = [
    *(Ruleset(players=players) for players in (3, 4, 5, 6)),
    Ruleset(players=3, edition="1997"),
    Ruleset(players=4, edition="1997", **RICH),
    Ruleset(players=6, **RICH),
    Ruleset(players=4, cubes=120, start_food=6, amoebas=3, amoeba_places=(40, 60, 80, 99), end_zone=250),
    Ruleset(
        players=5, start_food=0, deadly_damage=9, long_life_damage=12, environment=[("north", 99), ("none", 0)] * 16
    ),
    Ruleset(players=3, end_zone=2),
]


def stand_at(ruleset: Ruleset, nodes: set[int], phases: tuple[int, ...] = tuple(Phase)) -> dict[int, Games]:
    """A game that stands at each of these nodes, in one of these phases, found by random play."""
    games = Games(64, ruleset, seed=1, explicit_chance=True)
    found: dict[int, Games] = {}
    for turn in range(4000):
        for node in nodes - set(found):
            rows = np.flatnonzero((games.state["node"] == node) & np.isin(games.state["phase"], phases))
            if len(rows):
                found[node] = games.copy(rows[:1])
        if nodes <= set(found):
            return found
        if turn % 2:
            games.draw()
        else:
            games.step_random()
            games.reset(games.finished)
    raise AssertionError(f"random play never came to {nodes - set(found)}")


def game_where(is_so: Callable[[np.ndarray], np.ndarray], ruleset: Ruleset, **stops: bool) -> Games:
    """A game whose state is so, found by random play."""
    games = Games(64, ruleset, seed=1, **stops)
    for _ in range(4000):
        if (rows := is_so(games.state)).any():
            return games.copy(np.flatnonzero(rows)[:1])
        games.draw()
        games.resume()
        games.step_random()
        games.reset(games.finished)
    raise AssertionError("random play never came to it")
