"""Replay a record step by step on the engine, or many side by side, and compare them with what the engine does."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.games import Games, trusted_games
from ursuppe_env.line import counted, quoted
from ursuppe_env.parsing import first_difference
from ursuppe_env.records.format import CHANCE_NAMES, DECISION_NAMES, Record, RecordError, result, snapshot
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, Chance
from ursuppe_env.rules.ruleset import NUMBERS, SWITCHES
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_env.teams import Teams


@dataclass(frozen=True)
class Step:
    """One event of a record, at the moment before it happens, or a pause after a round.

    ``games`` is a batch of one: the game as it stands now. It moves on when the next step is asked for.
    """

    games: Games
    number: int  # of the event in ``record.events``; at a pause, of the one after it
    event: list[Any] | None  # [decision, player, action] or [chance event, value]; None after a round, and at the end


def replay(record: Record) -> Iterator[Step]:
    """Play the record on the engine, yielding each event before it happens; a last step follows the last event.

    A record of a game that is not over ends where it was left.

    Raises:
        RecordError: the engine asks something else than the record answers, the answer is not possible, or legal
            actions, the state after a round or the result are not what the record says.
    """
    games = _beginning(record)
    verifier = _Verifier(record)
    number = 0
    while True:
        player = int(games.state["player"][0])
        if player in (PAUSED, FINISHED):
            verifier.end_round(games, 0, number)
            if player == FINISHED:
                break
            yield Step(games, number, None)
            games.resume()
            continue
        if number == len(record.events) and not record.is_finished:
            break
        if number == len(record.events):
            raise RecordError(f"the record ends after {counted(number, 'event')}, but {_asked(games, 0)} is next")
        event = _next_event(record, games, 0, number)
        if len(event) == 3:
            verifier.decide(games, 0, number)
        yield Step(games, number, event)
        try:
            if len(event) == 2:
                games.resolve([event[1]])
            else:
                games.step([games.actions.id(event[2], event[1])])
        except ValueError as error:
            raise RecordError(f"event {number}: {error}") from None
        number += 1
    if number < len(record.events):
        raise RecordError(f"event {number} is {record.events[number]!r}, but the game is over")
    verifier.end(games, 0)
    yield Step(games, number, None)


def _beginning(record: Record) -> Games:
    """A batch of one, the game before the first event; ``RecordError``: position or teams are none of such a game."""
    players = record.ruleset.players
    if record.teams is not None and not (isinstance(record.teams, Teams) and record.teams.players == players):
        raise RecordError(f"teams is {quoted(record.teams)}; it must be Teams of {players} players, or None")
    if record.position is None:
        return Games(1, record.ruleset, explicit_chance=True, pause_after_rounds=True)
    try:
        games = Games.from_dict(record.position, explicit_chance=True, pause_after_rounds=True)
    except ValueError as error:
        raise RecordError(f"the position cannot be read: {error}") from None
    for name in ("players", "edition", *NUMBERS, *SWITCHES):
        found, recorded = (json.dumps(getattr(ruleset, name)) for ruleset in (games.ruleset, record.ruleset))
        if found != recorded:
            raise RecordError(f"the position has another ruleset than the record: {name} is {found}, not {recorded}")
    return games


def _next_event(record: Record, games: Games, row: int, number: int) -> list[Any]:
    """The event of this number, which answers what the game asks; ``RecordError``: the game asks something else."""
    event, name, player = record.events[number], _event_name(games, row), int(games.state["player"][row])
    if not (event[0] == name if player == CHANCE_PLAYER else event[:2] == [name, player]):
        raise RecordError(f"event {number} is {quoted(event)}, but {_asked(games, row)} is next")
    return event


def _event_name(games: Games, row: int) -> str:
    node = int(games.state["node"][row])
    return CHANCE_NAMES[node - Chance.CARD] if node >= Chance.CARD else DECISION_NAMES[node]


def _asked(games: Games, row: int) -> str:
    player = int(games.state["player"][row])
    name = _event_name(games, row)
    return name if player == CHANCE_PLAYER else f"{name} of player {player}"


class _Verifier:
    """Legal actions, states after rounds and result of one record, as far as it has them.

    Whoever replays calls the methods as the game comes by: each raises ``RecordError`` at the first difference.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._asked = 0  # decisions so far
        self._rounds = 0
        self._paused: tuple[int, dict[str, Any]] | None = None  # at the last pause: which event is next, the result

    def decide(self, games: Games, row: int, number: int) -> None:
        """A decision, event ``number`` of the record, is about to be taken."""
        asked, self._asked = self._asked, self._asked + 1
        if self._record.legal is None:
            return
        if asked >= len(self._record.legal):
            raise RecordError(f"event {number}: the record has no legal actions for this decision")
        game = games.state[row]
        ids = np.flatnonzero(np.unpackbits(game["legal"].view(np.uint8), bitorder="little"))
        found = Counter(games.actions.text(int(id), int(game["player"])) for id in ids)
        recorded = Counter(map(str, self._record.legal[asked]))
        only = {"only in the record": recorded - found, "only in the engine": found - recorded}
        parts = [f"{where} {', '.join(sorted(texts))}" for where, texts in only.items() if texts]
        if parts:
            event = self._record.events[number]
            raise RecordError(f"event {number} ({event}): legal actions differ: {'; '.join(parts)}")

    def end_round(self, games: Games, row: int, number: int) -> None:
        """A round is over, the last one too; event ``number`` comes next."""
        rounds, self._rounds = self._rounds, self._rounds + 1
        self._paused = number, result(games, row)
        if self._record.rounds is None:
            return
        if rounds >= len(self._record.rounds):
            raise RecordError(f"the record has no state after round {rounds + 1}")
        difference = _difference("state", self._record.rounds[rounds], snapshot(games, row))
        if difference is not None:
            raise RecordError(f"after round {rounds + 1}: {difference}")

    def end(self, games: Games, row: int) -> None:
        """The game is over, or left here; if it is left in the pause after a round, the next one may not count yet."""
        for name, expected in (("legal", self._asked), ("rounds", self._rounds)):
            said = getattr(self._record, name)
            if said is not None and len(said) != expected:
                raise RecordError(f"{name} has {counted(len(said), 'entry', 'entries')}, but the game has {expected}")
        if not self._record.result or self._paused == (len(self._record.events), self._record.result):
            return
        difference = _difference("result", self._record.result, result(games, row))
        if difference is not None:
            raise RecordError(difference)


