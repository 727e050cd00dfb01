"""Playing a tournament, a batch at a time; keeping its results, and telling its games as records."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.records import Record
from ursuppe_env.records.recorder import GAMES_AT_ONCE, record_from
from ursuppe_env.teams import sides_of
from ursuppe_lab.arena.matches import KEYS, ActionLog, Matches, Observer, keys_of, seat_agents, try_agents
from ursuppe_lab.arena.summary import Summary, summarise
from ursuppe_lab.arena.tournament import MatchBatch, Tournament
from ursuppe_lab.jobs.folder import RunFolder, do_parts

#: One row a game. Lists have an entry for each seat.
COLUMNS = pl.Schema(
    {
        **KEYS,
        "rounds": pl.Int8(),  # that were played
        "agents": pl.List(pl.String),
        "ranks": pl.List(pl.Int8),  # 1 for the winner; with teams of the seat's team
        "markers": pl.List(pl.Int16),  # places on the track
        "decisions": pl.List(pl.Int32),  # with two or more legal actions
        "forfeits": pl.List(pl.Int32),  # of these, with a random action because the agent had none of its own
        "seconds": pl.List(pl.Float32),  # of thinking; several games thought about at once share the time equally
        "actions": pl.List(pl.Int16),  # ids of all that were taken, in their order; null unless they are kept
    }
)


def play_batch(batch: MatchBatch) -> pl.DataFrame:
    """Play a batch's games, and return a row of ``COLUMNS`` for each; errors are those of ``play_tournament``.

    The same batch gives the same rows, but for ``seconds`` and what agents with a time budget do.
    """
    return rows_of(batch, seat_agents(batch))


def rows_of(batch: MatchBatch, matches: Matches, *observers: Observer) -> pl.DataFrame:
    """Play a batch with these agents, which observers may watch; rows and errors are those of ``play_batch``."""
    taken = ActionLog(len(matches.games)) if batch.tournament.keeps_actions else None
    tally = matches.play(*observers, *() if taken is None else (taken,))
    markers = matches.games.markers
    sides = sides_of(batch.tournament.partition, matches.games.num_players)
    return pl.DataFrame(
        {
            **keys_of(batch).to_dict(),
            "rounds": matches.games.rounds,
            "agents": [[matches.specs[member] for member in row] for row in matches.seating],
            "ranks": (1 + sides.ahead(markers)[:, sides.team_of]).tolist(),
            "markers": markers.tolist(),
            "decisions": tally.decisions.tolist(),
            "forfeits": tally.forfeits.tolist(),
            "seconds": tally.seconds.tolist(),
            "actions": None if taken is None else taken.ids,
        },
        schema=COLUMNS,
    )


def play_tournament(
    tournament: Tournament,
    folder: Path | None = None,
    workers: int | None = None,
    ray: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[pl.DataFrame, Summary]:
    """Play a tournament, or what is left of it.

    The rows are the same whatever the workers, but for the time that agents took and what agents with a time budget do.

    Args:
        tournament: what to play.
        folder: for ``games.parquet``, ``summary.json``, ``report.html``, and each part as soon as it is done, so that
            the same call resumes an interrupted one. None: nothing is kept.
        workers: processes; None: one per core.
        ray: play on a Ray cluster instead.
        on_progress: called with the number of games that are over, at first and then after each part.

    Returns:
        A row for each game (``ursuppe_lab.arena.play.COLUMNS``), and their summary.

    Raises:
        AgentError: an agent crashed or gave an illegal action; the parts that are done are kept.
        ValueError: an argument is out of its range, a spec describes no agent, or the folder belongs to something else.
        OSError: the folder cannot be read or written.
    """
    try_agents(tournament)
    kept = None
    if folder is not None:
        players = [tournament.ruleset.players]
        kept = RunFolder(Path(folder), tournament.as_dict(), COLUMNS, tournament.agents, players)
    games = do_parts(play_batch, tournament.batches(), keys_of, kept, workers, ray, on_progress)
    summary = summarise(tournament, games)
    if kept is not None:
        from ursuppe_lab.arena.report import html_report  # matplotlib, which the workers need not wait for

        kept.write_results(games, summary.as_dict(), html_report(summary, kept.origins))
    return games, summary


def records_of(tournament: Tournament, games: pl.DataFrame, lost: str | None = None) -> Iterator[Record]:
    """The records of a tournament that keeps actions.

    Args:
        tournament: as it was played.
        games: the rows of ``play_tournament``.
        lost: the spec of an agent: only games that it played and lost, with every seat that it had. None: all.
    """
    if not tournament.keeps_actions:
        raise ValueError("the tournament keeps no actions; play it with keeps_actions=True")
    for rows in games.iter_slices(GAMES_AT_ONCE):
        index, actions, agents = rows["index"].to_numpy(), rows["actions"].to_list(), rows["agents"].to_list()
        begun = Games(
            len(rows), tournament.ruleset, tournament.seed, index=index, explicit_chance=True, pause_after_rounds=True
        )
        played = [_again(actions)] * tournament.ruleset.players
        for record in record_from(begun, [None] * len(rows), agents, played, teams=tournament.partition):
            names = record.agents or []
            if lost is None or (lost in names and all(names[seat] != lost for seat in record.winners)):
                yield record


def _again(actions: list[list[int]]) -> Callable[[Games, NDArray[np.int64]], NDArray[np.int64]]:
    """A player of all seats who takes these actions, game by game."""
    left = [iter(taken) for taken in actions]
    return lambda games, rows: np.array([next(left[row]) for row in rows.tolist()])
