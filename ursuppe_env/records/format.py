"""The record of one game as an object, and files of them (records.md)."""

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ursuppe_env.rules.nodes import Chance, Decision
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY

FORMAT = "ursuppe-record/1"
DECISION_NAMES = tuple(decision.name.lower() for decision in Decision)
CHANCE_NAMES = tuple(chance.name.lower() for chance in Chance)

_KEYS = {
    "format": str,
    "players": int,
    "edition": str,
    "ruleset": dict,
    "seed": int,
    "agents": list,
    "layout": str,
    "position": dict,
    "events": list,
    "legal": list,
    "rounds": list,
    "result": dict,
}
_OPTIONAL = ("seed", "agents", "layout", "position", "legal", "rounds")
_RESULT = ("markers", "winner", "rounds")
_JSON_NAMES = {str: "a string", int: "an integer", dict: "an object", list: "a list"}


class RecordError(ValueError):
    """A record or a file of records is not what records.md says; the message names the place."""


@dataclass(frozen=True)
class Record:
    """One game, as records.md describes it."""

    ruleset: Ruleset
    events: list[list[Any]]  # [decision, player, action] and [chance event, value], in order
    result: dict[str, Any]  # markers, winner (-1 where the game is not over), rounds
    seed: int | None = None
    agents: list[str] | None = None  # name of the agent in each seat
    legal: list[list[str]] | None = None  # for each decision its legal actions
    rounds: list[dict[str, Any]] | None = None  # the state after each phase 6
    layout: str | None = (
        None  # of the states of the engine that wrote it; told, never checked: any engine can replay it
    )
    position: dict[str, Any] | None = None  # that the game began from, in place of the set-up (docs/positions.md)

    @property
    def is_finished(self) -> bool:
        """Was the game played to its end?"""
        return self.result["winner"] != NOBODY

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of records.md."""
        record = {
            "format": FORMAT,
            "players": self.ruleset.players,
            "edition": self.ruleset.edition,
            "ruleset": self.ruleset.changes(),
            "seed": self.seed,
            "agents": self.agents,
            "layout": self.layout,
            "position": self.position,
            "events": self.events,
            "legal": self.legal,
            "rounds": self.rounds,
            "result": self.result,
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
        if set(record["result"]) != set(_RESULT):
            raise RecordError(f"result must have the keys {', '.join(_RESULT)}")
        for number, event in enumerate(record["events"]):
            _check_event(number, event)
        try:
            ruleset = Ruleset.from_changes(record["players"], record["edition"], record["ruleset"])
        except ValueError as error:
            raise RecordError(str(error)) from None
        agents = record.get("agents")
        if agents is not None and [type(name) for name in agents] != [str] * ruleset.players:
            raise RecordError(f"agents is {agents!r}; it must be {ruleset.players} names, one a seat")
        optional = {key: record.get(key) for key in _OPTIONAL}
        return cls(ruleset=ruleset, events=record["events"], result=record["result"], **optional)


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
    """The records of a ``.jsonl`` or ``.jsonl.gz`` file, one after the other.

    Raises:
        RecordError: a line is no record; the message names file and line.
        OSError: the file cannot be read.
    """
    path = Path(path)
    line_number = 0
    try:
        with _open_text(path) as lines:
            for line in lines:
                line_number += 1
                if line.strip():
                    yield Record.from_dict(_from_json(line))
    except RecordError as error:
        raise RecordError(f"{path}, line {line_number}: {error}") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"{path}, line {line_number}: not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise RecordError(f"{path}, line {line_number}: nested too deeply") from None
    except UnicodeDecodeError:
        raise RecordError(f"{path}, after line {line_number}: not UTF-8 text") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise RecordError(f"{path}, after line {line_number}: not a whole gzip file: {error}") from None


def _from_json(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise RecordError("a number in it has too many digits") from None


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write a ``.jsonl`` or ``.jsonl.gz`` file, whole or not at all; returns the number of records.

    Raises:
        ValueError: the name ends in neither.
        OSError: the file cannot be written.
    """
    count = 0
    with _new_file(Path(path)) as file:
        for record in records:
            file.write(json.dumps(record.to_dict(), separators=(",", ":")) + "\n")
            count += 1
    return count


def _open_text(path: Path) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if _is_compressed(path) else path.open(encoding="utf-8")


def _is_compressed(path: Path) -> bool:
    if path.name.endswith(".jsonl.gz"):
        return True
    if path.name.endswith(".jsonl"):
        return False
    raise RecordError(f"{path}: the name of a file of records must end in .jsonl or .jsonl.gz")


@contextmanager
def _new_file(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its name only when it is complete."""
    compressed = _is_compressed(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    if not path.parent.is_dir():
        raise RecordError(f"{path}: there is no folder {path.parent}")
    try:
        with open(unfinished, "xb") as raw:
            if compressed:
                # No time and no name in the header: the same games give the same bytes.
                with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed, _text(packed) as file:
                    yield file
            else:
                with _text(raw) as file:
                    yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _text(binary: Any) -> IO[str]:
    return io.TextIOWrapper(binary, encoding="utf-8", newline="\n")
