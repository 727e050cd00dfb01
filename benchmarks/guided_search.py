"""How much a policy's critic should count in a search, beside the search's own value of a position.

``python benchmarks/guided_search.py runs/mine/best.zip``, some minutes on one core: positions from games of short
searches; over each a tree, searched without the policy. Every decision in a tree has a value of the search, and the
most visited quarter of them, as many as a search would ask about, gets one of the critic, which counts by a weight. The
value of the root is held against how the game ended: the squared error, summed over the players (0.75 for knowing
nothing). The weight that a search uses is ``_CRITIC_WEIGHT`` in ``agents/ursuppe_agents/search/revision.py``.
"""

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ursuppe_agents import make_agent
from ursuppe_agents.search.evaluator import Evaluator
from ursuppe_agents.search.guided import evaluator_of
from ursuppe_agents.search.leaves import new_leaf_evaluator
from ursuppe_agents.search.tree import new_tree, simulate
from ursuppe_env import Games
from ursuppe_env.games import trusted_games

_GAMES = 300
_PLAYERS = "search:sims=24"
_PART = 0.04  # of the decisions in these games: a dozen positions each
_SIMULATIONS = 100
_WEIGHTS = np.array([0, 0.2, 0.4, 0.6, 0.8, 1])


def main(policy: str) -> None:
    """Measure, and print a table."""
    evaluator = evaluator_of(policy)
    games = Games(_GAMES, seed=9001)
    seen = list(track(positions(games), "playing"))
    errors: list[NDArray[np.float64]] = []
    for position, row in track(seen, "searching"):
        won = np.eye(games.num_players)[games.winner[row]]
        errors.append(((root_values(position, evaluator) - won) ** 2).sum(axis=1))
    table = Table("weight of the critic", "squared error", "more than without")
    rows = np.array([row for _, row in seen])
    more = np.array(errors) - np.array(errors)[:, :1]
    for weight, error, difference in zip(_WEIGHTS, np.mean(errors, axis=0), more.T, strict=True):
        spread = np.sqrt((np.bincount(rows, difference - difference.mean()) ** 2).sum()) / len(rows)  # by game
        table.add_row(f"{weight:.1f}", f"{error:.4f}", f"{difference.mean():+.4f} ± {1.96 * spread:.4f}")
    Console(width=100).print(f"{len(rows):,} positions of {_GAMES} games; 95 % intervals by game", table)


def positions(games: Games) -> Iterator[tuple[Games, int]]:
    """Play the games to their ends; some positions on the way, and the row of each."""
    agent, generator = make_agent(_PLAYERS, seed=0), np.random.default_rng(0)
    while not games.finished.all():
        rows = np.flatnonzero(~games.finished)
        for row in rows[generator.random(len(rows)) < _PART]:
            yield games.copy([row]), int(row)
        games.step(agent.act(games, rows), rows)


def root_values(position: Games, evaluator: Evaluator) -> NDArray[np.float64]:
    """What a search finds the position worth to each player, (W, P), under each weight of the critic."""
    tree, leaf_evaluator = new_tree(3 * _SIMULATIONS), new_leaf_evaluator(position.ruleset)
    tree.games[:1] = position.state
    tree.used[:] = (1, 0)
    simulations = simulate(tree, leaf_evaluator, _SIMULATIONS)
    used, players = int(tree.used[0]), position.num_players
    opened = np.flatnonzero((tree.games["player"][:used] >= 0) & (tree.num_edges[:used] > 0))
    decisions = opened[np.argsort(-tree.visit_counts[opened])[: -(-len(opened) // 4)]]
    asked = trusted_games(tree.games[decisions], position.ruleset, threads=1)
    _, chances = evaluator.evaluate(asked, np.arange(len(decisions)))
    change = (chances - tree.initial_values[decisions, :players]).sum(axis=0)
    return (tree.value_sums[0, :players] + _WEIGHTS[:, None] * change) / simulations


if __name__ == "__main__":
    main(sys.argv[1])
