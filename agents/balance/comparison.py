"""What came out of a study of variants: each figure with its interval, and its difference to the base."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from ursuppe_agents.arena.tables import table_name
from ursuppe_agents.balance.ratios import Ratio, ratios, sums_by_unit
from ursuppe_agents.balance.study import KEYS
from ursuppe_agents.balance.variants import WHOLE, VariantStudy
from ursuppe_agents.statistics import Interval


@dataclass(frozen=True)
class Figure:
    """A figure of a variant at a table.

    Attributes:
        table: its number in the study.
        variant: its number in the study.
        measure: that gave it.
        name: of the figure.
        value: None if it was seen too rarely to say anything.
        difference: to the base; None for the base itself.
    """

    table: int
    variant: int
    measure: str
    name: str
    value: Interval | None
    difference: Interval | None

    @property
    def is_different(self) -> bool:
        """Does the interval of the difference leave out 0?"""
        return self.difference is not None and not self.difference.low <= 0 <= self.difference.high


@dataclass(frozen=True)
class Comparison:
    """All figures of a study.

    Attributes:
        study: what was played.
        games: how many were.
        figures: by table, then variant, then measure.
    """

    study: VariantStudy
    games: int
    figures: list[Figure]

    def of(self, table: int, variant: int, measure: str) -> dict[str, Figure]:
        """The figures of a measure by name."""
        return {
            figure.name: figure
            for figure in self.figures
            if (figure.table, figure.variant, figure.measure) == (table, variant, measure)
        }

    def names(self, measure: str) -> list[str]:
        """The names of a measure's figures, in all variants together."""
        return list(dict.fromkeys(figure.name for figure in self.figures if figure.measure == measure))

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        return {
            "study": self.study.as_dict(),
            "games": self.games,
            "figures": [
                {
                    "table": table_name(self.study.tables[figure.table]),
                    "variant": self.study.variants[figure.variant][0],
                    "measure": figure.measure,
                    "figure": figure.name,
                    "value": None if figure.value is None else figure.value._asdict(),
                    "difference": None if figure.difference is None else figure.difference._asdict(),
                }
                for figure in self.figures
            ],
        }


def compare(study: VariantStudy, rows: pl.DataFrame) -> Comparison:
    """The figures of all games of a study.

    Args:
        study: what was played.
        rows: all its games, of ``play_variant``.
    """
    figures: list[Figure] = []
    for table in range(len(study.tables)):
        base: dict[str, Ratio] = {}
        for variant in range(len(study.variants)):
            found = _ratios(study, rows, table, variant)
            for name, ratio in found.items():
                measure, _, figure = name.partition("/")
                difference = ratio.minus(base[name]).interval() if name in base else None
                figures.append(Figure(table, variant, measure, figure, ratio.interval(), difference))
            base = base or found
    return Comparison(study, len(rows), figures)


def _ratios(study: VariantStudy, rows: pl.DataFrame, table: int, variant: int) -> dict[str, Ratio]:
    """All figures of a variant at a table."""
    games = rows.filter((pl.col("table") == table) & (pl.col("variant") == variant))
    present = [name for name in rows.columns if name not in KEYS and games[name].null_count() == 0]
    wholes = {name: name + WHOLE if name + WHOLE in present else None for name in present if not name.endswith(WHOLE)}
    return ratios(sums_by_unit(games, study.num_seeds(variant, table), wholes), study.generator(variant))
