"""The results of a study of variants: each figure with its interval, and its difference from the base."""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from ursuppe_lab.balance.study import KEYS
from ursuppe_lab.balance.variants import DENOMINATOR, VariantStudy
from ursuppe_lab.reports.text import as_json, lineup_name
from ursuppe_lab.statistics import Interval
from ursuppe_lab.statistics.discoveries import about_differences, adjusted, clearness, counts, p_value
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped, Sums, ratios, sums_by_cluster


@dataclass(frozen=True)
class VariantFigure:
    """A figure of a variant with a lineup.

    Attributes:
        lineup: its number in the study.
        variant: its number in the study.
        measure: that gave it.
        name: of the figure.
        value: None if it was seen too rarely to say anything.
        difference: from the base; None for the base itself.
        p: p-value of the difference by itself; None if it has no interval.
        adjusted_p: the same, adjusted for all figures of the study.
    """

    lineup: int
    variant: int
    measure: str
    name: str
    value: Interval | None
    difference: Interval | None
    p: float | None
    adjusted_p: float | None = None

    @property
    def is_different(self) -> bool:
        """Is there a difference from the base, beyond what chance gives to one of so many figures?"""
        return counts(self.adjusted_p)


@dataclass(frozen=True)
class Comparison:
    """All figures of a study.

    Attributes:
        study: what was played.
        games: how many were.
        figures: by lineup, then variant, then measure.
    """

    study: VariantStudy
    games: int
    figures: list[VariantFigure]

    def of(self, lineup: int, variant: int, measure: str) -> dict[str, VariantFigure]:
        """The figures of a measure by name."""
        return {
            figure.name: figure
            for figure in self.figures
            if (figure.lineup, figure.variant, figure.measure) == (lineup, variant, measure)
        }

    def names(self, measure: str) -> list[str]:
        """The names of a measure's figures, in all variants together."""
        return list(dict.fromkeys(figure.name for figure in self.figures if figure.measure == measure))

    @property
    def different(self) -> list[VariantFigure]:
        """Those that differ from the base, the clearest difference first."""
        found = [figure for figure in self.figures if figure.is_different]
        return sorted(found, key=lambda figure: -clearness(figure.difference))

    @property
    def about_differences(self) -> str:
        """How many of the differences count, and what that means."""
        return about_differences([figure.adjusted_p for figure in self.figures], "from the base")

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; where there is no interval, its ends are null."""
        return {
            "study": self.study.as_dict(),
            "games": self.games,
            "intervals": self.study.about_intervals,
            "differences": self.about_differences,
            "figures": [
                {
                    "lineup": lineup_name(self.study.lineups[figure.lineup]),
                    "variant": self.study.variants[figure.variant][0],
                    "measure": figure.measure,
                    "figure": figure.name,
                    "value": as_json(figure.value),
                    "difference": as_json(figure.difference),
                    "adjusted_p": figure.adjusted_p,
                    "is_different": figure.is_different,
                }
                for figure in self.figures
            ],
        }


def compare(study: VariantStudy, rows: pl.DataFrame) -> Comparison:
    """The figures of all games of a study, of ``play_variant``."""
    figures: list[VariantFigure] = []
    for lineup in range(len(study.lineups)):
        base: dict[str, Bootstrapped] = {}
        for variant in range(len(study.variants)):
            sums = _sums(study, rows, lineup, variant)
            found, exact = ratios(sums, study.generator(variant)), sums.exact_shares()
            num_clusters = min(study.num_seeds(0, lineup), study.num_seeds(variant, lineup), MOST_CLUSTERS)
            for name, ratio in found.items():
                measure, _, figure = name.partition("/")
                value, difference, p = ratio.interval(), None, None
                is_share = measure.startswith("wins_") or measure in ("attacks", "genes_bought")  # at most 1
                if value is not None and value.ends is not None and (value.estimate == 0 or is_share):
                    value = exact.get(name, value)
                if name in base:
                    apart = ratio.minus(base[name])
                    difference, p = apart.interval(), p_value(apart, num_clusters)
                figures.append(VariantFigure(lineup, variant, measure, figure, value, difference, p))
            base = base or found
    all_adjusted = zip(figures, adjusted([figure.p for figure in figures]), strict=True)
    return Comparison(study, len(rows), [replace(figure, adjusted_p=p) for figure, p in all_adjusted])


def _sums(study: VariantStudy, rows: pl.DataFrame, lineup: int, variant: int) -> Sums:
    """Of all figures of a variant with a lineup."""
    games = rows.filter((pl.col("lineup") == lineup) & (pl.col("variant") == variant))
    present = [name for name in rows.columns if name not in KEYS and games[name].null_count() == 0]
    denominators = {
        name: name + DENOMINATOR if name + DENOMINATOR in present else None
        for name in present
        if not name.endswith(DENOMINATOR)
    }
    return sums_by_cluster(games, study.num_seeds(variant, lineup), denominators)
