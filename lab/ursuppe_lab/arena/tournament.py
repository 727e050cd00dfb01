"""What an arena plays: lineups, seeds and rotations, cut into match batches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Ruleset, __version__
from ursuppe_env.teams import Partition, Teams, teams_or_none
from ursuppe_env.validation import checked_count, checked_rulesets, checked_seed
from ursuppe_lab.arena.lineups import Lineup, num_rotations

# Enough batches that a few workers can share a lineup, and that an interruption loses little.
_BATCHES_A_LINEUP = 4
_BATCHES = 32
_LARGEST_BATCH = 256  # games: twice as many are some 20 % faster, half as many 40 % slower


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """Games with several lineups, with the same dice at each.

    A lineup plays the games 0, 1, 2, … of the seed, each P times: with rotation r, the agent in place k of the lineup
    has the seat (k + r) mod P, or of T teams the team (k + r) mod T, with all its seats. Where the lineup is the same
    again after fewer rotations (``a b a b`` after 2, ``a a a a`` after 1), only these are played.

    Args:
        lineups: each of P agent specs; with teams of T.
        num_games: of each lineup, at least 1; rounded up to a multiple of the rotations. One of fewer rotations than
            the others plays fewer games, since all have the same seeds.
        ruleset: the numbers to play with; default: 4 players, edition 1998.
        seed: of the games, and of the agents' own choices.
        games_at_once: how many are played as one batch; agents that are quick in large ones do better with a number.
            None: so few that workers can share the tournament, and little is lost by an interruption.
        teams: the seats of each team, such as ``((0, 2), (1, 3))``; None: each seat for itself.
        score: which place is a team's: of its "worst" or "best" marker, or the "sum" of all.
        keeps_actions: keep all actions of each game, so that ``ursuppe_lab.arena.play.records_of`` can tell it.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    lineups: tuple[Lineup, ...]
    num_games: int
    ruleset: Ruleset = field(default_factory=Ruleset)
    seed: int = 0
    games_at_once: int | None = None
    teams: Partition | None = None
    score: str = "worst"
    keeps_actions: bool = False

    def __post_init__(self) -> None:
        checked_rulesets([self.ruleset])
        teams = teams_or_none(self.teams, self.score, self.ruleset.players)
        object.__setattr__(self, "teams", None if teams is None else teams.seats)
        per = "player" if teams is None else "team"
        if not self.lineups:
            raise ValueError("lineups is empty; there must be at least one")
        for lineup in self.lineups:
            if len(lineup) != self.sides:
                right = f"it must have {self.sides}, one per {per}"
                raise ValueError(f"lineup {lineup!r} has {len(lineup)} agents; {right}")
        object.__setattr__(self, "num_games", checked_count("num_games", self.num_games, 1))
        object.__setattr__(self, "seed", checked_seed("seed", self.seed))
        if self.games_at_once is not None:
            at_once = checked_count("games_at_once", self.games_at_once, 1, ", or None")
            object.__setattr__(self, "games_at_once", at_once)

    @property
    def partition(self) -> Teams | None:
        """Who plays together, if there are teams."""
        return teams_or_none(self.teams, self.score, self.ruleset.players)

    @property
    def sides(self) -> int:
        """How many agents meet in a game: P, or T with teams."""
        return self.ruleset.players if self.teams is None else len(self.teams)

    @property
    def side_of(self) -> NDArray[np.int64]:
        """(P,) the number of each seat's side: its own, or with teams that of its team."""
        return np.arange(self.ruleset.players) if self.partition is None else self.partition.team_of

    @property
    def rotations(self) -> int:
        """How often a lineup plays the same game of the seed; some may play it less often."""
        return max(map(num_rotations, self.lineups))

    @property
    def num_seeds(self) -> int:
        """S, how many games of the seed each lineup plays in all rotations."""
        return -(-self.num_games // self.rotations)

    @property
    def total_games(self) -> int:
        """All games of all lineups."""
        return self.num_seeds * sum(map(num_rotations, self.lineups))

    @property
    def agents(self) -> tuple[str, ...]:
        """The specs of all agents, each once."""
        return tuple(dict.fromkeys(spec for lineup in self.lineups for spec in lineup))

    def batches(self) -> "Iterator[MatchBatch]":
        """The tournament in batches that are played on their own, one by one.

        The cut depends on the tournament alone: agents that draw at random draw for all games of a batch together.
        """
        total = self.num_seeds * len(self.lineups)
        largest = (self.games_at_once or _LARGEST_BATCH) // self.rotations
        enough = max(self.num_seeds // _BATCHES_A_LINEUP, total // _BATCHES)
        size = max(1, largest if self.games_at_once else min(enough, largest))
        for number, start in enumerate(range(0, total, size)):
            yield MatchBatch(self, number, start, min(start + size, total))

    def as_dict(self) -> dict[str, Any]:
        """All that decides what is played, as JSON can write it."""
        return {
            "version": __version__,
            "lineups": [list(lineup) for lineup in self.lineups],
            "games": self.num_seeds * self.rotations,
            "players": self.ruleset.players,
            "edition": self.ruleset.edition,
            "ruleset": self.ruleset.changes(),
            "seed": self.seed,
            **({} if self.teams is None else {"teams": [list(seats) for seats in self.teams], "score": self.score}),
            **({"keeps_actions": True} if self.keeps_actions else {}),
            **({} if self.games_at_once is None else {"games_at_once": self.games_at_once}),
        }


@dataclass(frozen=True)
class MatchBatch:
    """Some games of a tournament, to be played at once.

    An encounter is one seed with one lineup, in all its rotations: seed 0 with all lineups, then seed 1, and so on.
    """

    tournament: Tournament
    number: int  # of the batch, from 0
    start: int  # the first encounter
    stop: int  # the first one that is not in it any more

    def games(self) -> Iterator[tuple[int, int, int]]:
        """The (index, lineup, rotation) of each of its games."""
        rotations = [num_rotations(lineup) for lineup in self.tournament.lineups]
        for encounter in range(self.start, self.stop):
            index, lineup = divmod(encounter, len(rotations))
            for rotation in range(rotations[lineup]):
                yield index, lineup, rotation
