"""Games on disk, in one SQLite file: what each began with, and a log that grows by a line for everything that happens.

A line of the log is ``["event", [...]]`` (an event of records), ``["back", n]`` (only the first n events count:
somebody has taken a decision back) or ``["seat", player, {...}, token]`` (who plays there from now on, and what the
link of that seat carries). Lines that belong together are one transaction: on the disk when ``append`` returns, or
none of them is there. The file is locked as long as it is open, so that one server has it.
"""

import errno
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator

from ursuppe_agents.settings import Settings
from ursuppe_env.parsing import parse_json
from ursuppe_env.records import Record
from ursuppe_play.web.forms import SeatForm

FILE = "games.sqlite"
_VERSION = 1
_SCHEMA = f"""
    BEGIN;
    CREATE TABLE owner (token TEXT NOT NULL);
    CREATE TABLE games (game TEXT PRIMARY KEY, beginning TEXT NOT NULL);
    CREATE TABLE log (
        line INTEGER PRIMARY KEY, game TEXT NOT NULL REFERENCES games ON DELETE CASCADE, entry TEXT NOT NULL
    );
    CREATE INDEX log_of_game ON log (game);
    INSERT INTO owner VALUES ('{{token}}');
    PRAGMA user_version = {_VERSION};
    COMMIT;
"""


def _record_of(given: Any) -> Record:
    return given if isinstance(given, Record) else Record.from_dict(given)


class Beginning(Settings):
    """What a game began with."""

    # Ruleset, seed, position and teams; events, where it is a record that is looked at.
    record: Annotated[Record, PlainValidator(_record_of), PlainSerializer(Record.to_dict)]
    seats: list[SeatForm]  # who played at the beginning
    tokens: list[str]  # for each seat what the link of its person carries
    made: float  # when, in seconds since 1970


@dataclass(frozen=True)
class Story:
    """What the log of a game comes to."""

    events: list[list[Any]]  # that count
    seats: dict[int, SeatForm]  # who plays now, where that has changed
    tokens: dict[int, str]  # what the link of a seat carries now, where that has changed
    length: int  # lines of the log


class GameStore:
    """The games of a server, and the token of whoever has started it; any thread may use it.

    Args:
        folder: where the file is; made if there is none.

    Raises:
        ValueError: another server uses it, the file is damaged, or of another version.
        OSError: it cannot be read or written. So it is with all methods, and then nothing has happened.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / FILE
        # Tokens are in it; SQLite gives its other files the same mode.
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))
        self._lock = Lock()
        self._base = sqlite3.connect(self._file, timeout=0, check_same_thread=False)
        try:
            self._open()
        except sqlite3.Error as error:
            self._base.close()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise ValueError(f"{folder} is used by another server; stop it, or give another --folder") from None
            if isinstance(error, sqlite3.OperationalError):
                raise _os_error(error, self._file) from None
            raise self._damaged(str(error)) from None
        except ValueError:
            self._base.close()
            raise

    def _open(self) -> None:
        self._base.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._base.execute("PRAGMA journal_mode = WAL")  # a transaction is on the disk after one fsync
        self._base.execute("PRAGMA synchronous = FULL")
        self._base.execute("PRAGMA foreign_keys = ON")
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if version == 0:
            self._base.executescript(_SCHEMA.format(token=secrets.token_urlsafe(24)))
        elif version != _VERSION:
            raise ValueError(f"{self._file} is of another version of ursuppe-env; give another --folder")
        (found,) = self._base.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise self._damaged(found)

    def token(self) -> str:
        """What the links of whoever has started the server carry, where they need it; the same for each start."""
        with self._using() as base:
            return str(base.execute("SELECT token FROM owner").fetchone()[0])

    def games(self) -> list[str]:
        """The identities of all games."""
        with self._using() as base:
            return [game for (game,) in base.execute("SELECT game FROM games")]

    def beginning(self, game: str) -> Beginning:
        """What a game began with; a ``ValueError`` if that cannot be read."""
        with self._using() as base:
            (text,) = base.execute("SELECT beginning FROM games WHERE game = ?", [game]).fetchone()
        try:
            return Beginning(**parse_json(text))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self._file}: the beginning of game {game} cannot be read: {error}") from None

    def story(self, game: str) -> Story:
        """What has happened in a game; a ``ValueError`` if the log cannot be read."""
        with self._using() as base:
            lines = base.execute("SELECT entry FROM log WHERE game = ? ORDER BY line", [game]).fetchall()
        events: list[list[Any]] = []
        seats: dict[int, SeatForm] = {}
        tokens: dict[int, str] = {}
        for number, (line,) in enumerate(lines, 1):
            try:
                match parse_json(line):
                    case ["event", list(event)]:
                        events.append(event)
                    case ["back", int(count)] if 0 <= count <= len(events):
                        del events[count:]
                    case ["seat", int(player), dict(form), str(token)]:
                        seats[player], tokens[player] = SeatForm(**form), token
                    case _:
                        raise ValueError("it must be a list that begins with one of event, back, seat")
            except ValueError as error:
                raise ValueError(f"{self._file}: line {number} of game {game} cannot be read: {error}") from None
        return Story(events, seats, tokens, len(lines))

    def append(self, game: str, *lines: Sequence[Any]) -> None:
        """Write lines at the end of a game's log; they are on the disk when this returns."""
        rows = [(game, json.dumps(line, separators=(",", ":"))) for line in lines]
        with self._using() as base:
            base.executemany("INSERT INTO log (game, entry) VALUES (?, ?)", rows)

    def make(self, beginning: Beginning) -> str:
        """A new game; returns its identity."""
        game = secrets.token_hex(6)
        with self._using() as base:
            base.execute("INSERT INTO games VALUES (?, ?)", [game, json.dumps(beginning.model_dump())])
        return game

    def remove(self, game: str) -> None:
        """Remove a game."""
        with self._using() as base:
            base.execute("DELETE FROM games WHERE game = ?", [game])

    def close(self) -> None:
        """Let another server use the file."""
        with self._lock:
            self._base.close()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """A transaction: at the end it is on the disk; if anything goes wrong nothing of it has happened."""
        with self._lock:
            try:
                with self._base:
                    yield self._base
            except sqlite3.Error as error:
                raise _os_error(error, self._file) from None

    def _damaged(self, why: str) -> ValueError:
        return ValueError(f"{self._file} is damaged: {' '.join(why.split())}; move it away, or give another --folder")


def _os_error(error: sqlite3.Error, file: Path) -> OSError:
    return OSError(errno.EIO, str(error), str(file))
