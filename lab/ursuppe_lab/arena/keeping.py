"""Records of an arena's games, made of the actions that it kept."""

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.records import Record
from ursuppe_env.records.recorder import GAMES_AT_ONCE, record_from
from ursuppe_lab.arena.tournament import Tournament


def records_of(tournament: Tournament, games: pl.DataFrame, lost: str | None = None) -> Iterator[Record]:
    """The records of a tournament that keeps actions.

    Args:
        tournament: as it was played.
        games: the rows of ``play_tournament``.
        lost: the spec of an agent: only games that it played and lost, with every seat that it had. None: all.
    """
    for rows in games.iter_slices(GAMES_AT_ONCE):
        actions, agents = rows["actions"].to_list(), rows["agents"].to_list()
        begun = Games(
            len(rows),
            tournament.ruleset,
            tournament.seed,
            index=rows["index"].to_numpy(),
            explicit_chance=True,
            pause_after_rounds=True,
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
