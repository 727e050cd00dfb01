"""Compare a record with what the engine does."""

import json
from dataclasses import replace
from typing import Any

import numpy as np

from ursuppe_env.counts import counted
from ursuppe_env.games import Games
from ursuppe_env.records.format import Record, RecordError
from ursuppe_env.records.replay import Step, replay
from ursuppe_env.records.snapshot import result, snapshot
from ursuppe_env.rules.nodes import FINISHED, PAUSED
from ursuppe_env.rules.ruleset import SWITCHES


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
        return _difference(record)
    except RecordError as error:
        return str(error)
    except RecursionError:
        return "something in it is nested too deeply"


def _difference(record: Record) -> str | None:
    asked = 0
    rounds = 0
    for step in replay(record):
        if step.event is None and step.games.player[0] in (PAUSED, FINISHED):
            difference = _compare_round(step, record, rounds)
            rounds += 1
        elif step.event is not None and len(step.event) == 3:
            difference = _compare_legal(step, record, asked)
            asked += 1
        else:
            difference = None
        if difference:
            return difference
    for name, expected, found in (("legal", asked, record.legal), ("rounds", rounds, record.rounds)):
        if found is not None and len(found) != expected:
            return f"{name} has {counted(len(found), 'entry', 'entries')}, but the game has {expected}"
    return _first_difference("result", record.result, result(step.games, 0))


def _compare_legal(step: Step, record: Record, asked: int) -> str | None:
    if record.legal is None:
        return None
    if asked >= len(record.legal) or not isinstance(record.legal[asked], list):
        return f"event {step.number}: the record has no legal actions for this decision"
    recorded, found = set(map(str, record.legal[asked])), legal_texts(step.games)
    if recorded == found:
        return None
    return f"event {step.number} ({step.event}): legal actions differ: {_set_difference(recorded, found)}"


def legal_texts(games: Games) -> set[str]:
    """The legal actions of the first game, as texts."""
    player = int(games.state["player"][0])
    return {games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[0])}


def _set_difference(recorded: set[str], found: set[str]) -> str:
    parts = []
    if recorded - found:
        parts.append("only in the record " + ", ".join(sorted(recorded - found)))
    if found - recorded:
        parts.append("only in the engine " + ", ".join(sorted(found - recorded)))
    return "; ".join(parts)


def _compare_round(step: Step, record: Record, rounds: int) -> str | None:
    if record.rounds is None:
        return None
    if rounds >= len(record.rounds):
        return f"the record has no state after round {rounds + 1}"
    difference = _first_difference("state", record.rounds[rounds], snapshot(step.games, 0))
    return difference and f"after round {rounds + 1}: {difference}"


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
