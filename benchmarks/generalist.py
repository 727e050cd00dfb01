"""A policy that was trained on varied rulesets beside one that was trained on a single ruleset.

``python benchmarks/generalist.py GENERALIST SPECIALIST``, two files of policies, some minutes: first each of them alone
against agents and at mixed tables, with the specialist's ruleset, where the generalist should lose little. Then both
meet in 20 rulesets that neither has seen: as many of each at a table, and each alone among copies of the other. Seeds
are the same everywhere, and intervals resample them. Both take their likeliest actions, unless ``--way stochastic`` is
given.

Prints tables; ``runs/generalist`` (``--out``) has the picture ``generalist.svg``, ``generalist.json``, and the games
that were played, so that the same command goes on where it was interrupted.
"""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ursuppe_agents.arena import Tournament
from ursuppe_agents.arena.lineups import Lineup
from ursuppe_agents.arena.matches import keys_of, try_agents
from ursuppe_agents.arena.play import ADDED, COLUMNS, play_batch
from ursuppe_agents.arena.tournament import MatchBatch
from ursuppe_agents.jobs.folder import RunFolder, to_json
from ursuppe_agents.jobs.parts import do_parts
from ursuppe_agents.registry import agent_spec
from ursuppe_agents.reports.plotting import INK, LINE, STYLE, as_file, points
from ursuppe_agents.reports.text import about_intervals, value
from ursuppe_agents.statistics import Interval, Resampling, bootstrap, seed_means
from ursuppe_env import Ruleset
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically
from ursuppe_training.config import MIXED
from ursuppe_training.default_policies import policy_path
from ursuppe_training.evaluation import GAMES_AT_ONCE, WAYS, evaluation_tournament
from ursuppe_training.policy_agent import TrainedElsewhereWarning
from ursuppe_training.policy_files import read_provenance
from ursuppe_training.provenance import file_digest
from ursuppe_training.rulesets import varied_rulesets

_POOL = ("breeder", "hoarder", "hunter", "greedy")
_GAMES_SEED = 2**61  # of no training, and of no other measurement
_RULESETS_SEED = 2**40  # seeds of training are below 2**32
_POINTS = "+.1f"


class Gain(NamedTuple):
    """Wins alone against P-1 of an opponent; "all": the mean of all opponents."""

    opponent: str
    generalist: Interval
    specialist: Interval
    difference: Interval


class Meeting(NamedTuple):
    """What the generalist wins more than its share where both meet; all are parts of games.

    Attributes:
        name: of the ruleset, or what is a mean of.
        changed: the fields of the ruleset that differ from its edition.
        halves: at tables with as many of both, more than a half; None if the number of players is odd.
        alone: what it wins more, alone among the others, than one of these alone among its like.
    """

    name: str
    changed: tuple[str, ...]
    halves: Interval | None
    alone: Interval


@dataclass(frozen=True)
class Comparison:
    """All figures.

    Attributes:
        num_seeds: of the games as printed, and of those of each unseen ruleset.
        gains: against each opponent, and all.
        meetings: in each unseen ruleset.
        mean: of these rulesets, whose interval resamples seeds.
        mean_of_any: the same, but its interval resamples rulesets: of any that could have been drawn.
    """

    num_seeds: tuple[int, int]
    gains: list[Gain]
    meetings: list[Meeting]
    mean: Meeting
    mean_of_any: Meeting

    def as_dict(self) -> dict[str, Any]:
        """For JSON; a missing interval is null."""
        meetings = [*self.meetings, self.mean, self.mean_of_any]
        return {
            "seeds": self.num_seeds,
            "gains": [
                {"opponent": gain.opponent, **{name: _as_json(getattr(gain, name)) for name in Gain._fields[1:]}}
                for gain in self.gains
            ],
            "meetings": [
                {"name": one.name, "changed": one.changed, "halves": _as_json(one.halves), "alone": _as_json(one.alone)}
                for one in meetings
            ],
        }


