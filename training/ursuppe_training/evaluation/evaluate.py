"""How often a policy wins, alone among others: games of the arena, the same ones every time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainSerializer, TypeAdapter
from rich.markup import escape
from rich.table import Column, Table

from ursuppe_agents.policies.provenance import Provenance
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.parsing import parse_json
from ursuppe_env.teams import Teams, sides_of
from ursuppe_lab.arena import Tournament, play_tournament
from ursuppe_lab.arena.lineups import Lineup
from ursuppe_lab.jobs.folder import to_json
from ursuppe_lab.reports.text import about_intervals, percent, printable
from ursuppe_lab.statistics import Interval, Resampling, seed_means
from ursuppe_training.config import MIXED, check_pool
from ursuppe_training.seeds import Seed

with extra("train"):
    import polars as pl

EXPLOITABILITY = "exploitability"  # what the file of a run's evaluation has beside it

GAMES_AT_ONCE = 1024  # with these a network is a third faster than with the arena's default


@dataclass(frozen=True)
class MatchupResult:
    """The wins of a policy alone among P-1 others; with teams P is their number.

    Attributes:
        opponent: the spec of all others; or ``MIXED``: different agents of the pool, at several tables; in a duel the
            other policy's file.
        games: that were played.
        win_rate: with a 95 % interval that resamples seeds, if there are enough seeds.
        win_rate_by_seat: P of them; with teams of each team.
    """

    opponent: str
    games: int
    win_rate: Annotated[Interval, PlainSerializer(Interval._asdict)]
    win_rate_by_seat: tuple[float, ...]


@dataclass(frozen=True)
class Evaluation:
    """The wins of a policy at all tables of a pool.

    Attributes:
        seed: of the games.
        chance: the win rate of a player as strong as the others.
        results: of each opponent.
        teams: the seats of each team, such as ``0+2,1+3``; nothing: each seat for itself.
    """

    seed: int
    chance: float
    results: tuple[MatchupResult, ...]
    teams: str = ""

    @property
    def about_intervals(self) -> str:
        """Whether the win rates have intervals."""
        fewest = min(result.games for result in self.results)  # mixed tables share their seeds
        return about_intervals([round(fewest * self.chance)])  # a seed in each seat

    def as_table(self) -> Table:
        """The results for the terminal."""
        others = round(1 / self.chance) - 1
        one, side = (f"one of the teams {self.teams}", "team") if self.teams else ("one", "seat")
        title = f"Wins of {one} against {others}; chance {self.chance:.1%}; {self.about_intervals}"
        figures = (Column(heading, justify="right") for heading in ("games", "wins", f"by {side}"))
        table = Table(Column("against", overflow="fold"), *figures, title=title, min_width=70)
        for result in self.results:
            table.add_row(
                escape(f"{others} {printable(result.opponent)}"),
                f"{result.games:,}",
                percent(result.win_rate),
                " ".join(f"{100 * share:.1f}" for share in result.win_rate_by_seat),
            )
        return table


_EVALUATION = TypeAdapter(Evaluation)


def evaluate_policy(
    model: Path,
    pool: Sequence[str],
    num_games: int,
    seed: int = Seed.EVALUATION,
    ruleset: Ruleset | None = None,
    workers: int | None = 1,
    on_progress: Callable[[int], None] | None = None,
    teams: Teams | None = None,
) -> Evaluation:
    """Let a policy play at each table of a pool.

    The dice of a seed are the same with all lineups and in all evaluations, so that the difference of two policies is
    less noisy than their win rates.

    Args:
        model: the file of the policy.
        pool: specs of fast agents (for slow ones ``play_evaluation`` without ``GAMES_AT_ONCE``), which are met P-1 at a
            time; with ``"mixed"`` among them also tables of different ones, where there are two others at least.
        num_games: at each table; rounded up so that the policy plays each seed once in each seat.
        seed: of the games.
        ruleset: the numbers to play with; default: 4 players, edition 1998.
        workers: processes; None: one a core.
        on_progress: called with the number of games that are over, at first and then now and then.
        teams: who plays together: each agent has a team; None: each seat for itself.

    Raises:
        OSError: the file of the policy cannot be read.
        ValueError: an argument is out of its range, or an agent cannot be made or crashes; the message says which.
    """
    tournament = evaluation_tournament(model, pool, num_games, seed, ruleset, GAMES_AT_ONCE, teams)
    return play_evaluation(tournament, workers=workers, on_progress=on_progress)


def evaluation_tournament(
    model: Path,
    pool: Sequence[str],
    num_games: int,
    seed: int = Seed.EVALUATION,
    ruleset: Ruleset | None = None,
    games_at_once: int | None = None,
    teams: Teams | None = None,
) -> Tournament:
    """The lineups of an evaluation (``evaluate_policy``): the policy at each table.

    Args:
        games_at_once: as for ``Tournament``.

    Raises:
        ValueError: an argument is out of its range; the message names it.
    """
    ruleset = Ruleset() if ruleset is None else ruleset
    check_pool("pool", pool)
    if policy_spec(model) in pool:
        raise ValueError(f"pool has {policy_spec(model)}, which is evaluated; it must have other agents")
    lineups = [(policy_spec(model), *table) for table in tables_of(pool, len(sides_of(teams, ruleset.players)) - 1)]
    return tournament_of(lineups, num_games, ruleset, seed, teams, games_at_once)


def tournament_of(
    lineups: Sequence[Lineup],
    num_games: int,
    ruleset: Ruleset,
    seed: int,
    teams: Teams | None,
    games_at_once: int | None = GAMES_AT_ONCE,
) -> Tournament:
    """A tournament, of teams (None: each seat for itself)."""
    return Tournament(
        lineups=tuple(lineups),
        num_games=num_games,
        ruleset=ruleset,
        seed=seed,
        games_at_once=games_at_once,
        teams=None if teams is None else teams.seats,
        score="worst" if teams is None else teams.score,
    )


def play_evaluation(
    tournament: Tournament,
    folder: Path | None = None,
    workers: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Play the games of an ``evaluation_tournament``, or what is left of them. All else is as for ``play_tournament``.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: an agent cannot be made or crashes, or the folder belongs to something else; the message says which.
    """
    rows, _ = play_tournament(tournament, folder, workers, on_progress=on_progress)
    names = [lineup[1] if len(set(lineup[1:])) == 1 else MIXED for lineup in tournament.lineups]
    teams = "" if tournament.partition is None else str(tournament.partition)
    return Evaluation(tournament.seed, 1 / tournament.sides, _results(tournament, rows, names), teams)


