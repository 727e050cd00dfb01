"""The record of one game as an object, and files of them (records.md)."""

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from ursuppe_env.files import atomic_file
from ursuppe_env.games import Games
from ursuppe_env.parsing import checked_integer, parse_json
from ursuppe_env.rules.nodes import Chance, Decision
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY, STATE
from ursuppe_env.teams import Teams, teams_or_none
from ursuppe_env.validation import checked_seed

FORMAT = "ursuppe-record/1"
#: Bytes of a line. With the printed numbers the longest record (6 players, ``legal`` and ``rounds``) takes 65,000, with
#: a ruleset that makes all of it as long as can be one million.
LONGEST_LINE = 4_000_000
DECISION_NAMES = tuple(decision.name.lower() for decision in Decision)
CHANCE_NAMES = tuple(chance.name.lower() for chance in Chance)
HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # JSON can have one, a file in UTF-8 cannot

_KEYS = {
    "format": str,
    "players": int,
    "edition": str,
    "ruleset": dict,
    "seed": int,
    "agents": list,
    "teams": list,
    "score": str,
    "layout": str,
    "position": dict,
    "events": list,
    "legal": list,
    "rounds": list,
    "result": dict,
}
_OPTIONAL = ("seed", "agents", "teams", "score", "layout", "position", "legal", "rounds")
_COMPRESSION = 6  # 9 takes three times as long, for files that are hardly smaller
_USUAL_SCORE = "worst"  # is left out
_LAST_PLACE = int(np.iinfo(STATE["marker"].base).max)
_SHOWN_AFTER_ROUNDS = ("round", "card", "markers", "bp", "amoebas", "genes", "food", "reserve")
_RESULT = ("markers", "winner", "rounds")
_JSON_NAMES = {str: "a string", int: "an integer", dict: "an object", list: "a list"}


class RecordError(ValueError):
    """A record or a file of records is not what records.md says; the message names the place.

    Attributes:
        game: the number of the record, where the message begins with ``game K: ``; otherwise None.
    """

    game: int | None = None