def _as_json(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else {"estimate": interval.estimate, "interval_95": interval.ends}


def main() -> None:
    """Play, print tables, and write picture and figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("generalist", type=policy_path, help="a policy of varied rulesets: a file, or default")
    parser.add_argument("specialist", type=Path, help="that of one which was trained with a single ruleset")
    parser.add_argument("--games", type=int, default=2000, help="of each policy against each opponent")
    parser.add_argument("--rulesets", type=int, default=20, help="that neither policy has seen")
    parser.add_argument("--ruleset-games", type=int, default=400, help="of each lineup in each of them")
    parser.add_argument("--way", choices=list(WAYS), default="deterministic", help="how both play")
    parser.add_argument("--workers", type=int, help="processes; one a core if not given")
    parser.add_argument("--out", type=Path, default=Path("runs/generalist"), help="folder of what comes out")
    given = parser.parse_args()
    compared = compare(
        given.generalist,
        given.specialist,
        num_games=given.games,
        num_rulesets=given.rulesets,
        ruleset_games=given.ruleset_games,
        way=given.way,
        folder=given.out,
        workers=given.workers,
    )
    write_atomically(given.out / "generalist.json", to_json(compared.as_dict()))
    write_atomically(given.out / "generalist.svg", draw(compared))
    console = Console(width=120)
    for table in tables(compared):
        console.print(table)


def compare(
    generalist: Path,
    specialist: Path,
    num_games: int,
    num_rulesets: int,
    ruleset_games: int,
    way: str,
    folder: Path,
    workers: int | None = None,
) -> Comparison:
    """Play all games, or what is left of them.

    Raises:
        ValueError: a policy is damaged, both are the same, or they are for other numbers of players; or the folder has
            other games.
    """
    printed = read_provenance(specialist).played
    players = read_provenance(generalist).players
    if players != printed.players:
        raise ValueError(f"{generalist} was trained with {players} players, {specialist} with {printed.players}")
    if generalist == specialist:
        raise ValueError(f"generalist and specialist are both {generalist}; give two policies")
    ours, theirs = (agent_spec("policy", model=str(model), **WAYS[way]) for model in (generalist, specialist))
    rulesets = varied_rulesets(players, num_rulesets, _RULESETS_SEED)
    lineups = [lineup for model in (generalist, specialist) for lineup in pool_lineups(model, way, num_games, printed)]
    alone = _tournament(lineups, num_games, printed)
    meeting = [_tournament(meeting_lineups(ours, theirs, players), ruleset_games, ruleset) for ruleset in rulesets]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainedElsewhereWarning)  # that is what is asked
        try_agents(alone)
        tournaments = [alone, *meeting]
        described = {
            "policies": [file_digest(generalist), file_digest(specialist)],
            "tournaments": [tournament.as_dict() for tournament in tournaments],
        }
        rows, *rows_of_meetings = play(tournaments, RunFolder(folder, described, COLUMNS, ADDED), workers)
    of_rulesets = [_meeting_means(tournament, rows) for tournament, rows in zip(meeting, rows_of_meetings, strict=True)]
    resampling = Resampling(meeting[0].num_seeds, np.random.default_rng(_GAMES_SEED))
    return Comparison(
        num_seeds=(alone.num_seeds, meeting[0].num_seeds),
        gains=gains(alone, rows),
        meetings=[
            _meeting(f"ruleset {number}", ruleset, resampling.intervals(means))
            for number, (ruleset, means) in enumerate(zip(rulesets, of_rulesets, strict=True), 1)
        ],
        mean=_meeting("mean", None, resampling.intervals(np.mean(of_rulesets, axis=0))),
        mean_of_any=_meeting(
            "mean of any such rulesets",
            None,
            [bootstrap(column, np.random.default_rng(_GAMES_SEED)) for column in np.mean(of_rulesets, axis=1).T],
        ),
    )


def pool_lineups(model: Path, way: str, num_games: int, ruleset: Ruleset) -> list[Lineup]:
    """A policy at all tables of an evaluation, in one of the ways in which it can play."""
    lineups = evaluation_tournament(model, [*_POOL, MIXED], num_games, ruleset=ruleset).lineups
    return list(lineups[list(WAYS).index(way) :: len(WAYS)])


def meeting_lineups(ours: str, theirs: str, players: int) -> list[Lineup]:
    """Each alone among copies of the other; then, if possible, as many of both, by turns and side by side."""
    alone = [(ours, *[theirs] * (players - 1)), (theirs, *[ours] * (players - 1))]
    half = players // 2
    return alone if players % 2 else [*alone, (ours, theirs) * half, (ours,) * half + (theirs,) * half]


def play(tournaments: Sequence[Tournament], kept: RunFolder, workers: int | None) -> list[pl.DataFrame]:
    """The rows of the games of each tournament; those that are in the folder are not played again."""
    batches = [batch for tournament in tournaments for batch in tournament.batches()]
    parts = [_Part(number, batch) for number, batch in enumerate(batches)]
    sizes = [tournament.total_games for tournament in tournaments]
    with progress_bar() as progress:
        task = progress.add_task("games", total=sum(sizes))
        rows = do_parts(
            _play,
            parts,
            lambda part: keys_of(part.batch),
            kept,
            workers,
            on_progress=lambda over: progress.update(task, completed=over),
        )
    starts = np.cumsum([0, *sizes])
    return [rows[int(start) : int(start) + size] for start, size in zip(starts, sizes, strict=False)]


@dataclass(frozen=True)
class _Part:
    """A batch of one of the tournaments; those of all are numbered through."""

    number: int
    batch: MatchBatch


def _play(part: _Part) -> pl.DataFrame:
    return play_batch(part.batch)


def won_by_first(tournament: Tournament, rows: pl.DataFrame, groups: Sequence[int]) -> NDArray[np.float64]:
    """(S, G) the part of a seed's games that is won by agents like the first one of the lineup.

    Args:
        tournament: what was played.
        rows: its games.
        groups: of each lineup the number of its group.
    """
    firsts = pl.Series([lineup[0] for lineup in tournament.lineups])
    winner = rows.select(pl.col("agents").list.get(pl.col("ranks").list.arg_min())).to_series()
    won = (winner == firsts.gather(rows["lineup"])).to_numpy().astype(np.float64)
    return seed_means(won, rows["index"].to_numpy(), np.array(groups)[rows["lineup"].to_numpy()], max(groups) + 1)


def gains(tournament: Tournament, rows: pl.DataFrame) -> list[Gain]:
    """Against each opponent and all of them.

    Args:
        tournament: the generalist at all tables of the pool, then the specialist at the same ones.
        rows: its games.
    """
    tables = len(tournament.lineups) // 2
    opponents = [lineup[1] if len(set(lineup[1:])) == 1 else MIXED for lineup in tournament.lineups[:tables]]
    names = list(dict.fromkeys(opponents))
    groups = [names.index(opponent) + len(names) * policy for policy in range(2) for opponent in opponents]
    won = won_by_first(tournament, rows, groups)
    ours, theirs = (np.column_stack([part, part.mean(axis=1)]) for part in np.split(won, 2, axis=1))
    resampling = Resampling(len(won), np.random.default_rng(_GAMES_SEED))
    found = [resampling.intervals(means) for means in (ours, theirs, ours - theirs)]
    return [Gain(*figures) for figures in zip([*names, "all"], *found, strict=True)]


def _tournament(lineups: Sequence[Lineup], num_games: int, ruleset: Ruleset) -> Tournament:
    return Tournament(
        lineups=tuple(lineups), num_games=num_games, ruleset=ruleset, seed=_GAMES_SEED, games_at_once=GAMES_AT_ONCE
    )


def _meeting_means(tournament: Tournament, rows: pl.DataFrame) -> NDArray[np.float64]:
    """(S, 1 or 2) what the generalist wins more: alone, and, if they were played, at tables with as many of both."""
    won = won_by_first(tournament, rows, [0, 1, 2, 2][: len(tournament.lineups)])
    return np.column_stack([won[:, 0] - won[:, 1], won[:, 2:] - 1 / 2])


def _meeting(name: str, ruleset: Ruleset | None, figures: Sequence[Interval]) -> Meeting:
    changed = () if ruleset is None else tuple(ruleset.changes())
    return Meeting(name, changed, figures[1] if len(figures) > 1 else None, figures[0])


def tables(compared: Comparison) -> list[Table]:
    """What is printed; wins in per cent, differences in points."""
    seeds, ruleset_seeds = compared.num_seeds
    alone = Table("alone against", "generalist, %", "specialist, %", "difference", title="As printed")
    alone.caption = about_intervals([seeds])
    for gain in compared.gains:
        wins = (value(figure, ".1f", 100) for figure in (gain.generalist, gain.specialist))
        alone.add_row(gain.opponent, *wins, value(gain.difference, _POINTS, 100))
    met = Table("", "fields changed", "as many of both", "alone", title="What the generalist wins more, in points")
    met.caption = about_intervals([ruleset_seeds]) + "; those of any rulesets resample the rulesets"
    for one in compared.meetings:
        met.add_row(one.name, str(len(one.changed)), *_in_points(one))
    met.add_section()
    for one in (compared.mean, compared.mean_of_any):
        met.add_row(one.name, "", *_in_points(one))
    return [alone, met]


def _in_points(meeting: Meeting) -> list[str]:
    return [value(figure, _POINTS, 100) for figure in (meeting.halves, meeting.alone)]


def draw(compared: Comparison) -> bytes:
    """An SVG: a line for each unseen ruleset, from the best to the worst, and one for the mean."""
    meetings = [*sorted(compared.meetings, key=lambda one: -one.alone.estimate), compared.mean]
    panels = {"alone": [one.alone for one in meetings]}
    if compared.mean.halves is not None:
        panels["as many of both"] = [one.halves for one in meetings if one.halves is not None]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9, 1 + LINE * len(meetings)), layout="constrained")
        for axes, (title, intervals) in zip(
            figure.subplots(1, len(panels), sharey=True, squeeze=False)[0], panels.items(), strict=True
        ):
            points(axes, [interval.times(100) for interval in intervals], np.arange(len(meetings)))
            axes.axvline(0, color=INK, linewidth=0.8, linestyle="--")
            axes.set_title(title, fontsize=9)
            axes.set_yticks(range(len(meetings)), [one.name for one in meetings])
        figure.supxlabel("points that the generalist wins more than the specialist", fontsize=9)
        return as_file(figure, "generalist", "A generalist and a specialist in rulesets that neither has seen")


if __name__ == "__main__":
    main()
