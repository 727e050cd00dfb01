"""Replay many records side by side: the quick way through a file of them, for data sets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.games import Games, trusted_games
from ursuppe_env.records.format import Record, RecordError
from ursuppe_env.records.replay import RecordVerifier, beginning, next_event, replay
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED
from ursuppe_env.rules.state import STATE, plain_memory


@dataclass(frozen=True)
class Moment:
    """N games of as many records, at the moment before each of them takes its next event.

    ``games`` is a batch of N, row i the game of record i. It moves on when the next moment is asked for.
    """

    games: Games
    rows: NDArray[np.int64]  # (n,) the games in which somebody decides now
    actions: NDArray[np.int64]  # (n,) what they do, as action ids
    events: NDArray[np.int64]  # (n,) the numbers of these events in their records
    round_over: NDArray[np.int64]  # the games in which a round is just over, the last one too


def replay_together(records: Sequence[Record], first_number: int = 1) -> Iterator[Moment]:
    """Play records on the engine, each one event a moment; a record of a game that is not over ends where it was left.

    Args:
        records: at least one, all for the same number of players.
        first_number: of the first record, for the message of an error.

    Raises:
        RecordError: as ``replay``; the message begins with ``game K: ``, the number of the record.
    """
    try:
        yield from _replay_together(records)
    except ValueError:
        for number, record in enumerate(records, first_number):  # which one is wrong? ``replay`` says what
            try:
                for _ in replay(record):
                    pass
            except RecordError as error:
                named = RecordError(f"game {number}: {error}")
                named.game = number
                raise named from None
        raise


def _replay_together(records: Sequence[Record]) -> Iterator[Moment]:
    games = _beginnings(records)
    verifiers = [RecordVerifier(record) for record in records]
    lengths = np.array([len(record.events) for record in records])
    is_whole = np.array([record.is_finished for record in records])
    numbers = np.zeros(len(records), np.int64)  # of the next event
    is_left = np.zeros(len(records), bool)  # this record is at its end

    def end(ends: NDArray[np.bool_]) -> None:
        """These records are at their ends."""
        for row in np.flatnonzero(ends).tolist():
            verifiers[row].end(games, row)
        np.logical_or(is_left, ends, out=is_left)

    def going_on(asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of these games, that ask something, have an event to answer it; the others are left here."""
        ends = asked & ~is_left & (numbers == lengths)
        _refuse_if((ends & is_whole).any())
        end(ends)
        return asked & ~is_left

    while True:
        player = games.player
        deciding = going_on(player >= 0)
        round_over = ((player == PAUSED) | (player == FINISHED)) & ~is_left
        finished = (player == FINISHED) & ~is_left
        _refuse_if((finished & (numbers < lengths)).any())
        for row in np.flatnonzero(round_over).tolist():
            verifiers[row].end_round(games, row, int(numbers[row]))
        end(finished)
        rows = np.flatnonzero(deciding)
        actions = np.zeros(len(rows), np.int64)
        for i, row in enumerate(rows.tolist()):
            _, seat, text = next_event(records[row], games, row, int(numbers[row]))
            actions[i] = games.actions.id(text, seat)
            verifiers[row].decide(games, row, int(numbers[row]))
        yield Moment(games, rows, actions, numbers[rows], np.flatnonzero(round_over))
        if is_left.all():
            return
        games.resume()  # first: what follows may lead to the next end of a round, which is for the next moment
        chance = going_on(games.player == CHANCE_PLAYER)
        values: list[Any] = [None] * len(records)
        for row in np.flatnonzero(chance).tolist():
            values[row] = next_event(records[row], games, row, int(numbers[row]))[1]
        while (is_left & (games.player == CHANCE_PLAYER)).any():
            games.draw(is_left)  # ``resolve`` wants a value for every game that waits
        games.resolve(values)
        games.step(actions, rows)
        numbers += chance | deciding


def _refuse_if(wrong: bool | np.bool_) -> None:
    if wrong:
        raise RecordError("a record and its game do not end together")


def _beginnings(records: Sequence[Record]) -> Games:
    """The games before their first events, as one batch."""
    states = np.concatenate([plain_memory(beginning(record).state) for record in records]).view(STATE)
    number_of = {ruleset: number for number, ruleset in enumerate(dict.fromkeys(one.ruleset for one in records))}
    states["ruleset"] = [number_of[record.ruleset] for record in records]
    return trusted_games(states, list(number_of), explicit_chance=True, pause_after_rounds=True)