@dataclass(frozen=True)
class Record:
    """One game, as records.md describes it."""

    ruleset: Ruleset
    events: list[list[Any]]  # [decision, player, action] and [chance event, value], in order
    result: dict[str, Any]  # markers, winner (-1 where the game is not over), rounds; {}: not known, and not compared
    seed: int | None = None
    agents: list[str] | None = None  # name of the agent in each seat
    legal: list[list[str]] | None = None  # for each decision its legal actions
    rounds: list[dict[str, Any]] | None = None  # the state after each phase 6
    layout: str | None = None  # of the states of the engine that wrote it; never checked: any engine can replay it
    position: dict[str, Any] | None = None  # that the game began from, in place of the set-up (docs/positions.md)
    teams: Teams | None = None  # who played together

    @property
    def is_finished(self) -> bool:
        """Was the game played to its end?"""
        return self.result.get("winner", NOBODY) != NOBODY

    @property
    def winners(self) -> tuple[int, ...]:
        """The seat that has won, with teams all seats of the team; none while the game is not over."""
        if not self.is_finished:
            return ()
        if self.teams is None:
            return (self.result["winner"],)
        return self.teams.seats[int(self.teams.winner(self.result["markers"]))]

    def seats_of(self, player: str) -> tuple[int, ...]:
        """The seats of a player: one by its number, or all that an agent of this name had.

        Raises:
            RecordError: there is no such player.
        """
        names = self.agents or []
        seats = tuple(seat for seat, name in enumerate(names) if name == player)
        if not seats and player.isdecimal() and int(player) < self.ruleset.players:
            seats = (int(player),)
        if not seats:
            known = f"; its agents are {', '.join(dict.fromkeys(names))}" if names else ""
            raise RecordError(f"there is no player {player!r}; they are 0 ... {self.ruleset.players - 1}{known}")
        return seats

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of records.md."""
        record = {
            **{key: getattr(self, key, None) for key in _KEYS},  # in this order
            "format": FORMAT,
            "players": self.ruleset.players,
            "edition": self.ruleset.edition,
            "ruleset": self.ruleset.changes(),
            "teams": None if self.teams is None else [list(seats) for seats in self.teams.seats],
            "score": None if self.teams is None or self.teams.score == _USUAL_SCORE else self.teams.score,
        }
        return {key: value for key, value in record.items() if value is not None}

    @classmethod
    def from_dict(cls, record: Any) -> "Record":
        """The record in a JSON object.

        Raises:
            RecordError: it has not the form of records.md.
        """
        if not isinstance(record, dict):
            raise RecordError("a record must be a JSON object")
        if record.get("format") != FORMAT:
            raise RecordError(f"format is {record.get('format')!r}; it must be {FORMAT!r}")
        for key, value in record.items():
            if key not in _KEYS:
                raise RecordError(f"unknown key {key!r}; keys are {', '.join(_KEYS)}")
            if not isinstance(value, _KEYS[key]) or isinstance(value, bool):
                raise RecordError(f"{key} must be {_JSON_NAMES[_KEYS[key]]}")
        for key in _KEYS:
            if key not in record and key not in _OPTIONAL:
                raise RecordError(f"the key {key!r} is missing")
        for number, event in enumerate(record["events"]):
            _check_event(number, event)
        try:
            ruleset = Ruleset.from_changes(record["players"], record["edition"], record["ruleset"])
            checked_seed("seed", record.get("seed", 0))
            teams = teams_or_none(record.get("teams"), record.get("score", _USUAL_SCORE), ruleset.players)
            _check_result(record["result"], ruleset)
        except ValueError as error:
            raise RecordError(str(error)) from None
        agents = record.get("agents")
        if agents is not None and [type(name) for name in agents] != [str] * ruleset.players:
            raise RecordError(f"agents is {agents!r}; it must be {ruleset.players} names, one a seat")
        if agents is not None and any(map(HALF_CHARACTER.search, agents)):
            raise RecordError(f"agents is {agents!r}; it must be texts of whole characters")
        for key, type_of_entry in (("legal", list), ("rounds", dict)):
            for number, entry in enumerate(record.get(key, ())):
                if not isinstance(entry, type_of_entry):
                    raise RecordError(f"{key}[{number}] must be {_JSON_NAMES[type_of_entry]}")
        optional = {key: record.get(key) for key in _OPTIONAL if key not in ("teams", "score")}
        return cls(ruleset=ruleset, events=record["events"], result=record["result"], teams=teams, **optional)


def _check_result(result: dict[str, Any], ruleset: Ruleset) -> None:
    """Is it such as a game with this ruleset can have? Whether it is this game's, a replay says."""
    if set(result) != set(_RESULT):
        raise ValueError(f"result must have the keys {', '.join(_RESULT)}")
    if not isinstance(result["markers"], list) or len(result["markers"]) != ruleset.players:
        raise ValueError(f"result.markers is {result['markers']!r}; it must be {ruleset.players} places, one a player")
    for number, place in enumerate(result["markers"]):
        checked_integer(f"result.markers[{number}]", place, 0, _LAST_PLACE)
    checked_integer("result.winner", result["winner"], NOBODY, ruleset.players - 1)
    checked_integer("result.rounds", result["rounds"], 0, len(ruleset.environment) - 1)


def _check_event(number: int, event: Any) -> None:
    if isinstance(event, list) and event and isinstance(event[0], str):
        if event[0] in CHANCE_NAMES and len(event) == 2:
            values = event[1] if isinstance(event[1], list) else [event[1]]
            if all(type(value) in (int, str) for value in values):  # a bool is not a number
                return
        if event[0] in DECISION_NAMES and [type(part) for part in event[1:]] == [int, str]:
            return
    raise RecordError(f"event {number} is {event!r}; it must be [decision, player, action] or [chance event, value]")


