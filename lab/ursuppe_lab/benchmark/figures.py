"""The figures of a task from its games."""

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.statistics import Interval, Resampling

_BOOTSTRAP_SEED = 0


class Pairing(NamedTuple):
    """The agent and one opponent.

    Attributes:
        opponent: its spec.
        alone: share of the games that the agent wins alone among copies of the opponent.
        visited: share that the opponent wins alone among copies of the agent.
    """

    opponent: str
    alone: Interval
    visited: Interval


class Figures(NamedTuple):
    """What is said of an agent in a task; shares of games with 95 % intervals, by seeds.

    Attributes:
        visit: what it wins alone among copies of an opponent, mean over all opponents.
        host: what the best single opponent wins alone among copies of it, less its share by chance.
        pairings: with each opponent that is not the agent itself.
        by_seat: what it wins alone from each seat; in teams, for each team.
        milliseconds: of thinking a decision, several games at once; of the machine that played.
        forfeits: decisions without an action of its own.
        games: that were played.
    """

    visit: Interval
    host: Interval
    pairings: list[Pairing]
    by_seat: list[Interval]
    milliseconds: float
    forfeits: int
    games: int


def figures_of(task: Task, tournament: Tournament, agent: str, games: pl.DataFrame) -> Figures:
    """The figures.

    Args:
        task: that was played.
        tournament: ``task.tournament`` of the agent.
        agent: its name.
        games: the rows of ``ursuppe_lab.arena.play``.
    """
    met, teams = task.met_by(agent), tournament.partition
    team_of = np.arange(task.players) if teams is None else teams.team_of
    lineup, index, rotation = (games[name].to_numpy().astype(np.int64) for name in ("lineup", "index", "rotation"))
    ranks = games["ranks"].to_list()
    lone_side = rotation  # place 0 of a lineup has the side (0 + rotation)
    won = np.array([row[int(np.argmax(team_of == side))] == 1 for row, side in zip(ranks, lone_side, strict=True)])
    shares = np.zeros((task.seeds, len(tournament.lineups)))
    np.add.at(shares, (index, lineup), won / task.sides)
    ways = 1 if task.sides == 2 else 2
    alone, visited = shares[:, ::ways], shares[:, 1::ways] if ways == 2 else 1 - shares
    itself = len(task.opponents) - len(met)
    resampling = Resampling(task.seeds, np.random.default_rng(_BOOTSTRAP_SEED))
    is_alone = lineup % ways == 0
    seats = np.zeros((task.seeds, task.sides))
    np.add.at(seats, (index[is_alone], rotation[is_alone]), won[is_alone] / len(met))
    agents = games["agents"].to_list()
    own = np.array([[name == agent for name in row] for row in agents])
    decisions, forfeits, seconds = (np.array(games[name].to_list()) for name in ("decisions", "forfeits", "seconds"))
    played = task.seeds * task.sides
    return Figures(
        visit=resampling.intervals((alone.sum(axis=1, keepdims=True) + itself * task.chance) / len(task.opponents))[0],
        host=_best(visited, task.chance, resampling),
        pairings=[
            Pairing(*pair)
            for pair in zip(met, resampling.shares(alone, played), resampling.shares(visited, played), strict=True)
        ],
        by_seat=resampling.shares(seats, task.seeds * len(met)),
        milliseconds=float(1000 * seconds[own].sum() / max(decisions[own].sum(), 1)),
        forfeits=int(forfeits[own].sum()),
        games=len(games),
    )


def _best(visited: NDArray[np.float64], chance: float, resampling: Resampling) -> Interval:
    """The largest mean of the columns, (S, K), less chance; each resample has its own largest one."""
    largest, resampled = float(visited.mean(axis=0).max()), resampling.means(visited).max(axis=1)
    if len(resampled) == 0:
        return Interval(largest - chance, None, None)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Interval(largest - chance, float(low) - chance, float(high) - chance)
