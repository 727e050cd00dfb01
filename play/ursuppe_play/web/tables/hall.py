"""All tables of a server: made, found again on disk, looked through, removed."""

import gzip
import secrets
import threading
import time
import zlib
from dataclasses import replace
from io import BytesIO

from ursuppe_agents.registry import make_agent
from ursuppe_env import Ruleset
from ursuppe_env.line import counted
from ursuppe_env.parsing import parse_json
from ursuppe_env.records import Record
from ursuppe_env.records.format import result
from ursuppe_env.teams import teams_or_none
from ursuppe_play.session import game_at, new_game, replayed
from ursuppe_play.web.forms import LONGEST_SPEC, GameForm, Refusal, SeatForm
from ursuppe_play.web.tables.storage import Beginning, GameStore
from ursuppe_play.web.tables.table import Table, new_tokens

MOST_GAMES = 100
MOST_UPLOAD = 5_000_000  # bytes of a request
_GZIP = b"\x1f\x8b"


class Hall:
    """The tables of a server, kept in a store; a game is read when somebody first asks for it.

    What is not there, is damaged or would be too much is a ``Refusal``, what cannot be read or written an ``OSError``.
    """

    def __init__(self, store: GameStore) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._games = set(store.games())
        self._tables: dict[str, Table] = {}

    def table(self, identity: str) -> Table:
        """A game."""
        with self._lock:
            if identity not in self._games:
                raise Refusal(404, "there is no such game here")
            if identity not in self._tables:
                try:
                    self._tables[identity] = Table(identity, self._store)
                except (ValueError, OSError) as error:
                    raise Refusal(409, f"the game cannot be read: {error}") from None
            return self._tables[identity]

    def tables(self) -> list[Table | tuple[str, str]]:
        """All games, the newest first; in place of one that is damaged its identity and what is wrong with it."""
        found: list[Table | tuple[str, str]] = []
        for identity in list(self._games):
            try:
                found.append(self.table(identity))
            except Refusal as refusal:
                found.append((identity, str(refusal)))
        return sorted(found, key=lambda one: -one.beginning.made if isinstance(one, Table) else 0.0)

    def begin(self, form: GameForm) -> Table:
        """A new game; a ``ValueError`` names what is not possible."""
        seed = secrets.randbits(32) if form.seed is None else form.seed
        if form.position is None:
            games, position = new_game(Ruleset.from_changes(form.players, form.edition, form.ruleset), seed), None
        else:
            games = game_at({"streams": {"seed": seed}, **form.position})
            if games.finished[0]:
                raise ValueError("the game is over in this position")
            position, seed = games.to_dict(0), int(games.state["seed"][0])
        teams = teams_or_none(form.teams, "worst", games.num_players)
        record = Record(games.ruleset, [], result(games, 0), seed, position=position, teams=teams)
        return self._make(record, form.all_seats(games.num_players, teams))

    def look_at(self, content: bytes, number: int) -> Table:
        """A game, from 1, of a file of records, ``.jsonl`` or ``.jsonl.gz``; a ``ValueError`` names what is wrong."""
        record = _record_in(content, number)
        replayed(record)  # whatever is wrong is found here
        names = record.agents or [f"player {player}" for player in range(record.ruleset.players)]
        seats = [SeatForm(who="recorded", name=name[:LONGEST_SPEC]) for name in names]
        return self._make(replace(record, agents=None, legal=None, rounds=None, layout=None), seats)

    def remove(self, identity: str) -> None:
        """Remove a game for good."""
        with self._lock:
            if identity not in self._games:
                raise Refusal(404, "there is no such game here")
            table = self._tables.pop(identity, None)
            if table is not None:
                table.close()
            self._store.remove(identity)
            self._games.remove(identity)

    def end_listening(self) -> None:
        """Let no page wait for changes any longer."""
        with self._lock:
            for table in self._tables.values():
                table.listeners.close()

    def close(self) -> None:
        """Close all tables."""
        with self._lock:
            for table in self._tables.values():
                table.close()
            self._tables.clear()
            self._store.close()

    def _make(self, record: Record, seats: list[SeatForm]) -> Table:
        with self._lock:
            if len(self._games) >= MOST_GAMES:
                raise Refusal(429, f"there are {MOST_GAMES} games already; remove one that is no longer needed")
            for seat in (seat for seat in seats if seat.who == "agent"):
                make_agent(seat.spec, 0)  # one that cannot be made is refused before anything is kept
            tokens = new_tokens(record.ruleset.players)
            beginning = Beginning(record=record, seats=seats, tokens=tokens, made=time.time())
            identity = self._store.make(beginning)
            self._games.add(identity)
            self._tables[identity] = table = Table(identity, self._store)
            return table


def _record_in(content: bytes, number: int) -> Record:
    if content.startswith(_GZIP):
        try:
            with gzip.open(BytesIO(content)) as packed:
                content = packed.read(MOST_UPLOAD + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"not a whole gzip file: {error}") from None
        if len(content) > MOST_UPLOAD:
            raise Refusal(413, f"the file holds more than {MOST_UPLOAD:,} bytes; give one with fewer games")
    lines = [(place, line) for place, line in enumerate(content.splitlines(), 1) if line.strip()]
    if not lines:
        raise ValueError("there is no record in the file")
    if not 1 <= number <= len(lines):
        raise ValueError(f"the file has {counted(len(lines), 'game')}, so game must be a number from 1 to {len(lines)}")
    place, line = lines[number - 1]
    try:
        return Record.from_dict(parse_json(line))
    except ValueError as error:
        raise ValueError(f"line {place}: {error}") from None