def read_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records of a ``.jsonl`` or ``.jsonl.gz`` file, one after the other; one line at a time is in memory.

    Raises:
        RecordError: a line is no record, or longer than ``LONGEST_LINE``; the message names file and line.
        OSError: the file cannot be read.
    """
    for number, line in enumerate(_lines(Path(path)), 1):
        if line.isspace():
            continue
        try:
            record = Record.from_dict(parse_json(line))
        except ValueError as error:
            raise RecordError(f"{path}, line {number}: {error}") from None
        yield record


def count_records(path: str | os.PathLike[str]) -> int:
    """How many records a file has, without reading what is in them.

    Raises:
        RecordError: a line is longer than ``LONGEST_LINE``, or it is no whole file.
        OSError: the file cannot be read.
    """
    return sum(not line.isspace() for line in _lines(Path(path)))


def record_of(path: str | os.PathLike[str], game: int) -> Record:
    """One record of a ``.jsonl`` or ``.jsonl.gz`` file by its number, ``game``, from 1.

    Raises:
        RecordError: the file has no such game, or a line up to it is no record.
        OSError: the file cannot be read.
    """
    records = read_records(path)
    before = sum(1 for _ in islice(records, game - 1))
    record = next(records, None)
    if record is None:
        raise RecordError(f"{path}: there is no game {game}; it has {before}")
    return record


def _lines(path: Path) -> Iterator[bytes]:
    number = 0
    with gzip.open(path) if is_compressed(path) else path.open("rb") as file:
        try:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    where = f"{path}, line {number}"
                    raise RecordError(f"{where}: longer than {LONGEST_LINE:,} bytes; no record is so long")
                yield line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise RecordError(f"{path}, after line {number}: not a whole gzip file: {error}") from None


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write a ``.jsonl`` or ``.jsonl.gz`` file, whole or not at all; returns the number of records.

    Raises:
        RecordError: the name ends in neither, or there is no such folder.
        OSError: the file cannot be written; the error names it.
    """
    path = Path(path)
    compress = is_compressed(path)
    with _new_file(path) as file:
        return _write(file, records, compress)


def encode_records(records: Iterable[Record], compress: bool) -> bytes:
    """What ``write_encoded`` writes of some records, made elsewhere, such as in another process."""
    content = BytesIO()
    _write(content, records, compress)
    return content.getvalue()


def write_encoded(path: str | os.PathLike[str], encode: Callable[[bool], Iterable[bytes]]) -> None:
    """Write a file of records, whole or not at all, from the pieces that ``encode`` gives, compressed if it is told to.

    Raises:
        RecordError, OSError: as ``write_records``, the first before ``encode`` is called.
    """
    path = Path(path)
    compress = is_compressed(path)
    with _new_file(path) as file:
        for piece in encode(compress):  # compressed pieces, one after the other, are a gzip file
            file.write(piece)


def _new_file(path: Path) -> AbstractContextManager[IO[bytes]]:
    if not path.parent.is_dir():
        raise RecordError(f"{path}: there is no folder {path.parent}")
    return atomic_file(path)


def _write(file: IO[bytes] | gzip.GzipFile, records: Iterable[Record], compress: bool) -> int:
    """Write a line a record; compressed without time and name, so that the same games give the same bytes."""
    if compress:
        with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0, compresslevel=_COMPRESSION) as packed:
            return _write(packed, records, compress=False)
    count = 0
    for record in records:
        file.write(json.dumps(record.to_dict(), separators=(",", ":")).encode() + b"\n")
        count += 1
    return count


def is_compressed(path: Path) -> bool:
    """Whether a file of records of this name is compressed; ``RecordError``: it is no name of a file of records."""
    if path.name.endswith(".jsonl.gz"):
        return True
    if path.name.endswith(".jsonl"):
        return False
    raise RecordError(f"{path}: the name of a file of records must end in .jsonl or .jsonl.gz")


def snapshot(games: Games, i: int) -> dict[str, Any]:
    """Game i as an entry of ``rounds`` (records.md)."""
    state = games.to_dict(i)
    state["food"] = games.state["food"][i, :, : games.num_players].tolist()  # space by space, the empty ones too
    return {key: state[key] for key in _SHOWN_AFTER_ROUNDS}


def result(games: Games, i: int) -> dict[str, Any]:
    """The result of game i, as records write it; the winner is -1 where the game is not over."""
    game = games.state[i]
    markers = game["marker"][: games.num_players].tolist()
    return {"markers": markers, "winner": int(game["winner"]), "rounds": int(game["round"])}
