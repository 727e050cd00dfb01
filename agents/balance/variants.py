"""A study of variants: the same agents play several rulesets, with the same dice."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.arena.sitting import KEYS as GAME_KEYS
from ursuppe_agents.arena.sitting import keys_of, sit_down
from ursuppe_agents.arena.tables import Table
from ursuppe_agents.arena.tournament import Chunk, Tournament
from ursuppe_agents.balance.chronicle import Chronicle, Chronicler
from ursuppe_agents.balance.measures import Share, load_measure
from ursuppe_env import Games, Ruleset

BASE = "base"
WHOLE = ":whole"  # the end of the name of the column that a share is a part of
# Games in a part: more are hardly played faster, and so many parts are enough for workers and interruptions.
_MOST_AT_ONCE = 512
_PARTS = 8

#: Which game a row is: the variant, and what the arena says.
KEYS = pl.Schema({"variant": pl.Int64(), **GAME_KEYS})


@dataclass(frozen=True, kw_only=True)
class VariantStudy:
    """Rulesets that are compared.

    Args:
        name: of the study.
        tables: who plays, each P codes of agents, or one that sits in every seat. Each table plays every variant.
        num_games: at each table with each variant; rounded up so that each seed is played in all rotations.
        seed: of the games, and of the agents' own choices.
        variants: (name, ruleset); the first one is the base, with which the others are compared.
        measures: names, or ``module:function``.
        paired: do the variants share their dice? False: each has its own, as if it had been studied alone.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    name: str
    tables: tuple[Table, ...]
    num_games: int
    seed: int
    variants: tuple[tuple[str, Ruleset], ...]
    measures: tuple[str, ...]
    paired: bool = True

    def __post_init__(self) -> None:
        for measure in self.measures:
            load_measure(measure)
        for number in range(len(self.variants)):
            self.tournaments(number)

    def tournaments(self, variant: int) -> list[Tournament]:
        """What is played with this variant: a tournament for each table."""
        return [
            table_tournament(table, self.num_games, self.variants[variant][1], self._seed_of(variant))
            for table in self.tables
        ]

    def is_paired(self, variant: int) -> bool:
        """Do its games share their dice with the base's, as far as the games allow?"""
        return self.paired and self.variants[variant][1].players == self.variants[0][1].players

    @property
    def total_games(self) -> int:
        """All games at all tables with all variants."""
        return sum(
            tournament.total_games for number in range(len(self.variants)) for tournament in self.tournaments(number)
        )

    def parts(self) -> "list[VariantPart]":
        """The study in parts that are played on their own."""
        chunks = [
            (variant, table, chunk)
            for variant in range(len(self.variants))
            for table, tournament in enumerate(self.tournaments(variant))
            for chunk in tournament.chunks()
        ]
        columns = tuple(self.columns())
        return [VariantPart(self, columns, number, *chunk) for number, chunk in enumerate(chunks)]

    def columns(self) -> pl.Schema:
        """The columns of a row for each game: which game it is, and the figures of the measures.

        A figure is in the column ``measure/figure``; a ``Share`` has a second one, ``measure/figure:whole``. What a
        variant does not have (a fifth player) is null there.
        """
        figures: dict[str, pl.DataType] = {}
        for _, ruleset in self.variants:
            games = Games(1, ruleset, threads=1, pause_after_rounds=True)
            chronicler = Chronicler(games)
            rows = np.zeros(1, np.int64)
            while not games.finished[0]:
                if games.player[0] >= 0:
                    action = games.legal()[0].argmax(keepdims=True)
                    chronicler.chosen(games, rows, action, 0.0)
                    games.step(action)
                    chronicler.taken(games, rows)
                else:
                    games.resume()
            figures.update(dict.fromkeys(measured(self.measures, chronicler.chronicle()), pl.Float32()))
        return pl.Schema({**KEYS, **figures})

    def as_dict(self) -> dict[str, Any]:
        """All that decides what is played and measured, as JSON can write it."""
        return {
            "version": version("ursuppe-env"),
            "kind": "variants",
            "tables": [list(table) for table in self.tables],
            "games": self.num_games,
            "seed": self.seed,
            "variants": {name: described(ruleset) for name, ruleset in self.variants},
            "measures": list(self.measures),
            "paired": self.paired,
        }

    def _seed_of(self, variant: int) -> int:
        if self.paired or variant == 0:
            return self.seed
        return int(np.random.SeedSequence([self.seed, variant]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class VariantPart:
    """Some games of a study, with one variant at one table.

    Attributes:
        study: all of it.
        columns: of its rows, by name.
        number: of the part, from 0.
        variant: its number.
        table: its number.
        chunk: the games.
    """

    study: VariantStudy
    columns: tuple[str, ...]
    number: int
    variant: int
    table: int
    chunk: Chunk


def keys_of_part(part: VariantPart) -> pl.DataFrame:
    """The columns that say which games a part has."""
    return keys_of(part.chunk).select(
        pl.lit(part.variant, pl.Int64).alias("variant"),
        "index",
        pl.lit(part.table, pl.Int64).alias("table"),
        "rotation",
    )


def play_part(part: VariantPart) -> pl.DataFrame:
    """Play the games, and return a row of the study's measures for each.

    Raises:
        AgentError: an agent crashed or gave an illegal action.
        ValueError: a measure failed.
    """
    sitting = sit_down(part.chunk, pause_after_rounds=True)
    chronicler = Chronicler(sitting.games)
    sitting.play(chronicler)
    figures = measured(part.study.measures, chronicler.chronicle())
    rows = keys_of_part(part).with_columns(pl.Series(name, values) for name, values in figures.items())
    return rows.select(name if name in rows.columns else pl.lit(None, pl.Float32).alias(name) for name in part.columns)


def measured(names: tuple[str, ...], chronicle: Chronicle) -> dict[str, NDArray[np.float32]]:
    """The figures of all measures, by the names of their columns: (N,) float32 each.

    Raises:
        ValueError: a measure crashed, or gave something else.
    """
    columns: dict[str, NDArray[np.float32]] = {}
    for name in names:
        try:
            figures = dict(load_measure(name)(chronicle))
        except Exception as error:  # whatever somebody's measure raises
            raise ValueError(f"measure {name!r} crashed: {type(error).__name__}: {error}") from error
        for figure, values in figures.items():
            part, whole = values if isinstance(values, Share) else (values, None)
            columns[f"{name}/{figure}"] = _numbers(f"{figure!r} of measure {name!r}", part, chronicle.num_games)
            if whole is not None:
                columns[f"{name}/{figure}{WHOLE}"] = _numbers(
                    f"the whole of {figure!r} of measure {name!r}", whole, chronicle.num_games
                )
    return columns


def table_tournament(table: Table, num_games: int, ruleset: Ruleset, seed: int) -> Tournament:
    """The games of a table; one code sits in every seat.

    Where all agents are the same, a rotation of the seats would only play the same game again.
    """
    if len(table) == 1:
        table = table * ruleset.players
    return Tournament(
        tables=(table,),
        num_games=num_games,
        ruleset=ruleset,
        seed=seed,
        rotate=len(set(table)) > 1,
        games_at_once=max(1, min(num_games // _PARTS, _MOST_AT_ONCE)),
    )


def described(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as JSON can write it."""
    return {"players": ruleset.players, "edition": ruleset.edition, **ruleset.changes()}


def _numbers(what: str, values: object, num_games: int) -> NDArray[np.float32]:
    numbers = np.asarray(values)
    if numbers.shape != (num_games,) or numbers.dtype.kind not in "biuf" or not np.isfinite(numbers).all():
        raise ValueError(
            f"{what} has shape {numbers.shape} and dtype {numbers.dtype}; it must be ({num_games},) finite numbers"
        )
    return numbers.astype(np.float32)
