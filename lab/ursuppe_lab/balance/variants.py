"""A study of variants: the same agents play several rulesets, with the same dice."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.balance.measures import Ratio, load_measure
from ursuppe_lab.balance.measures.chronicle import Chronicle, play_chronicled
from ursuppe_lab.balance.study import KEYS, Study, StudyBatch

DENOMINATOR = ":denominator"  # the end of the name of the column that a ratio divides by


@dataclass(frozen=True, kw_only=True)
class VariantStudy(Study):
    """Rulesets that are compared by measures.

    Args:
        measures: names, or ``module:function``.
    """

    kind: ClassVar[str] = "variants"
    measures: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for measure in self.measures:
            load_measure(measure)

    @cached_property
    def columns(self) -> pl.Schema:
        """The columns of a row for each game: which game it is, and ``measure/figure``; null where a variant has none.

        A ``Ratio`` has a second one, ``measure/figure:denominator``.
        """
        figures: dict[str, pl.DataType] = {}
        for _, ruleset in self.variants:
            # What figures the measures have does not depend on the game: any one will do.
            game = Tournament(lineups=(("random",) * ruleset.players,), num_games=1, ruleset=ruleset)
            chronicle = play_chronicled(next(game.batches()))
            figures.update(dict.fromkeys(measured(self.measures, chronicle), pl.Float32()))
        return pl.Schema({**KEYS, **figures})

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"measures": list(self.measures)}


def play_variant(batch: StudyBatch[VariantStudy]) -> pl.DataFrame:
    """Play the games of a batch, and return a row of the measures for each; errors are those of ``measured``."""
    figures = measured(batch.study.measures, play_chronicled(batch.matches))
    rows = batch.keys.with_columns(pl.Series(name, values) for name, values in figures.items())
    return pl.concat([pl.DataFrame(schema=batch.study.columns), rows], how="diagonal")


def measured(names: tuple[str, ...], chronicle: Chronicle) -> dict[str, NDArray[np.float32]]:
    """The figures of all measures, by the names of their columns: (N,) each; ``ValueError`` if a measure fails."""
    columns: dict[str, NDArray[np.float32]] = {}
    for name in names:
        try:
            figures = dict(load_measure(name)(chronicle))
        except Exception as error:  # whatever a measure raises
            raise ValueError(f"measure {name!r} crashed: {type(error).__name__}: {error}") from error
        for figure, values in figures.items():
            column, what, games = f"{name}/{figure}", f"{figure!r} of measure {name!r}", chronicle.num_games
            if isinstance(values, Ratio):
                columns[column] = _numbers(f"the numerator of {what}", values.numerator, games)
                columns[column + DENOMINATOR] = _numbers(f"the denominator of {what}", values.denominator, games)
            else:
                columns[column] = _numbers(what, values, games)
    return columns


def _numbers(what: str, values: object, num_games: int) -> NDArray[np.float32]:
    numbers = np.asarray(values)
    if numbers.shape != (num_games,) or numbers.dtype.kind not in "biuf" or not np.isfinite(numbers).all():
        given = f"shape {numbers.shape} and dtype {numbers.dtype}"
        raise ValueError(f"{what} has {given}; it must be ({num_games},) finite numbers")
    return numbers.astype(np.float32)
