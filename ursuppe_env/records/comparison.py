"""What a record says of its game beside the events, held against the game while it is replayed."""

from typing import Any

import numpy as np

from ursuppe_env.games import Games
from ursuppe_env.line import counted
from ursuppe_env.records.format import Record, RecordError, result, snapshot


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
        recorded, found = set(map(str, self._record.legal[asked])), _legal_texts(games, row)
        if recorded != found:
            event = self._record.events[number]
            raise RecordError(f"event {number} ({event}): legal actions differ: {_set_difference(recorded, found)}")

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


def _legal_texts(games: Games, row: int) -> set[str]:
    game = games.state[row]
    ids = np.flatnonzero(np.unpackbits(game["legal"].view(np.uint8), bitorder="little"))
    return {games.actions.text(int(id), int(game["player"])) for id in ids}


def _set_difference(recorded: set[str], found: set[str]) -> str:
    parts = []
    if recorded - found:
        parts.append("only in the record " + ", ".join(sorted(recorded - found)))
    if found - recorded:
        parts.append("only in the engine " + ", ".join(sorted(found - recorded)))
    return "; ".join(parts)


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
