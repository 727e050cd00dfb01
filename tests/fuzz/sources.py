"""What is mutated: states and rulesets of real play."""

import numpy as np

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, NUMBERS, PER_GENE, SWITCHES

from support.rulesets import DEPENDENT
from support.standing import FIGHTS

STOPS = {"explicit_chance": True, "pause_after_rounds": True}
_GAMES = 24
_EVENTS = 90  # between two looks at the games
_LOOKS = 12


def random_ruleset(generator: np.random.Generator) -> Ruleset:
    """A printed ruleset, a rich one, or one with any changes."""
    players, edition = int(generator.integers(3, 7)), str(generator.choice(EDITIONS))
    kind = generator.random()
    if kind < 0.2:
        return Ruleset(players=players, edition=edition)
    changes = dict(FIGHTS) if kind < 0.8 else {}
    for name in NUMBERS:
        if name in DEPENDENT or generator.random() > 0.2:
            continue
        limits, printed = (NUMBERS[name]["low"], NUMBERS[name]["high"]), getattr(Ruleset(), name)
        if name in PER_GENE:
            genes = generator.permutation(GENE_NAMES)[: generator.integers(1, 21)]
            changes[name] = {str(gene): _number(generator, *limits, max(printed)) for gene in genes}
        else:
            changes[name] = _number(generator, *limits, 2 * printed + 2)
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
    return int(generator.integers(low, (min(usual, high) if generator.random() < 0.9 else high) + 1))


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