def play_duel(
    model: Path, other: Path, num_games: int, seed: int, ruleset: Ruleset, teams: Teams | None = None
) -> tuple[MatchupResult, MatchupResult]:
    """The wins of a policy alone among P-1 of another one, and those of the other alone among P-1 of the first.

    It takes both figures to tell which is the better one: whoever is alone may be at a disadvantage. All that is not
    said here is as for ``evaluate_policy``.

    Args:
        model: the file of the one.
        other: that of the other.
        num_games: of each of the two; rounded up to whole rotations of the seats.

    Raises:
        OSError: a file cannot be read.
        ValueError: one is no policy for such games.
    """
    first, second = policy_spec(model), policy_spec(other)
    if first == second:
        raise ValueError(f"model and other are both {model}; they must be two policies")
    others = len(sides_of(teams, ruleset.players)) - 1
    lineups = [(first, *[second] * others), (second, *[first] * others)]
    tournament = tournament_of(lineups, num_games, ruleset, seed, teams)
    rows, _ = play_tournament(tournament, workers=1)
    ours, theirs = _results(tournament, rows, [str(other), str(model)])
    return ours, theirs


def evaluation_file(evaluation: Evaluation, provenance: Provenance) -> bytes:
    """The content of a file with an evaluation, and with where the policy comes from; a missing interval is null."""
    policy, intervals = provenance.model_dump(), evaluation.about_intervals
    return to_json({"policy": policy, "intervals": intervals, **_EVALUATION.dump_python(evaluation, mode="json")})


def read_evaluation(path: Path) -> Evaluation:
    """The evaluation in a file of ``ursuppe evaluate``, or of a run.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or something else.
    """
    try:
        return _EVALUATION.validate_python(parse_json(path.read_bytes()))
    except ValueError as error:
        raise ValueError(f"{path} is damaged, or no evaluation of `ursuppe evaluate`") from error


def read_best_response(path: Path) -> Interval | None:
    """What the best that was tried against the policy wins alone, as the file of a run says; None if it does not.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or something else.
    """
    try:
        found = parse_json(path.read_bytes()).get(EXPLOITABILITY)
        return None if found is None else Interval(**found["wins"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"{path} is damaged, or no evaluation of `ursuppe train`") from error


def policy_spec(model: Path) -> str:
    """Of the policy in a file, which draws at the temperature that the file says."""
    return agent_spec("policy", model=str(model))


def tables_of(pool: Sequence[str], others: int) -> list[tuple[str, ...]]:
    """So many others at each table of a pool.

    Mixed tables are neighbours in the circle of all agents, so that each is at as many; where there is one other, there
    are none.
    """
    agents = [spec for spec in pool if spec != MIXED]
    tables = [(spec,) * others for spec in agents]
    if MIXED in pool and others > 1:
        starts = range(len(agents) if len(agents) != others else 1)  # all others are the same ones, once is enough
        tables += [tuple(agents[(start + place) % len(agents)] for place in range(others)) for start in starts]
    return tables


def wins_of_the_first(rows: pl.DataFrame, teams: Teams | None) -> NDArray[np.float64]:
    """(n,) 1 in each of these games that the agent in place 0 of its lineup won, 0 in the others."""
    seat = pl.col("rotation")  # it has the seat, or the team, of the rotation's number
    if teams is not None:
        seat = seat.replace_strict(range(len(teams)), teams.first_seats.tolist())
    return rows.select(pl.col("ranks").list.get(seat) == 1).to_series().to_numpy().astype(np.float64)


def _results(tournament: Tournament, rows: pl.DataFrame, names: Sequence[str]) -> tuple[MatchupResult, ...]:
    """The wins of the first place of each lineup; lineups with the same name of opponents are one result."""
    sides = tournament.sides
    results = list(dict.fromkeys(names))
    result_of = np.array([results.index(name) for name in names])[rows["lineup"].to_numpy()]  # (n,)
    won = wins_of_the_first(rows, tournament.partition)
    cells = result_of * sides + rows["rotation"].to_numpy().astype(np.int64)
    by_side = np.bincount(cells, won) / np.bincount(cells)
    means = seed_means(won, rows["index"].to_numpy(), result_of, len(results))
    games = np.bincount(result_of)
    win_rates = Resampling(tournament.num_seeds, np.random.default_rng(tournament.seed)).shares(means, games)
    return tuple(
        MatchupResult(opponent, int(games[k]), win_rates[k], tuple(by_side[k * sides : (k + 1) * sides].tolist()))
        for k, opponent in enumerate(results)
    )
