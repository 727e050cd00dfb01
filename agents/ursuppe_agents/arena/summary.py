"""The results of a tournament: figures with 95 % intervals, if there are enough seeds, from the rows of its games."""

from dataclasses import dataclass
from itertools import permutations
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.arena.lineups import Lineup
from ursuppe_agents.arena.ratings import rate
from ursuppe_agents.arena.tournament import Tournament
from ursuppe_agents.reports.text import about_intervals
from ursuppe_agents.statistics import Interval, Resampling, seed_means

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class AgentFigures:
    """How one agent did, over all lineups. With teams, each team counts as a seat does without.

    Attributes:
        agent: its spec.
        games: that it played; seats, if it has several in a game.
        win_rate: of its seats.
        win_rate_by_seat: the same for each seat, P of them; with teams for each team, T of them.
        rank: mean; 1 is the winner's.
        margin: mean of its marker minus the mean of all markers, in places of the track; with teams of their places.
        rating: in points, of the Plackett–Luce fit.
        decisions: per game and seat, mean; with teams per game and team.
        milliseconds: of thinking per decision.
    """

    agent: str
    games: int
    win_rate: Interval
    win_rate_by_seat: list[Interval]
    rank: Interval
    margin: Interval
    rating: Interval
    decisions: float
    milliseconds: float


@dataclass(frozen=True)
class LineupFigures:
    """How the agents of one lineup did against each other.

    Attributes:
        lineup: their specs.
        games: that were played.
        win_rates: by spec; of each of its seats.
    """

    lineup: Lineup
    games: int
    win_rates: dict[str, Interval]


