"""What an arena plays: tables, seeds and rotations, cut into chunks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from ursuppe_agents.arena.tables import Table
from ursuppe_env import Ruleset

# So many chunks are enough: of a table, for a few workers to share a single one; of all tables, for an interruption to
# lose little. And so many encounters are enough for a chunk: more games at once are hardly played faster.
_CHUNKS_A_TABLE = 8
_CHUNKS = 64
_LARGEST_CHUNK = 32


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """Games at several tables, with the same dice at each.

    A table plays the games 0, 1, 2, … of the seed, each P times: with rotation r, who is named in place k of the table
    has the seat (k + r) mod P. So each agent meets each game from every seat.

    Args:
        tables: each with P codes of agents.
        num_games: at each table, at least 1; rounded up to a multiple of the rotations.
        ruleset: the numbers to play with; default: 4 players, edition 1998.
        seed: of the games, and of the agents' own choices.
        rotate: play each game in all rotations; False: in rotation 0 alone, which is enough where all agents of a table
            are the same.
        games_at_once: how many are played as one batch. None: so few that workers can share the tournament, and little
            is lost by an interruption; agents that are quick in large batches do better with a number.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    tables: tuple[Table, ...]
    num_games: int
    ruleset: Ruleset = field(default_factory=Ruleset)
    seed: int = 0
    rotate: bool = True
    games_at_once: int | None = None

    def __post_init__(self) -> None:
        players = self.ruleset.players
        if not self.tables:
            raise ValueError("tables is empty; there must be at least one")
        for table in self.tables:
            if len(table) != players:
                raise ValueError(f"table {table!r} has {len(table)} agents; it must have {players}, one a player")
        if not _is_integer(self.num_games) or self.num_games < 1:
            raise ValueError(f"num_games is {self.num_games!r}; it must be an integer of at least 1")
        if not _is_integer(self.seed) or not 0 <= self.seed < 2**64:
            raise ValueError(f"seed is {self.seed!r}; it must be an integer from 0 to 2**64 - 1")
        if self.games_at_once is not None and (not _is_integer(self.games_at_once) or self.games_at_once < 1):
            raise ValueError(f"games_at_once is {self.games_at_once!r}; it must be an integer of at least 1, or None")

    @property
    def rotations(self) -> int:
        """How often each table plays the same game of the seed."""
        return self.ruleset.players if self.rotate else 1

    @property
    def num_seeds(self) -> int:
        """S, how many games of the seed each table plays in all rotations."""
        return -(-self.num_games // self.rotations)

    @property
    def total_games(self) -> int:
        """All games at all tables."""
        return self.num_seeds * len(self.tables) * self.rotations

    @property
    def agents(self) -> tuple[str, ...]:
        """The codes of all agents, each once."""
        return tuple(dict.fromkeys(code for table in self.tables for code in table))

    def chunks(self) -> "list[Chunk]":
        """The tournament in parts that are played on their own.

        What is cut depends on the tournament alone, because agents that draw at random draw for all games of a chunk
        together.
        """
        total = self.num_seeds * len(self.tables)
        if self.games_at_once is not None:
            size = max(1, self.games_at_once // self.rotations)
        else:
            size = max(1, min(max(self.num_seeds // _CHUNKS_A_TABLE, total // _CHUNKS), _LARGEST_CHUNK))
        starts = range(0, total, size)
        return [Chunk(self, number, start, min(start + size, total)) for number, start in enumerate(starts)]

    def as_dict(self) -> dict[str, Any]:
        """All that decides what is played, as JSON can write it."""
        return {
            "version": version("ursuppe-env"),
            "tables": [list(table) for table in self.tables],
            "games": self.num_seeds * self.rotations,
            "players": self.ruleset.players,
            "edition": self.ruleset.edition,
            "ruleset": self.ruleset.changes(),
            "seed": self.seed,
            **({} if self.rotate else {"rotate": False}),
            **({} if self.games_at_once is None else {"games_at_once": self.games_at_once}),
        }


@dataclass(frozen=True)
class Chunk:
    """Some games of a tournament, to be played at once.

    Attributes:
        tournament: all of it.
        number: of the chunk, from 0.
        start: the first encounter, counting those of seed 0 at all tables, then those of seed 1, and so on. An
            encounter is P games: one seed at one table, in all rotations.
        stop: the first one that is not in it any more.
    """

    tournament: Tournament
    number: int
    start: int
    stop: int

    def games(self) -> Iterator[tuple[int, int, int]]:
        """The (index, table, rotation) of each of its games."""
        for encounter in range(self.start, self.stop):
            index, table = divmod(encounter, len(self.tournament.tables))
            for rotation in range(self.tournament.rotations):
                yield index, table, rotation


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
