"""The candidates of a search for a fairer game: numbers that were tried, and those to try next.

The first candidate is the ruleset itself. The next ones have the prices that the worths of the one before suggest. Then
Optuna's tree-structured Parzen estimator looks around the best of these: prices one BP up or down, all other
numbers within their bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ursuppe_agents.balance.spread import Surpluses
from ursuppe_agents.balance.study import change
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.statistics import Interval
from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.rules.genes import GENE_NAMES

with extra("balance"):
    import optuna

BEFORE, AFTER = "before", "after"
_PRICE = "price."
_FROM_WORTHS = 2  # candidates whose prices the worths of the one before suggest
_STEP = 1  # BP from the best of them, as far as prices are searched


@dataclass(frozen=True, kw_only=True)
class FairerSearch:
    """What is searched.

    Args:
        trials: with which each candidate is measured, in place of the one ruleset that it has.
        numbers: (field, lowest, highest value): an integer field of a ruleset, or ``field.gene``.
        candidates: how many are tried, at least 1; the first is the ruleset as it is.
        check_games: with which, at each table, what is found is compared with the beginning.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    kind: ClassVar[str] = "fairer"

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
            "numbers": {field: [low, high] for field, low, high in self.numbers},
            "candidates": self.candidates,
            "check_games": self.check_games,
        }


@dataclass(frozen=True)
class Candidate:
    """Numbers that were tried.

    Attributes:
        values: by field.
        spread: of the genes' worths beyond their prices, in BP.
        variance: the square of the spread, which may be negative by chance: the target.
        surpluses: at each table.
    """

    values: dict[str, int]
    spread: Interval | None
    variance: float
    surpluses: list[Surpluses]


def next_values(search: FairerSearch, tried: Sequence[Candidate]) -> dict[str, int]:
    """The numbers of the next candidate."""
    if not tried:
        return {field: number_of(search.beginning, field) for field, _, _ in search.numbers}
    if len(tried) <= _FROM_WORTHS:
        return _as_worths_suggest(search, tried[-1])
    return _as_optuna_suggests(search, tried)


def _as_worths_suggest(search: FairerSearch, candidate: Candidate) -> dict[str, int]:
    """Prices that leave each gene with the same surplus, if its worth stays as it is; other numbers as they are."""
    values = dict(candidate.values)
    for field, low, high in search.numbers:
        gene = field.removeprefix(_PRICE)
        apart = [
            at_table.surplus[at_table.genes.index(gene)].estimate - at_table.mean
            for at_table in candidate.surpluses
            if field.startswith(_PRICE) and gene in at_table.genes
        ]
        if apart:
            values[field] = int(np.clip(round(values[field] + float(np.mean(apart))), low, high))
    return values


def _as_optuna_suggests(search: FairerSearch, tried: Sequence[Candidate]) -> dict[str, int]:
    """Numbers around the best of the first candidates, after what all have shown."""
    middle = min(tried[: 1 + _FROM_WORTHS], key=lambda candidate: candidate.variance).values
    around = {}
    for field, low, high in search.numbers:
        if field.startswith(_PRICE):
            low, high = max(low, middle[field] - _STEP), min(high, middle[field] + _STEP)
        around[field] = low, high
    distributions: dict[str, optuna.distributions.BaseDistribution] = {
        field: optuna.distributions.IntDistribution(low, high) for field, (low, high) in around.items()
    }
    seed = int(np.random.SeedSequence([search.trials.seed, len(tried)]).generate_state(1)[0])
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=1)
    study = optuna.create_study(sampler=sampler)
    for candidate in tried:
        if all(around[field][0] <= value <= around[field][1] for field, value in candidate.values.items()):
            study.add_trial(
                optuna.trial.create_trial(
                    params=candidate.values, distributions=distributions, value=candidate.variance
                )
            )
    return dict(study.ask(distributions).params)


def number_of(ruleset: Ruleset, field: str) -> int:
    """The value of a field, or of ``field.gene``.

    Raises:
        ValueError: there is no such number.
    """
    name, dot, gene = field.partition(".")
    value = getattr(ruleset, name)
    if dot:
        value = value[GENE_NAMES.index(gene)]
    if not isinstance(value, int):
        raise ValueError(f"{field} is no number of a ruleset; it must be an integer field, or field.gene")
    return value
