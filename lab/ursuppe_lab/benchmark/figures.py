"""The figures of a task from its games."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_env.teams import teams_or_none
from ursuppe_lab.benchmark.budget import SIMULATED
from ursuppe_lab.benchmark.entry import Entry
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.statistics import Floats, Interval, Resampling, bootstrap

_BOOTSTRAP_SEED = 0


class Pairing(NamedTuple):
    """The agent and one opponent or exploiter; None: there were no such games."""

    opponent: str  # its spec, or an exploiter's name
    alone: Interval | None  # share that the agent wins alone among copies of the opponent, or two and two with it
    visited: Interval | None  # share that the opponent wins alone among copies of the agent, or two and two with it


class Simulated(NamedTuple):
    """Decisions that the agent simulated at each of its own."""

    mean: float  # over all decisions
    maximum: int  # of all decisions


@dataclass(frozen=True)
class Figures:
    """What is said of an agent in a task; shares of games with 95 % intervals, by seeds or by rulesets.

    Attributes:
        visit: what it wins alone among copies of an opponent, mean over all opponents.
        host: what the best single opponent, or exploiter, wins alone among copies of it, less its share by chance;
            None: nobody did.
        pairings: with each opponent that is not the agent itself, and each exploiter.
        by_seat: what it wins alone from each seat; in teams, for each team.
        milliseconds: of thinking a decision, several games at once; of the machine that played.
        forfeits: decisions without an action of its own.
        games: that were played.
        simulated: where it is counted.
        shells: ``visit`` by list of the rulesets, where there are any; also of those to train on.
        brier: score of its predictions by set of games held out (``Logs.brier_scores``); None: it makes none, or the
            task has no such games.
    """

    visit: Interval
    host: Interval | None
    pairings: list[Pairing]
    by_seat: list[Interval]
    milliseconds: float
    forfeits: int
    games: int
    simulated: Simulated | None = None
    shells: dict[str, Interval] | None = None
    brier: dict[str, Interval] | None = None


def figures_of(task: Task, entry: Entry, games: pl.DataFrame) -> Figures:
    """The figures of an agent from the games of a task: rows of ``COUNTED_COLUMNS``, of all tournaments in order."""
    met, names = task.met_by(entry.name), entry.specs(task.opponents)
    guests = met if task.sides == 2 else task.guests(entry)
    own = np.array([[name in names for name in row] for row in games["agents"].to_list()])
    alone, visited, seats = _two_and_two(task, games, own) if task.shells else _alone(task, entry, games)
    itself = len(task.opponents) - len(met)
    visits = (alone.sum(axis=1, keepdims=True) + itself * task.chance) / len(task.opponents)
    shells = _by_shell(task, visits) if task.shells else None
    tested = len(alone) - (task.trained_rulesets or 0)
    played = len(games) // (len(met) if task.sides == 2 else len(met) + len(guests))  # with each opponent, either way
    played = played * tested // len(alone)
    alone, visited, seats, visits = (shares[:tested] for shares in (alone, visited, seats, visits))
    resampling = Resampling(len(alone), np.random.default_rng(_BOOTSTRAP_SEED))
    wins = dict(zip(met, resampling.shares(alone, played), strict=True))
    lost = dict(zip(guests, resampling.shares(visited, played), strict=True))
    simulated = None
    if not games[SIMULATED].has_nulls():
        each = games[SIMULATED].explode().drop_nulls().to_numpy()
        simulated = Simulated(float(each.mean()), int(each.max()))
    decisions, forfeits, seconds = (np.array(games[name].to_list()) for name in ("decisions", "forfeits", "seconds"))
    return Figures(
        visit=resampling.intervals(visits)[0],
        host=_best(visited, task.chance, resampling) if guests else None,
        pairings=[Pairing(name, wins.get(name), lost.get(name)) for name in dict.fromkeys((*met, *guests))],
        by_seat=resampling.shares(seats, played * len(met) // task.sides),
        milliseconds=float(1000 * seconds[own].sum() / max(decisions[own].sum(), 1)),
        forfeits=int(forfeits[own].sum()),
        games=len(games),
        simulated=simulated,
        shells=shells,
    )


_Shares = tuple[Floats, Floats, Floats]


def _alone(task: Task, entry: Entry, games: pl.DataFrame) -> _Shares:
    """Shares of the games, by seed, of one among copies of another.

    (S, K) won alone among each opponent; (S, G) won by each guest, or opponent, among copies of the agent; (S, T) won
    from each seat, or by each team.
    """
    teams = teams_or_none(task.teams, "worst", task.players)
    lineup, index, rotation = (games[name].to_numpy().astype(np.int64) for name in ("lineup", "index", "rotation"))
    lone_seat = rotation if teams is None else teams.first_seats[rotation]  # place 0 of a lineup is alone
    won = np.array(games["ranks"].to_list())[np.arange(len(games)), lone_seat] == 1
    shares = np.zeros((task.seeds, lineup.max() + 1))
    np.add.at(shares, (index, lineup), won / task.sides)
    is_visit = np.array([first in entry.specs(task.opponents) for first, *_ in task.lineups(entry)])
    alone, visited = shares[:, is_visit], 1 - shares if task.sides == 2 else shares[:, ~is_visit]
    is_alone = is_visit[lineup]
    seats = np.zeros((task.seeds, task.sides))
    np.add.at(seats, (index[is_alone], rotation[is_alone]), won[is_alone] / alone.shape[1])
    return alone, visited, seats


def _two_and_two(task: Task, games: pl.DataFrame, own: NDArray[np.bool_]) -> _Shares:
    """The same of two and two, by ruleset; ``own`` (N, P) says which seats the agent has."""
    rulesets = sum(map(len, task.shells.values()))
    opponent = games["lineup"].to_numpy().astype(np.int64) // 2  # neighbours and opposite
    won_by_seat = own & (np.array(games["ranks"].to_list()) == 1)
    won = np.zeros((rulesets, opponent.max() + 1))
    np.add.at(won, (np.repeat(np.arange(rulesets), len(games) // rulesets), opponent), won_by_seat.any(axis=1))
    alone = won * won.size / len(games)
    by_ruleset = (rulesets, -1, task.players)
    seats = won_by_seat.reshape(by_ruleset).sum(axis=1) / own.reshape(by_ruleset).sum(axis=1)
    return alone, 1 - alone, seats


def _by_shell(task: Task, visits: Floats) -> dict[str, Interval]:
    """The mean of the rulesets' shares, (R, 1), in each shell."""
    ends = np.cumsum([len(found) for found in task.shells.values()])
    parts = zip(task.shells, np.split(visits[:, 0], ends[:-1]), strict=True)
    return {name: bootstrap(part, np.random.default_rng(_BOOTSTRAP_SEED)) for name, part in parts}


def _best(visited: Floats, chance: float, resampling: Resampling) -> Interval:
    """The largest mean of the columns, (S, K), less chance; each resample has its own largest one."""
    largest, resampled = float(visited.mean(axis=0).max()), resampling.means(visited).max(axis=1)
    if len(resampled) == 0:
        return Interval(largest - chance, None, None)
    return Interval(largest - chance, *(np.quantile(resampled, [0.025, 0.975]) - chance).tolist())
