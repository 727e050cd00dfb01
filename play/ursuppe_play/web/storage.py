"""Games on disk: what each began with, and a log that grows by a line for everything that happens.

A game has a folder of its own, which appears whole or not at all:

```
games/ID/table.json     what it began with
games/ID/log.jsonl      what has happened since, a JSON list a line, never changed again
games/ID/record.jsonl   the record (docs/records.md), once the game is over
```

A line of the log is ``["event", [...]]`` (an event of records), ``["back", n]`` (only the first n events count:
somebody has taken a decision back) or ``["seat", player, {...}, token]`` (who plays there from now on, and what the
link of that seat carries; without the token it is as before). It is on the disk before ``append`` returns. A process
that is killed leaves at most a last line without its end, which nobody has been told of; it is cut off.
"""

import json
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ursuppe_env import Ruleset
from ursuppe_env.files import atomic_folder, sync_folder, write_atomically
from ursuppe_env.parsing import parse_json
from ursuppe_env.records import Record, write_records
from ursuppe_env.teams import Teams, teams_or_none
from ursuppe_play.web.forms import SeatForm

if sys.platform != "win32":
    import fcntl

FORMAT = "ursuppe-table/1"
_TABLE, _LOG, _RECORD = "table.json", "log.jsonl", "record.jsonl"
_IDENTITY = re.compile(r"[0-9a-f]{12}")
_KINDS = ("event", "back", "seat")


