"""What all studies have in common: rulesets, lineups, seeds, and batches that are played on their own."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import polars as pl

from ursuppe_env import Ruleset, __version__
from ursuppe_lab.arena.lineups import Lineup
from ursuppe_lab.arena.matches import KEYS as GAME_KEYS
from ursuppe_lab.arena.matches import keys_of
from ursuppe_lab.arena.tournament import MatchBatch, Tournament
from ursuppe_lab.reports.text import about_intervals

#: Which game a row is: the variant, and what the arena says.
KEYS = pl.Schema({"variant": pl.Int64(), **GAME_KEYS})

#: Names of variants, where two are compared.
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, kw_only=True)
class Study:
    """Games of several lineups with several rulesets; ``ValueError`` names a value that is out of its range."""

    kind: ClassVar[str]
    # Games in a batch: larger batches are barely faster, smaller ones much slower. And the number of batches of a
    # lineup with a variant, unless they would be too small: enough for a few workers, and for interruptions.
    most_at_once: ClassVar[int] = 512
    fewest_at_once: ClassVar[int] = 32
    least_batches: ClassVar[int] = 4

    name: str
    lineups: tuple[Lineup, ...]  # each P agent specs, or one that sits in every seat; each plays every variant
    num_games: int  # of each lineup with each variant; rounded up so that each seed is played in all rotations
    seed: int  # of the games, and of the agents' own choices
    variants: tuple[tuple[str, Ruleset], ...]  # (name, ruleset); the first one is the base
    paired: bool = True  # do the variants share their dice? False: each has its own, as if it had been studied alone

    def __post_init__(self) -> None:
        for number, (name, _) in enumerate(self.variants):
            try:
                self.tournaments(number)
            except ValueError as error:
                raise ValueError(f"variant {name}: {error}") from error

    def ruleset(self, variant: int) -> Ruleset:
        """Of the variant with this number."""
        return self.variants[variant][1]

    def tournaments(self, variant: int) -> list[Tournament]:
        """What is played with this variant: a tournament for each lineup."""
        ruleset = self.ruleset(variant)
        seed = self.seed if variant == 0 or self.paired else derived_seed(self.seed, variant)
        in_all_seats = [lineup * ruleset.players if len(lineup) == 1 else lineup for lineup in self.lineups]
        at_once = min(max(self.num_games // self.least_batches, self.fewest_at_once), self.most_at_once)
        return [
            Tournament(lineups=(lineup,), num_games=self.num_games, ruleset=ruleset, seed=seed, games_at_once=at_once)
            for lineup in in_all_seats
        ]

    def num_seeds(self, variant: int, lineup: int) -> int:
        """S, how many games of the seed this lineup plays with this variant, in all rotations."""
        return self.tournaments(variant)[lineup].num_seeds

    def generator(self, variant: int) -> np.random.Generator:
        """Draws resamples of the seeds: the same ones for variants that share their dice with the base."""
        is_paired = self.paired and self.ruleset(variant).players == self.ruleset(0).players
        return np.random.default_rng([self.seed, 0 if is_paired else variant])

    def all_tournaments(self) -> Iterator[tuple[int, int, Tournament]]:
        """The variants, each with all lineups: their numbers, and what is played."""
        for variant in range(len(self.variants)):
            for lineup, tournament in enumerate(self.tournaments(variant)):
                yield variant, lineup, tournament

    @property
    def about_intervals(self) -> str:
        """Which figures have intervals."""
        return about_intervals([tournament.num_seeds for _, _, tournament in self.all_tournaments()])

    @property
    def total_games(self) -> int:
        """All games of all lineups with all variants."""
        return sum(tournament.total_games for _, _, tournament in self.all_tournaments())

    def batches(self) -> "Iterator[StudyBatch[Self]]":
        """The study in batches that are played on their own, one by one."""
        for variant, lineup, tournament in self.all_tournaments():
            for batch in tournament.batches():
                yield StudyBatch(self, variant, lineup, batch)

    def as_dict(self) -> dict[str, Any]:
        """All that decides what is played, as JSON can write it."""
        return {
            "version": __version__,
            "kind": self.kind,
            "lineups": [list(lineup) for lineup in self.lineups],
            "games": self.num_games,
            "seed": self.seed,
            "variants": {name: described(ruleset) for name, ruleset in self.variants},
            "paired": self.paired,
        }


S = TypeVar("S", bound=Study)


@dataclass(frozen=True)
class StudyBatch(Generic[S]):
    """Some games of a study, with one variant and one lineup; both are counted from 0."""

    study: S
    variant: int
    lineup: int
    matches: MatchBatch

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The columns that say which games it has."""
        which = {"variant": pl.lit(self.variant, pl.Int64), "lineup": pl.lit(self.lineup, pl.Int64)}
        return keys_of(self.matches).with_columns(**which).select(list(KEYS))


def derived_seed(*parts: int) -> int:
    """Of fresh dice: other ones than those of the first part."""
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0])


def change(field: str, value: Any) -> dict[str, Any]:
    """The change of a ruleset that gives a field, or ``field.gene``, a value."""
    name, dot, gene = field.partition(".")
    return {name: {gene: value} if dot else value}


def described(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as JSON can write it."""
    return {"players": ruleset.players, "edition": ruleset.edition, **ruleset.changes()}
