"""How well a policy's critic foretells who wins, beside the value function of ``greedy`` and ``search``.

``python benchmarks/critic.py runs/mine/best.zip``, some minutes on one core: games at four tables; at some of their
positions, chosen at random, both say each player's chance of winning. The error is Brier's score: the squared
difference from who won, summed over the players; 0.75 for knowing nothing, 0 for knowing all. It is given by round,
with 95 % intervals that resample the games.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ursuppe_agents import make_agent
from ursuppe_agents.search.guided import evaluator_of
from ursuppe_agents.search.value import features_of, weights_for
from ursuppe_agents.statistics.ratios import ratios, sums_by_cluster
from ursuppe_env import Games

_POLICY = "the policy"
#: Who sits where: seats are rotated from game to game.
TABLES = (
    (_POLICY,) * 4,
    (_POLICY, "greedy", "greedy", "greedy"),
    (_POLICY, "breeder", "breeder", "hunter"),
    ("greedy",) * 4,
)
_LAST_ROUND = 99
_STAGES = ((1, 3), (4, 6), (7, _LAST_ROUND))
_PART = 0.02  # of the decisions: some six in a game
_SEED = 2**62 + 7  # no training has these games


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policy", help="a file of `ursuppe train`, or default")
    parser.add_argument("--games", type=int, default=1000, help="at each table")
    options = parser.parse_args()
    table = Table("table", "rounds", "positions", "critic", "value function", "difference")
    for seats in track(TABLES, "playing"):
        errors = errors_at(seats, options.policy, options.games)
        for first, last in _STAGES:
            found = errors.filter(pl.col("round").is_between(first, last))
            rounds = f"{first}-{last}" if last != _LAST_ROUND else f"from {first} on"
            table.add_row(", ".join(seats), rounds, f"{len(found):,}", *in_words(found, options.games))
    Console(width=130).print(f"{options.games:,} games at each table; 95 % intervals by game", table)


def in_words(errors: pl.DataFrame, num_games: int) -> tuple[str, str, str]:
    """The mean errors of both, and their difference."""
    sums = sums_by_cluster(errors, num_games, {"critic": "positions", "value function": "positions"})
    means = ratios(sums, np.random.default_rng(0))
    difference = means["critic"].minus(means["value function"]).interval()
    ends = "" if difference is None or difference.ends is None else " ({:+.3f} to {:+.3f})".format(*difference.ends)
    estimates = [mean.estimate for mean in means.values()]
    return f"{estimates[0]:.3f}", f"{estimates[1]:.3f}", f"{estimates[0] - estimates[1]:+.3f}{ends}"


def errors_at(seats: tuple[str, ...], policy: str, num_games: int) -> pl.DataFrame:
    """A row for each position that is looked at: its game (``index``), round, a 1 (``positions``), and both errors."""
    games = Games(num_games, seed=_SEED)
    evaluator = evaluator_of(policy)
    parts: list[dict[str, NDArray[np.generic]]] = []
    for index, seen in played(games, seats, policy, _PART, seed=0):
        _, of_critic = evaluator.evaluate(seen, np.arange(len(seen)))
        chances = {"critic": of_critic, "value function": chances_by_value(seen)}
        parts.append({"index": index, "round": seen.rounds.copy(), **chances})
    won = np.eye(4)[games.winner]
    for part in parts:
        for name in ("critic", "value function"):
            part[name] = ((part[name] - won[part["index"]]) ** 2).sum(axis=1)
    return pl.concat(pl.DataFrame(part) for part in parts).with_columns(positions=1)


def played(
    games: Games, seats: tuple[str, ...], policy: str, part: float, seed: int
) -> Iterator[tuple[NDArray[np.int64], Games]]:
    """Play games to their end, and stop at some positions on the way.

    Args:
        games: N of 4 players.
        seats: one of ``TABLES``.
        policy: a file, or "default".
        part: of the decisions, chosen at random, that are looked at.
        seed: of the agents and of that choice.

    Yields:
        (n,) rows of games, and their positions.
    """
    agents = {name: make_agent(f"policy:{policy}" if name == _POLICY else name, seed) for name in set(seats)}
    names = list(agents)
    turned = (np.arange(4) + np.arange(len(games))[:, np.newaxis]) % 4
    sits = np.array([names.index(name) for name in seats])[turned]
    generator = np.random.default_rng(seed)
    while len(rows := np.flatnonzero(~games.finished)):
        looked_at = rows[generator.random(len(rows)) < part]
        if len(looked_at):
            yield looked_at, games.copy(looked_at)
        playing = sits[rows, games.player[rows]]
        actions = np.empty(len(rows), np.int64)
        for number, name in enumerate(names):
            mine = np.flatnonzero(playing == number)
            if len(mine):
                actions[mine] = agents[name].act(games, rows[mine])
        games.step(actions, rows)


def chances_by_value(games: Games) -> NDArray[np.float64]:
    """(n, P) chances of winning by the value function."""
    features, rounds_left = features_of(games)
    weights = weights_for(games.num_players)
    strengths = ((weights[0] + weights[1] / rounds_left[:, np.newaxis, np.newaxis]) * features).sum(axis=2)
    chances = np.exp(strengths - strengths.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    main()
