"""Replay a record step by step on the engine, and compare it with what the engine does."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ursuppe_env.games import Games
from ursuppe_env.line import counted, quoted
from ursuppe_env.records.format import CHANCE_NAMES, DECISION_NAMES, Record, RecordError, result, snapshot
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, Chance
from ursuppe_env.rules.ruleset import NUMBERS, SWITCHES
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
    games = beginning(record)
    verifier = RecordVerifier(record)
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
        event = next_event(record, games, 0, number)
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


def beginning(record: Record) -> Games:
    """A batch of one, the game before the first event: at the set-up, or at the record's position.

    Raises:
        RecordError: its position or its teams are none of such a game.
    """
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


def next_event(record: Record, games: Games, row: int, number: int) -> list[Any]:
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


class RecordVerifier:
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
        found = {games.actions.text(int(id), int(game["player"])) for id in ids}
        recorded = set(map(str, self._record.legal[asked]))
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
        difference = _first_difference("state", self._record.rounds[rounds], snapshot(games, row))
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
        difference = _first_difference("result", self._record.result, result(games, row))
        if difference is not None:
            raise RecordError(difference)


def _first_difference(name: str, recorded: Any, found: Any) -> str | None:
    """Where two JSON values differ first, in words."""
    if isinstance(recorded, dict) and isinstance(found, dict) and recorded.keys() == found.keys():
        pairs = [(f"{name}.{key}", recorded[key], found[key]) for key in found]
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        pairs = [(f"{name}[{i}]", a, b) for i, (a, b) in enumerate(zip(recorded, found, strict=True))]
    else:
        same = recorded == found and type(recorded) is type(found)
        return None if same else f"{name} is {recorded!r} in the record and {found!r} in the engine"
    return next((d for pair in pairs if (d := _first_difference(*pair))), None)


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
