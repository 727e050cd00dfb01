"""How often a policy wins, one against P-1 of a kind: games of the arena, the same ones every time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import polars as pl
from rich.markup import escape
from rich.table import Table

from ursuppe_agents.arena import Tournament, play_tournament
from ursuppe_agents.registry import agent_spec
from ursuppe_agents.reports.text import about_intervals, percent, printable
from ursuppe_agents.statistics import Interval
from ursuppe_env import Ruleset

#: The ways in which a policy can play: by drawing from its probabilities, or the likeliest action each time.
WAYS = {"stochastic": {}, "deterministic": {"deterministic": True}}  # with the parameters of its agent

GAMES_AT_ONCE = 1024  # with these a network is three times as fast as with the arena's default


@dataclass(frozen=True)
class Result:
    """The wins of a policy in one way of playing against P-1 of one opponent.

    Attributes:
        opponent: its spec.
        way: one of ``WAYS``.
        games: that were played.
        win_rate: with a 95 % interval that resamples seeds, if there are enough seeds.
        win_rate_by_seat: P of them.
    """

    opponent: str
    way: str
    games: int
    win_rate: Interval
    win_rate_by_seat: tuple[float, ...]


@dataclass(frozen=True)
class Evaluation:
    """The wins of a policy against all opponents of a pool.

    Attributes:
        seed: of the games.
        chance: the win rate of a player as strong as the others.
        results: of each opponent in each way of playing.
    """

    seed: int
    chance: float
    results: tuple[Result, ...]

    @property
    def about_intervals(self) -> str:
        """Whether the win rates have intervals."""
        return about_intervals([round(result.games * self.chance) for result in self.results])  # a seed in each seat

    def as_dict(self) -> dict[str, Any]:
        """The results for JSON; a missing interval is null."""
        return {
            "seed": self.seed,
            "chance": self.chance,
            "intervals": self.about_intervals,
            "results": [
                {
                    "opponent": result.opponent,
                    "way": result.way,
                    "games": result.games,
                    "win_rate": result.win_rate.estimate,
                    "interval_95": result.win_rate.ends,
                    "win_rate_by_seat": list(result.win_rate_by_seat),
                }
                for result in self.results
            ],
        }

    def as_table(self) -> Table:
        """The results for the terminal."""
        others = round(1 / self.chance) - 1
        table = Table(
            title=f"Wins of one against {others}; chance {self.chance:.1%}; {self.about_intervals}", min_width=70
        )
        table.add_column("against", overflow="fold")
        table.add_column("plays")
        for heading in ("games", "wins", "by seat"):
            table.add_column(heading, justify="right")
        for result in self.results:
            table.add_row(
                escape(f"{others} {printable(result.opponent)}"),
                result.way,
                f"{result.games:,}",
                percent(result.win_rate),
                " ".join(f"{100 * share:.1f}" for share in result.win_rate_by_seat),
            )
        return table


def evaluate_policy(
    model: Path,
    pool: Sequence[str],
    num_games: int,
    seed: int = 0,
    ruleset: Ruleset | None = None,
    workers: int | None = 1,
    on_progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Let a policy play against each opponent of a pool, in each way of playing.

    The dice of a seed are the same with all lineups and in all evaluations, so that the difference of two policies is
    less noisy than their win rates.

    Args:
        model: the file of the policy.
        pool: specs of fast agents; for slow ones ``play_evaluation`` without ``GAMES_AT_ONCE``.
        num_games: of each way against each opponent; rounded up so that the policy plays each seed once in each seat.
        seed: of the games.
        ruleset: the numbers to play with; default: 4 players, edition 1998.
        workers: processes; None: one a core.
        on_progress: called with the number of games that are over, at first and then now and then.

    Raises:
        OSError: the file of the policy cannot be read.
        ValueError: an argument is out of its range, or an agent cannot be made or crashes; the message says which.
    """
    tournament = evaluation_tournament(model, pool, num_games, seed, ruleset, GAMES_AT_ONCE)
    return play_evaluation(tournament, workers=workers, on_progress=on_progress)


def evaluation_tournament(
    model: Path,
    pool: Sequence[str],
    num_games: int,
    seed: int = 0,
    ruleset: Ruleset | None = None,
    games_at_once: int | None = None,
) -> Tournament:
    """The lineups of an evaluation: the policy in each way of playing, alone against P-1 of each opponent.

    Args:
        model: as all up to ``ruleset`` for ``evaluate_policy``.
        pool: as above.
        num_games: as above.
        seed: as above.
        ruleset: as above.
        games_at_once: as for ``Tournament``.

    Raises:
        ValueError: an argument is out of its range; the message names it.
    """
    ruleset = Ruleset() if ruleset is None else ruleset
    twice = next((spec for spec in pool if pool.count(spec) > 1), None)
    if twice is not None:
        raise ValueError(f"opponent {twice} is named twice")
    lineups = tuple(
        (agent_spec("policy", model=str(model), **parameters), *[opponent] * (ruleset.players - 1))
        for opponent in pool
        for parameters in WAYS.values()
    )
    return Tournament(lineups=lineups, num_games=num_games, ruleset=ruleset, seed=seed, games_at_once=games_at_once)


def play_evaluation(
    tournament: Tournament,
    folder: Path | None = None,
    workers: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Evaluation:
    """Play the games of an ``evaluation_tournament``, or what is left of them.

    Args:
        tournament: what to play.
        folder: as all that follow for ``play_tournament``.
        workers: as above.
        on_progress: as above.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: an agent cannot be made or crashes, or the folder belongs to something else; the message says which.
    """
    rows, summary = play_tournament(tournament, folder, workers, on_progress=on_progress)
    # The policy is in place 0 of its lineup: it has the seat of the rotation's number.
    won = rows.select("lineup", "rotation", won=pl.col("ranks").list.get(pl.col("rotation")) == 1)
    by_seat = won.group_by("lineup", "rotation").agg(pl.col("won").mean()).sort("lineup", "rotation")
    rates = by_seat["won"].to_numpy().reshape(len(tournament.lineups), -1).tolist()
    results = [
        Result(
            opponent=figures.lineup[-1],
            way=way,
            games=figures.games,
            win_rate=figures.win_rates[figures.lineup[0]],
            win_rate_by_seat=tuple(in_seats),
        )
        for figures, way, in_seats in zip(summary.lineups, cycle(WAYS), rates, strict=False)
    ]
    return Evaluation(tournament.seed, 1 / tournament.ruleset.players, tuple(results))
