"""The results of a tournament: figures with 95 % intervals, if there are enough seeds, from the rows of its games."""

from dataclasses import dataclass
from itertools import permutations
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_env.teams import sides_of
from ursuppe_lab.arena.equilibrium import Cycle, equilibria, shortest_cycles
from ursuppe_lab.arena.fit import Fit, fit_of
from ursuppe_lab.arena.lineups import Lineup
from ursuppe_lab.arena.ratings import rate
from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.reports.text import about_intervals, as_json
from ursuppe_lab.statistics import Floats, Interval, Resampling, intervals, seed_means
from ursuppe_lab.statistics.discoveries import p_value
from ursuppe_lab.statistics.ratios import Bootstrapped

T = TypeVar("T", bound=np.generic)

_DOUBT = 0.05  # that any step of any cycle is only chance


@dataclass(frozen=True)
class AgentFigures:
    """How one agent did, over all lineups. With teams, each team counts as a seat does without."""

    agent: str  # its spec
    games: int  # that it played; seats, if it has several in a game
    win_rate: Interval  # of its seats
    win_rate_by_seat: list[Interval]  # the same for each seat, P of them; with teams for each team, T of them
    rank: Interval  # mean; 1 is the winner's
    margin: Interval  # mean of its marker minus the mean of all, in places of the track; with teams of their places
    rating: Interval  # in points, of the Plackett–Luce fit
    decisions: float  # per game and seat, mean; with teams per game and team
    forfeits: int  # decisions, of all, with a random action because the agent had none of its own
    milliseconds: float  # of thinking per decision

    @property
    def about_forfeits(self) -> str:
        """How often it had no action of its own, in words."""
        made = round(self.decisions * self.games)
        said = f"{self.forfeits:,} of {made:,} decisions ({100 * self.forfeits / max(made, 1):.1f} %)"
        return f"{self.agent} forfeited {said}: it had no action of its own, and a random one was taken"


@dataclass(frozen=True)
class LineupFigures:
    """How the agents of one lineup did against each other."""

    lineup: Lineup
    games: int
    win_rates: dict[str, Interval]  # by spec; of each of its seats


@dataclass(frozen=True)
class NashFigures:
    """What an agent is worth without an order of all agents: Nash averaging of who finishes before whom."""

    agent: str  # its spec
    share: Interval  # of it in the equilibrium
    # How often it finishes before an agent that is drawn from the equilibrium, and half as often as it is itself drawn;
    # 1/2 for all that have a share, at most 1/2 for the others.
    value: Interval


@dataclass(frozen=True)
class Summary:
    """The figures of a whole tournament.

    Attributes:
        tournament: what was played.
        games: how many were.
        agents: the best rating first.
        lineups: in the order of the tournament.
        before: (agent, other): how often it finishes before the other, where both play.
        fit: whether the ratings explain who wins; None if no table has two agents.
        nash: the greatest value first; None if there are pairs that never meet.
        cycles: of agents, each of which is shown to finish before the next, the last before the first; shortest first.
        rounds: of a game.
        decisions: of a game, by all players.
    """

    tournament: Tournament
    games: int
    agents: list[AgentFigures]
    lineups: list[LineupFigures]
    before: dict[tuple[str, str], Interval]
    fit: Fit | None
    nash: list[NashFigures] | None
    cycles: list[Cycle]
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
            "rounds": as_json(self.rounds),
            "decisions": as_json(self.decisions),
            "agents": as_json(self.agents),
            "lineups": as_json(self.lineups),
            "before": [{"agent": one, "other": other, **as_json(share)} for (one, other), share in self.before.items()],
            "fit": as_json(self.fit),
            "nash": as_json(self.nash),
            "cycles": as_json(self.cycles),
        }


def summarise(tournament: Tournament, rows: pl.DataFrame) -> Summary:
    """The figures of all games of a tournament, whose rows are those of ``play_tournament``."""
    return _Games(tournament, rows).summary()


