"""Replay a record step by step on the engine, and compare it with what the engine does."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ursuppe_env.games import Games
from ursuppe_env.line import counted, quoted
from ursuppe_env.records.comparison import RecordVerifier
from ursuppe_env.records.format import CHANCE_NAMES, DECISION_NAMES, Record, RecordError
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, Chance
from ursuppe_env.rules.ruleset import NUMBERS, SWITCHES, Ruleset
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
    comparison = RecordVerifier(record)
    number = 0
    while True:
        player = int(games.state["player"][0])
        if player in (PAUSED, FINISHED):
            comparison.end_round(games, 0, number)
            if player == FINISHED:
                break
            yield Step(games, number, None)
            games.resume()
            continue
        if number == len(record.events) and not record.is_finished:
            break
        if number == len(record.events):
            raise RecordError(f"the record ends after {counted(number, 'event')}, but {_asked(games, 0)} is next")
        event = record.events[number]
        difference = differing_event(games, 0, number, event)
        if difference is not None:
            raise RecordError(difference)
        if len(event) == 3:
            comparison.decide(games, 0, number)
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
    comparison.end(games, 0)
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
    if games.ruleset != record.ruleset:
        raise RecordError(_differing_field(games.ruleset, record.ruleset))
    return games


def _differing_field(of_position: Ruleset, of_record: Ruleset) -> str:
    """Two rulesets that are not the same, in words."""
    name = next(
        name
        for name in ("players", "edition", *NUMBERS, *SWITCHES)
        if getattr(of_position, name) != getattr(of_record, name)
    )
    found, recorded = (json.dumps(getattr(ruleset, name)) for ruleset in (of_position, of_record))
    return f"the position has another ruleset than the record: {name} is {found}, not {recorded}"


def differing_event(games: Games, row: int, number: int, event: list[Any]) -> str | None:
    """Is this event of a record not what its game asks next? In words; None if it is."""
    player = int(games.state["player"][row])
    if player == CHANCE_PLAYER:
        agrees = event[0] == _event_name(games, row)
    else:
        agrees = event[:2] == [_event_name(games, row), player]
    return None if agrees else f"event {number} is {quoted(event)}, but {_asked(games, row)} is next"


def _event_name(games: Games, row: int) -> str:
    node = int(games.state["node"][row])
    return CHANCE_NAMES[node - Chance.CARD] if node >= Chance.CARD else DECISION_NAMES[node]


def _asked(games: Games, row: int) -> str:
    player = int(games.state["player"][row])
    name = _event_name(games, row)
    return name if player == CHANCE_PLAYER else f"{name} of player {player}"


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