@dataclass(frozen=True)
class Beginning:
    """What a game began with.

    Attributes:
        ruleset: the numbers.
        seed: of dice, cards and agents.
        position: in place of the set-up.
        teams: who plays together.
        seats: who played at the beginning.
        tokens: for each seat what the link of its person carries.
        events: of a record that is looked at; empty in a game that is played here.
        made: when, in seconds since 1970.
    """

    ruleset: Ruleset
    seed: int
    seats: tuple[SeatForm, ...]
    tokens: tuple[str, ...]
    made: float
    position: dict[str, Any] | None = None
    teams: Teams | None = None
    events: list[list[Any]] = field(default_factory=list)

    def record(self, events: list[list[Any]]) -> Record:
        """A record of the game with these events, to be replayed; its result is not known."""
        return Record(self.ruleset, [*self.events, *events], {}, self.seed, position=self.position, teams=self.teams)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "format": FORMAT,
            "players": self.ruleset.players,
            "edition": self.ruleset.edition,
            "ruleset": self.ruleset.changes(),
            "seed": self.seed,
            "made": self.made,
            "seats": [seat.model_dump() for seat in self.seats],
            "tokens": list(self.tokens),
            "position": self.position,
            "teams": None if self.teams is None else [list(seats) for seats in self.teams.seats],
            "score": None if self.teams is None else self.teams.score,
            "events": self.events,
        }

    @classmethod
    def from_dict(cls, table: Any) -> "Beginning":
        """What ``to_dict`` gave.

        Raises:
            ValueError: it is something else.
        """
        if not isinstance(table, dict) or table.get("format") != FORMAT:
            raise ValueError(f"it must be a JSON object with format {FORMAT!r}")
        try:
            ruleset = Ruleset.from_changes(table["players"], table["edition"], table["ruleset"])
            return cls(
                ruleset,
                table["seed"],
                tuple(SeatForm(**seat) for seat in table["seats"]),
                tuple(map(str, table["tokens"])),
                float(table["made"]),
                table["position"],
                teams_or_none(table["teams"], table["score"] or "worst", ruleset.players),
                table["events"],
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from None


@dataclass(frozen=True)
class Story:
    """What the log of a game comes to.

    Attributes:
        events: that count.
        seats: who plays now, where that has changed.
        tokens: what the link of a seat carries now, where that has changed.
        length: lines of the log.
    """

    events: list[list[Any]]
    seats: dict[int, SeatForm]
    tokens: dict[int, str]
    length: int


class GameFolder:
    """The folder of one game.

    Args:
        path: of the folder, as ``GamesFolder`` gives it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._log: Any = None

    def beginning(self) -> Beginning:
        """What the game began with.

        Raises:
            ValueError: the file is damaged.
            OSError: it cannot be read.
        """
        file = self.path / _TABLE
        try:
            return Beginning.from_dict(parse_json(file.read_bytes()))
        except ValueError as error:
            raise ValueError(f"{file} is damaged: {error}") from None

    def story(self) -> Story:
        """What has happened, as far as it was written whole; the rest of the log is cut off.

        Raises:
            ValueError: the log is damaged elsewhere than at its end.
            OSError: it cannot be read.
        """
        file = self.path / _LOG
        content = file.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            with file.open("r+b") as opened:
                opened.truncate(len(whole))
                os.fsync(opened.fileno())
        events: list[list[Any]] = []
        seats: dict[int, SeatForm] = {}
        tokens: dict[int, str] = {}
        lines = whole.splitlines()
        for number, line in enumerate(lines, 1):
            try:
                match parse_json(line):
                    case ["event", list(event)]:
                        events.append(event)
                    case ["back", int(count)] if 0 <= count <= len(events):
                        del events[count:]
                    case ["seat", int(player), dict(form)]:
                        seats[player] = SeatForm(**form)
                    case ["seat", int(player), dict(form), str(token)]:
                        seats[player], tokens[player] = SeatForm(**form), token
                    case _:
                        raise ValueError(f"it must be a list that begins with one of {', '.join(_KINDS)}")
            except ValueError as error:
                raise ValueError(f"{file}, line {number} is damaged: {error}") from None
        return Story(events, seats, tokens, len(lines))

    def append(self, *lines: Sequence[Any]) -> None:
        """Write lines at the end of the log; they are on the disk when this returns.

        Raises:
            OSError: they cannot be written; none of them is there then.
        """
        if self._log is None:
            self._log = (self.path / _LOG).open("ab", buffering=0)
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
        length = os.fstat(self._log.fileno()).st_size
        try:
            written = self._log.write(text)
            if written != len(text):
                raise OSError(28, "No space left on device", str(self.path / _LOG))
            os.fsync(self._log.fileno())
        except OSError:
            self._log.truncate(length)
            raise

    def write_record(self, record: Record) -> None:
        """Write the record of a game that is over.

        Raises:
            OSError: it cannot be written.
        """
        write_records(self.path / _RECORD, [record])

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            self._log.close()
            self._log = None


class GamesFolder:
    """The folder of a server: its games, and the token of whoever has started it.

    Args:
        path: of the folder; made if there is none.

    Raises:
        ValueError: another server uses it.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._games = path / "games"
        self._games.mkdir(parents=True, exist_ok=True)
        path.chmod(0o700)  # tokens are in it
        self._lock = _locked(path / "lock")

    def token(self) -> str:
        """What the links of whoever has started the server carry, where they need it; the same for each start.

        Raises:
            OSError: it cannot be read or written.
        """
        file = self.path / "token"
        if not file.exists():
            write_atomically(file, secrets.token_urlsafe(24).encode())
        return file.read_text().strip()

    def games(self) -> Iterator[tuple[str, GameFolder]]:
        """The identities and the folders of all games."""
        for path in sorted(self._games.iterdir()):
            if _IDENTITY.fullmatch(path.name):
                yield path.name, GameFolder(path)

    def make(self, beginning: Beginning) -> tuple[str, GameFolder]:
        """A new folder of a game.

        Raises:
            OSError: it cannot be written.
        """
        identity = secrets.token_hex(6)
        path = self._games / identity
        with atomic_folder(path) as write:
            write(_TABLE, json.dumps(beginning.to_dict()).encode())
            write(_LOG, b"")
        sync_folder(self._games)
        return identity, GameFolder(path)

    def remove(self, identity: str) -> None:
        """Remove the folder of a game."""
        shutil.rmtree(self._games / identity)

    def close(self) -> None:
        """Let another server use the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(file: Path) -> int | None:
    """A descriptor that holds the lock of a server's folder as long as it is open; the system releases it."""
    if sys.platform == "win32":
        return None
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ValueError(f"{file.parent} is used by another server; stop it, or give another --folder") from None
    return descriptor