@dataclass(frozen=True)
class Summary:
    """The figures of a whole tournament.

    Attributes:
        tournament: what was played.
        games: how many were.
        agents: the best rating first.
        lineups: in the order of the tournament.
        before: (agent, other): how often it finishes before the other, where both play.
        rounds: of a game.
        decisions: of a game, by all players.
    """

    tournament: Tournament
    games: int
    agents: list[AgentFigures]
    lineups: list[LineupFigures]
    before: dict[tuple[str, str], Interval]
    rounds: Interval
    decisions: Interval

    @property
    def about_intervals(self) -> str:
        """Whether the figures have intervals."""
        return about_intervals([self.tournament.num_seeds])

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; where there is no interval, its ends are null."""
        return {
            "tournament": self.tournament.as_dict(),
            "games": self.games,
            "seeds": self.tournament.num_seeds,
            "intervals": self.about_intervals,
            "rounds": self.rounds._asdict(),
            "decisions": self.decisions._asdict(),
            "agents": [_plain(vars(figures)) for figures in self.agents],
            "lineups": [_plain(vars(figures)) for figures in self.lineups],
            "before": [
                {"agent": agent, "other": other, **proportion._asdict()}
                for (agent, other), proportion in self.before.items()
            ],
        }


def summarise(tournament: Tournament, rows: pl.DataFrame) -> Summary:
    """The figures of all games of a tournament.

    Args:
        tournament: what was played.
        rows: all its games, of ``play_batch``.
    """
    return _Games(tournament, rows).summary()


class _Games:
    """The rows as arrays, and one resampling of the seeds for all figures."""

    def __init__(self, tournament: Tournament, rows: pl.DataFrame) -> None:
        self.tournament = tournament
        self.specs = tournament.agents
        self.teams = tournament.partition
        self.rows = rows
        self.seeds = rows["index"].to_numpy()  # (n,)
        numbers = {spec: number for number, spec in enumerate(self.specs)}
        self.agents = self._of_sides(
            np.array([[numbers[spec] for spec in specs] for specs in rows["agents"].to_list()])
        )
        self.ranks = self._of_sides(self._by_seat("ranks"))
        self.wins = (self.ranks == 1).astype(np.float64)
        self.resampling = Resampling(tournament.num_seeds, np.random.default_rng(tournament.seed))

    def summary(self) -> Summary:
        agents = sorted(self._agents(), key=lambda figures: -figures.rating.estimate)
        everyone = np.zeros(len(self.rows), np.int64)
        [rounds] = self._intervals(self.rows["rounds"].to_numpy().astype(np.float64), everyone).values()
        [decisions] = self._intervals(self._by_seat("decisions").sum(axis=1), everyone).values()
        return Summary(self.tournament, len(self.rows), agents, self._lineups(), self._before(), rounds, decisions)

    def _agents(self) -> list[AgentFigures]:
        markers = self._by_seat("markers")
        places = markers if self.teams is None else self.teams.places(markers).astype(np.float64)
        decisions, seconds = (self._sums(self._by_seat(column)) for column in ("decisions", "seconds"))
        sides = self.tournament.sides
        win_rates = self._intervals(self.wins, self.agents)
        by_seat = self._intervals(self.wins, self.agents * sides + np.arange(sides))
        ranks = self._intervals(self.ranks, self.agents)
        margins = self._intervals(places - places.mean(axis=1, keepdims=True), self.agents)
        finishers = np.take_along_axis(self.agents, self.ranks.argsort(axis=1), axis=1)
        ratings = rate(finishers, self.seeds, len(self.specs), self.resampling)
        played, made, thought = (
            np.bincount(self.agents.ravel(), values.ravel())
            for values in (np.ones(self.agents.shape), decisions, seconds)
        )
        return [
            AgentFigures(
                agent=spec,
                games=int(played[k]),
                win_rate=win_rates[k],
                win_rate_by_seat=[by_seat[k * sides + side] for side in range(sides)],
                rank=ranks[k],
                margin=margins[k],
                rating=ratings[k],
                decisions=float(made[k] / played[k]),
                milliseconds=float(1000 * thought[k] / max(made[k], 1)),
            )
            for k, spec in enumerate(self.specs)
        ]

    def _lineups(self) -> list[LineupFigures]:
        lineup = self.rows["lineup"].to_numpy()
        win_rates = self._intervals(self.wins, lineup[:, None] * len(self.specs) + self.agents)
        return [
            LineupFigures(
                lineup=specs,
                games=int((lineup == number).sum()),
                win_rates={
                    spec: win_rates[number * len(self.specs) + k] for k, spec in enumerate(self.specs) if spec in specs
                },
            )
            for number, specs in enumerate(self.tournament.lineups)
        ]

    def _before(self) -> dict[tuple[str, str], Interval]:
        pairs = list(permutations(range(self.tournament.sides), 2))
        earlier = np.stack([self.ranks[:, one] < self.ranks[:, other] for one, other in pairs], axis=1)
        meeting = np.stack([self.agents[:, one] * len(self.specs) + self.agents[:, other] for one, other in pairs], 1)
        proportions = self._intervals(earlier.astype(np.float64), meeting)
        met = {divmod(key, len(self.specs)): proportion for key, proportion in proportions.items()}
        return {(self.specs[k], self.specs[other]): proportion for (k, other), proportion in met.items() if k != other}

    def _by_seat(self, column: str) -> NDArray[np.float64]:
        """(n, P) a column of lists."""
        return np.array(self.rows[column].to_list(), np.float64)

    def _of_sides(self, by_seat: NDArray[T]) -> NDArray[T]:
        """(n, P) what all seats of a team have in common, once for each team: (n, T) of them."""
        return by_seat if self.teams is None else by_seat[:, self.teams.first_seats]

    def _sums(self, by_seat: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, P) as sums of teams, (n, T)."""
        if self.teams is None:
            return by_seat
        return np.stack([by_seat[:, list(seats)].sum(axis=1) for seats in self.teams.seats], axis=1)

    def _intervals(self, values: NDArray[np.float64], groups: NDArray[np.int64]) -> dict[int, Interval]:
        """The mean of each group's values, (n,) or (n, sides), over the seeds; every group occurs in each seed."""
        seeds = np.broadcast_to(self.seeds.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
        present, compact = np.unique(groups, return_inverse=True)
        means = seed_means(values.ravel(), seeds.ravel(), compact.ravel(), len(present))
        return dict(zip(present.tolist(), self.resampling.intervals(means), strict=True))


def _plain(value: Any) -> Any:
    """The value in the types of JSON."""
    if isinstance(value, Interval):
        return value._asdict()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
