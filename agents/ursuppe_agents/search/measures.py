"""What ``ursuppe bench`` says about searching: random play-outs and simulations of the tree per second."""

import time
from functools import cache

import numpy as np

from ursuppe_agents.search.greedy import GreedyAgent
from ursuppe_agents.search.leaves import new_leaf_evaluator
from ursuppe_agents.search.tree import new_tree, simulate
from ursuppe_env import Games
from ursuppe_env.bench.figures import Effort, Figure, Goal

_ROUND = 5  # of ten: the middle of the game
_PLAYOUTS = 16_384  # in one repetition, on all cores
_DECISIONS_PER_SIMULATION = 100  # roughly, of playing on; so a repetition takes as long as the others do


def measure_search(effort: Effort) -> list[Figure]:
    """Play-outs/s on all cores and simulations/s on one, from a position in the middle of a game."""
    middle = _middle_of_a_game()
    once = range(1 + effort.repetitions)  # the first one loads compiled code and starts threads
    playouts = tuple(_playouts(middle, repetition) for repetition in once)
    simulations = tuple(_simulations(middle, effort.decisions // _DECISIONS_PER_SIMULATION) for _ in once)
    return [
        Figure("random play-outs from mid-game", "play-outs/s", playouts[1:], Goal(20_000)),
        Figure("search, one core", "simulations/s", simulations[1:]),
    ]


@cache
def _middle_of_a_game() -> Games:
    """One game of greedy players, at the first decision of a round."""
    games = Games(1, seed=1)
    greedy = GreedyAgent(np.random.default_rng(0))
    while games.rounds[0] < _ROUND:
        games.step(greedy.act(games, np.zeros(1, np.int64)))
    return games


def _playouts(middle: Games, seed: int) -> float:
    copies = middle.copy(np.zeros(_PLAYOUTS, np.int64), reseed=seed)
    began = time.perf_counter()
    copies.play_random()
    return _PLAYOUTS / (time.perf_counter() - began)


def _simulations(middle: Games, count: int) -> float:
    tree, evaluator = new_tree(3 * count), new_leaf_evaluator(middle.ruleset)
    tree.games[:1] = middle.state
    tree.used[:] = (1, 0)
    began = time.perf_counter()
    done = simulate(tree, evaluator, count)
    return done / (time.perf_counter() - began)
