"""What is mutated: states and rulesets of real play."""

from typing import Any

import numpy as np

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, SWITCHES

STOPS = {"explicit_chance": True, "pause_after_rounds": True}
_GAMES = 24
_EVENTS = 90  # between two looks at the games
_LOOKS = 12

#: Plenty of everything: these games come to every node often.
_RICH: dict[str, Any] = {
    "start_bp": 40,
    "income": 30,
    "cards": dict.fromkeys(GENE_NAMES, 6),
    "mutation_points": {"speed": 9, "ray_protection": -9},
}
_USUAL = {  # low, high, and up to what is usual
    "start_bp": (0, 99, 60),
    "first_damage": (0, 99, 3),
    "excretion": (0, 99, 4),
    "carry": (0, 9, 4),
    "income": (0, 99, 40),
    "move_cost": (0, 99, 2),
    "attack_cost": (0, 99, 2),
    "defense_cost": (0, 99, 2),
    "tap_cost": (0, 99, 2),
    "division_cost": (0, 99, 8),
    "fast_division_cost": (0, 99, 6),
    "deadly_damage": (1, 99, 3),
    "long_life_damage": (1, 99, 4),
    "death_food": (0, 99, 3),
    "kill_food": (0, 99, 3),
    "ray_protection_payment": (0, 99, 6),
    "end_zone": (2, 250, 80),
}
_USUAL_BY_GENE = {
    "price": (0, 99, 6),
    "mutation_points": (-9, 99, 6),
    "cards": (0, 99, 6),
    "gene_score": (0, 99, 3),
}


def random_ruleset(generator: np.random.Generator) -> Ruleset:
    """A printed ruleset, a rich one, or one with any changes."""
    players, edition = int(generator.integers(3, 7)), str(generator.choice(EDITIONS))
    kind = generator.random()
    if kind < 0.2:
        return Ruleset(players=players, edition=edition)
    changes = dict(_RICH) if kind < 0.8 else {}
    for name, limits in _USUAL.items():
        if generator.random() < 0.2:
            changes[name] = _number(generator, *limits)
    for name, limits in _USUAL_BY_GENE.items():
        if generator.random() < 0.2:
            genes = generator.permutation(GENE_NAMES)[: generator.integers(1, 21)]
            changes[name] = {str(gene): _number(generator, *limits) for gene in genes}
    for name in SWITCHES:
        if generator.random() < 0.5:
            changes[name] = bool(generator.integers(2))
    if generator.random() < 0.3:
        amoebas = changes["amoebas"] = int(generator.integers(2, 8))
        changes["amoeba_places"] = generator.integers(0, 7, amoebas + 1).tolist()
    if generator.random() < 0.2:
        changes["start_food"] = int(generator.integers(0, 7))
        changes["cubes"] = int(generator.integers(19 * changes["start_food"], 121))
    if generator.random() < 0.2:
        directions = generator.choice(["west", "north", "east", "south", "none"], generator.integers(2, 33))
        changes["environment"] = [[str(direction), _number(generator, 0, 99, 14)] for direction in directions]
    return Ruleset(players=players, edition=edition, **changes)


def _number(generator: np.random.Generator, low: int, high: int, usual: int) -> int:
    """Mostly up to what is usual, sometimes anything."""
    return int(generator.integers(low, (usual if generator.random() < 0.9 else high) + 1))


def real_states(generator: np.random.Generator, ruleset: Ruleset) -> list[np.ndarray]:
    """States of games with this ruleset, those at the same node in one array: some of every node that they come to."""
    games = Games(_GAMES, ruleset, seed=int(generator.integers(2**63)), threads=1, **STOPS)
    looks = []
    for _ in range(_LOOKS):
        looks.append(games.state.copy())
        for _ in range(int(generator.integers(_EVENTS))):
            games.draw()
            games.resume()
            games.step_random()
            looks.append(games.state[generator.integers(_GAMES, size=1)])
    looks.append(games.state.copy())
    states = np.concatenate(looks)
    where = states["node"].astype(np.int64) * 16 + states["phase"] * 2 + (states["movement"] == 3)
    return [states[where == place] for place in np.unique(where)]
