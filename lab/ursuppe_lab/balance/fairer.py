"""A search for a fairer game: numbers and switches with which all genes are about as good a buy.

The target is the spread of the genes (``spread.py``): the standard deviation, over the genes, of what buying them would
do to the chance of winning. Where it is 0, no gene is a better buy than another. All candidates have the same dice;
what is found is then compared with the beginning on fresh ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.spread import Gains
from ursuppe_lab.balance.study import AFTER, BEFORE, change, described
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.balance.worth import GeneWorth
from ursuppe_lab.reports.as_json import as_json
from ursuppe_lab.statistics import Interval


@dataclass(frozen=True, kw_only=True)
class FairerSearch:
    """What is searched.

    Args:
        trials: with which each candidate is measured, in place of the one ruleset that it has.
        numbers: (field, lowest, highest value): an integer field of a ruleset, or ``field.gene``; or a switch, from
            False to True.
        candidates: how many are tried, at least 1; the first is the ruleset as it is.
        check_games: with which, with each lineup, what is found is compared with the beginning.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    kind: ClassVar[str] = "fairer"
    target: ClassVar[str] = "least spread of gains"

    trials: GeneStudy
    numbers: tuple[tuple[str, int, int], ...]
    candidates: int
    check_games: int

    def __post_init__(self) -> None:
        if not self.numbers:
            raise ValueError("numbers is empty; it must name at least one")
        for field, low, high in self.numbers:
            for value in (low, high):
                self.changed({field: value})  # are such numbers possible?
            if not low <= (value := number_of(self.beginning, field)) <= high:
                raise ValueError(f"{field} is {value}, which is not from {low} to {high}, as numbers says")

    @property
    def beginning(self) -> Ruleset:
        """The ruleset as it is."""
        return self.trials.ruleset(0)

    @property
    def total_games(self) -> int:
        """All games of all candidates, and those of the check."""
        return self.candidates * self.trials.total_games + self.check(self.beginning).total_games

    def changed(self, values: dict[str, int]) -> Ruleset:
        """The beginning with these numbers."""
        ruleset = self.beginning
        for field, value in values.items():
            ruleset = ruleset.replace(**change(field, value))
        return ruleset

    def check(self, found: Ruleset) -> GeneStudy:
        """The trials on fresh dice, of the ruleset as it is and of what is found."""
        fresh = int(np.random.SeedSequence([self.trials.seed, 1]).generate_state(1, np.uint64)[0])
        variants = ((BEFORE, self.beginning), (AFTER, found))
        return replace(self.trials, variants=variants, num_games=self.check_games, seed=fresh)

    def as_dict(self) -> dict[str, Any]:
        """All that decides what is searched, as JSON can write it."""
        return self.trials.as_dict() | {
            "kind": self.kind,
            "target": self.target,
            "numbers": {field: [low, high] for field, low, high in self.numbers},
            "candidates": self.candidates,
            "check_games": self.check_games,
        }


@dataclass(frozen=True)
class Candidate:
    """Numbers that were tried.

    Attributes:
        values: by field; of switches False or True.
        spread: of the gains, as a part of the chance of winning.
        variance: the square of the spread, which may be negative by chance: the target.
        gains: with each lineup.
    """

    values: dict[str, int]
    spread: Interval | None
    variance: float
    gains: list[Gains]


@dataclass(frozen=True)
class FairerGame:
    """The result of a search.

    Attributes:
        search: what was searched.
        candidates: in the order in which they were tried.
        best: the one with the least variance.
        check: before and after, on fresh dice.
        before: spread on fresh dice.
        after: the same with the best candidate.
        change: of the spread, by pairs.
    """

    search: FairerSearch
    candidates: list[Candidate]
    best: Candidate
    check: GeneWorth
    before: Interval | None
    after: Interval | None
    change: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        spreads = {BEFORE: self.before, AFTER: self.after, "change": self.change}
        return {
            "search": self.search.as_dict(),
            "intervals": self.search.trials.about_intervals,
            "candidates": [
                {"values": found.values, "spread": as_json(found.spread), "variance": found.variance}
                for found in self.candidates
            ],
            "found": {"values": self.best.values, "ruleset": described(self.search.changed(self.best.values))},
            "spread": as_json(spreads),
            "check": self.check.as_dict(),
        }


def best_of(tried: Sequence[Candidate]) -> Candidate:
    """The one with the least variance."""
    return min(tried, key=lambda candidate: candidate.variance)


def number_of(ruleset: Ruleset, field: str) -> int:
    """The value of a field, or of ``field.gene``: an integer, of a switch False or True.

    Raises:
        ValueError: there is no such number or switch.
    """
    name, dot, gene = field.partition(".")
    value = getattr(ruleset, name)
    if dot:
        value = value[GENE_NAMES.index(gene)]
    if not isinstance(value, int):
        raise ValueError(f"{field} is no number of a ruleset; it must be an integer field, field.gene, or a switch")
    return value