class _Games:
    """The rows as arrays, and one resampling of the seeds for all figures."""

    def __init__(self, tournament: Tournament, rows: pl.DataFrame) -> None:
        self.tournament, self.rows = tournament, rows
        self.specs = tournament.agents
        self.teams = sides_of(tournament.partition, tournament.ruleset.players)
        self.seeds = rows["index"].to_numpy()  # (n,)
        numbers = {spec: number for number, spec in enumerate(self.specs)}
        self.agents = self._by_side(np.array([[numbers[spec] for spec in specs] for specs in rows["agents"].to_list()]))
        self.ranks = self._by_side(self._by_seat("ranks"))
        self.wins = (self.ranks == 1).astype(np.float64)
        self.resampling = Resampling(tournament.num_seeds, np.random.default_rng(tournament.seed))
        self.finishers = np.take_along_axis(self.agents, self.ranks.argsort(axis=1), axis=1)
        self.ratings = rate(self.finishers, self.seeds, len(self.specs), self.resampling)

    def summary(self) -> Summary:
        margins = self._margins()
        everyone = np.zeros(len(self.rows), np.int64)
        [rounds] = self._intervals(self.rows["rounds"].to_numpy().astype(np.float64), everyone).values()
        [decisions] = self._intervals(self._by_seat("decisions").sum(axis=1), everyone).values()
        played = self.tournament, self.rows["lineup"].to_numpy(), self.finishers[:, 0], self.seeds
        return Summary(
            tournament=self.tournament,
            games=len(self.rows),
            agents=sorted(self._agents(), key=lambda figures: -figures.rating.estimate),
            lineups=self._lineups(),
            before=self._before(),
            fit=fit_of(self.ratings, *played, self.resampling),
            nash=self._nash(margins),
            cycles=self._cycles(margins),
            rounds=rounds,
            decisions=decisions,
        )

    def _agents(self) -> list[AgentFigures]:
        markers = self._by_seat("markers")
        places = self.teams.places(markers).astype(np.float64)
        counted = ("decisions", "forfeits", "seconds")
        decisions, forfeits, seconds = (self._sums(self._by_seat(column)) for column in counted)
        sides = self.tournament.sides
        win_rates = self._wins(self.agents)
        by_seat = self._wins(self.agents * sides + np.arange(sides))
        ranks = self._intervals(self.ranks, self.agents)
        margins = self._intervals(places - places.mean(axis=1, keepdims=True), self.agents)
        ratings = self.ratings.in_points()
        played, made, forfeited, thought = (
            np.bincount(self.agents.ravel(), values.ravel())
            for values in (np.ones(self.agents.shape), decisions, forfeits, seconds)
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
                forfeits=int(forfeited[k]),
                milliseconds=float(1000 * thought[k] / max(made[k], 1)),
            )
            for k, spec in enumerate(self.specs)
        ]

    def _lineups(self) -> list[LineupFigures]:
        lineup = self.rows["lineup"].to_numpy()
        win_rates = self._wins(lineup[:, None] * len(self.specs) + self.agents)
        found = []
        for number, specs in enumerate(self.tournament.lineups):
            first = number * len(self.specs)
            rates = {spec: win_rates[first + k] for k, spec in enumerate(self.specs) if spec in specs}
            found.append(LineupFigures(specs, int((lineup == number).sum()), rates))
        return found

    def _before(self) -> dict[tuple[str, str], Interval]:
        pairs, means, games = self._meetings()
        shares = zip(pairs, self.resampling.shares(means, games), strict=True)
        return {(self.specs[k], self.specs[other]): share for (k, other), share in shares if k != other}

    def _meetings(self) -> tuple[list[tuple[int, int]], Floats, NDArray[np.int64]]:
        """M pairs of agents, in both orders, how often one finishes before the other by seed, (S, M), and games."""
        pairs = list(permutations(range(self.tournament.sides), 2))
        earlier = np.stack([self.ranks[:, one] < self.ranks[:, other] for one, other in pairs], axis=1)
        meeting = np.stack([self.agents[:, one] * len(self.specs) + self.agents[:, other] for one, other in pairs], 1)
        present, means = self._means(earlier.astype(np.float64), meeting)
        return [divmod(key, len(self.specs)) for key in present], means, np.bincount(_in_games(meeting))[present]

    def _margins(self) -> dict[tuple[int, int], Bootstrapped]:
        """Pairs that meet, the lower number first: how much more often it finishes before the other than behind it."""
        meeting, means, _ = self._meetings()
        column = {pair: number for number, pair in enumerate(meeting)}
        pairs = [(k, other) for k, other in column if k < other]
        by_seed = np.stack([means[:, column[k, o]] - means[:, column[o, k]] for k, o in pairs], 1) if pairs else means
        again = self.resampling.means(by_seed)
        return {pair: Bootstrapped(float(by_seed[:, k].mean()), again[:, k]) for k, pair in enumerate(pairs)}

    def _nash(self, margins: dict[tuple[int, int], Bootstrapped]) -> list[NashFigures] | None:
        num_agents = len(self.specs)
        if len(margins) < num_agents * (num_agents - 1) // 2 or not margins:
            return None
        samples = np.stack([[margin.estimate, *margin.resampled] for margin in margins.values()], axis=1)
        ks, others = np.transpose(list(margins))
        matrices = np.zeros((len(samples), num_agents, num_agents))
        matrices[:, ks, others], matrices[:, others, ks] = samples, -samples
        shares = equilibria(matrices)
        values = (1 + np.einsum("rij,rj->ri", matrices, shares)) / 2
        estimates = zip(intervals(shares[0], shares[1:]), intervals(values[0], values[1:]), strict=True)
        found = [NashFigures(spec, *figures) for spec, figures in zip(self.specs, estimates, strict=True)]
        return sorted(found, key=lambda figures: (-figures.share.estimate, -figures.value.estimate))

    def _cycles(self, margins: dict[tuple[int, int], Bootstrapped]) -> list[Cycle]:
        shown = []
        for (k, other), margin in margins.items():
            p = p_value(margin, self.tournament.num_seeds)
            if p is not None and p * len(margins) <= _DOUBT:  # Bonferroni: no step of any cycle is to be chance
                pair = (self.specs[k], self.specs[other])
                shown.append(pair if margin.estimate > 0 else pair[::-1])
        return shortest_cycles(shown)

    def _by_seat(self, column: str) -> Floats:
        """(n, P) a column of lists."""
        return np.array(self.rows[column].to_list(), np.float64)

    def _by_side(self, by_seat: NDArray[T]) -> NDArray[T]:
        """(n, P) what all seats of a team have in common, once for each team: (n, T) of them."""
        return by_seat[:, self.teams.first_seats]

    def _sums(self, by_seat: Floats) -> Floats:
        """(n, P) as sums of teams, (n, T)."""
        return np.stack([by_seat[:, list(seats)].sum(axis=1) for seats in self.teams.seats], axis=1)

    def _intervals(self, values: Floats, groups: NDArray[np.int64]) -> dict[int, Interval]:
        """The mean of each group's values, (n,) or (n, sides), over the seeds; every group occurs in each seed."""
        present, means = self._means(values, groups)
        return dict(zip(present, self.resampling.intervals(means), strict=True))

    def _wins(self, groups: NDArray[np.int64]) -> dict[int, Interval]:
        """How often the seats of each group, (n, sides), win: of several seats of a game one, of all always one."""
        present, means = self._means(self.wins, groups)
        seats, games = (np.bincount(of.ravel())[present] for of in (groups, _in_games(groups)))
        most = np.where(seats == games * groups.shape[1], np.inf, games / seats)
        return dict(zip(present, self.resampling.shares(means, games, most), strict=True))

    def _means(self, values: Floats, groups: NDArray[np.int64]) -> tuple[list[int], Floats]:
        """The groups that occur, G of them, and the mean of each one's values in each seed, (S, G)."""
        seeds = np.broadcast_to(self.seeds.reshape(-1, *[1] * (values.ndim - 1)), values.shape)
        present, compact = np.unique(groups, return_inverse=True)
        return present.tolist(), seed_means(values.ravel(), seeds.ravel(), compact.ravel(), len(present))


def _in_games(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """The groups of (n, sides) that each of n games has, each once."""
    span = groups.max() + 1
    return np.unique(np.arange(len(groups))[:, np.newaxis] * span + groups) % span