def _difference(name: str, recorded: Any, found: Any) -> str | None:
    """Where two JSON values differ first, in words; 1 and true do."""
    there = first_difference(name, found, recorded, lambda one, other: one == other and type(one) is type(other))
    return there and f"{there[0]} is {there[2]!r} in the record and {there[1]!r} in the engine"


def check(record: Record) -> str | None:
    """The first difference between the record and the engine: decisions, legal actions, states, result; or None.

    If there is none with one switch of the ruleset turned, that is said as well.
    """
    difference = _difference_or_error(record)
    if difference is None or record.position is not None:
        return difference
    for name in SWITCHES:
        turned = not getattr(record.ruleset, name)
        if _difference_or_error(replace(record, ruleset=record.ruleset.replace(**{name: turned}))) is None:
            return f"{difference}; there is no difference with {name} = {json.dumps(turned)}"
    return difference


def _difference_or_error(record: Record) -> str | None:
    try:
        for _ in replay(record):
            pass
    except RecordError as error:
        return str(error)
    except RecursionError:
        return "something in it is nested too deeply"
    return None


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
    """Play records on the engine, each one event a moment: the quick way through a file of them, for data sets.

    A record of a game that is not over ends where it was left.

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
            difference = _difference_or_error(record)
            if difference is not None:
                named = RecordError(f"game {number}: {difference}")
                named.game = number
                raise named from None
        raise


def _replay_together(records: Sequence[Record]) -> Iterator[Moment]:
    games = _beginnings(records)
    verifiers = [_Verifier(record) for record in records]
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
        if (ends & is_whole).any():
            raise RecordError("a record ends before its game")
        end(ends)
        return asked & ~is_left

    while True:
        player = games.player
        deciding = going_on(player >= 0)
        round_over = ((player == PAUSED) | (player == FINISHED)) & ~is_left
        finished = (player == FINISHED) & ~is_left
        if (finished & (numbers < lengths)).any():
            raise RecordError("a game ends before its record")
        for row in np.flatnonzero(round_over).tolist():
            verifiers[row].end_round(games, row, int(numbers[row]))
        end(finished)
        rows = np.flatnonzero(deciding)
        actions = np.zeros(len(rows), np.int64)
        for i, row in enumerate(rows.tolist()):
            _, seat, text = _next_event(records[row], games, row, int(numbers[row]))
            actions[i] = games.actions.id(text, seat)
            verifiers[row].decide(games, row, int(numbers[row]))
        yield Moment(games, rows, actions, numbers[rows], np.flatnonzero(round_over))
        if is_left.all():
            return
        games.resume()  # first: what follows may lead to the next end of a round, which is for the next moment
        chance = going_on(games.player == CHANCE_PLAYER)
        values: list[Any] = [None] * len(records)
        for row in np.flatnonzero(chance).tolist():
            values[row] = _next_event(records[row], games, row, int(numbers[row]))[1]
        while (is_left & (games.player == CHANCE_PLAYER)).any():
            games.draw(is_left)  # ``resolve`` wants a value for every game that waits
        games.resolve(values)
        games.step(actions, rows)
        numbers += chance | deciding


def _beginnings(records: Sequence[Record]) -> Games:
    """The games before their first events, as one batch."""
    states = np.concatenate([plain_memory(_beginning(record).state) for record in records]).view(STATE)
    number_of = {ruleset: number for number, ruleset in enumerate(dict.fromkeys(one.ruleset for one in records))}
    states["ruleset"] = [number_of[record.ruleset] for record in records]
    return trusted_games(states, list(number_of), explicit_chance=True, pause_after_rounds=True)
