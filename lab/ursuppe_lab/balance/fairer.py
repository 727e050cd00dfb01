"""A search for a fairer game: numbers and switches with which all genes are about as good a buy.

The target is the spread of the genes (``figures/spread.py``): where it is 0, no gene is a better buy than another. All
candidates have the same dice; what is found is then compared with the beginning on fresh ones.

The first candidate is the ruleset itself. The next ones have the prices that the gains of the best one until then
suggest. Gains do not follow prices in a straight line: after each step that did not help, the next is half as long.
When short ones do not help either, Optuna's tree-structured Parzen estimator looks around the best: prices one BP up or
down, all other numbers within their bounds. Switches are numbers of 0 and 1 to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.figures.spread import Gains
from ursuppe_lab.balance.figures.worth import GeneWorth
from ursuppe_lab.balance.study import AFTER, BEFORE, change, derived_seed, described
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.reports.text import as_json
from ursuppe_lab.statistics import Interval


@dataclass(frozen=True, kw_only=True)
class FairerSearch:
    """What is searched.

    Args:
        trials: with which each candidate is measured, in place of its one ruleset.
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
        variants, fresh = ((BEFORE, self.beginning), (AFTER, found)), derived_seed(self.trials.seed, 1)
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
        tried = [
            {name: as_json(value) for name, value in vars(one).items() if name != "gains"} for one in self.candidates
        ]
        return {
            "search": self.search.as_dict(),
            "intervals": self.search.trials.about_intervals,
            "candidates": tried,
            "found": {"values": self.best.values, "ruleset": described(self.search.changed(self.best.values))},
            "spread": as_json(spreads),
            "check": self.check.as_dict(),
        }


def best_of(tried: Sequence[Candidate]) -> Candidate:
    """The one with the least variance."""
    return min(tried, key=lambda candidate: candidate.variance)


def number_of(ruleset: Ruleset, field: str) -> int:
    """The value of a field, or of ``field.gene``, which is an integer or a switch, or else a ``ValueError``."""
    name, dot, gene = field.partition(".")
    value = getattr(ruleset, name)
    if dot:
        value = value[GENE_NAMES.index(gene)]
    if not isinstance(value, int):
        raise ValueError(f"{field} is no number of a ruleset; it must be an integer field, field.gene, or a switch")
    return value


_PRICE = "price."
_STEPS = (1.0, 0.5, 0.25)  # of what gains suggest: after none, one and two that did not help
_AROUND = 1  # BP from the best one, as far as prices are searched


def next_values(search: FairerSearch, tried: Sequence[Candidate]) -> dict[str, int]:
    """The numbers of the next candidate."""
    if not tried:
        return {field: number_of(search.beginning, field) for field, _, _ in search.numbers}
    best = best_of(tried)
    helped = sum(best_of(tried[: number + 1]) is not best_of(tried[:number]) for number in range(1, len(tried)))
    for step in _STEPS[len(tried) - 1 - helped :]:  # shorter by those that were no better than all before them
        values = _gains_suggestion(search, best, step)
        if all(candidate.values != values for candidate in tried):
            return values
    return _optuna_suggestion(search, tried, best)


def _gains_suggestion(search: FairerSearch, candidate: Candidate, step: float) -> dict[str, int]:
    """So much of the way to prices that leave each gene with the same gain; other numbers as they are.

    A BP is worth what it is in the rounds in which the gene was tried. Of several lineups each counts by how often it
    tried the gene, so that the sum of squares that is left is the least.
    """
    too_cheap = {gene: 0.0 for field, _, _ in search.numbers if (gene := _gene_of(field))}
    worth = dict(too_cheap)
    for table in candidate.gains:
        for gene, weight, apart, bp in zip(table.genes, table.weights, _shrunk_gains(table), table.bp, strict=True):
            if gene in too_cheap:
                too_cheap[gene] += weight * bp * apart
                worth[gene] += weight * bp**2
    values = dict(candidate.values)
    for field, low, high in search.numbers:
        if (gene := _gene_of(field)) and worth[gene] > 0:
            values[field] = int(np.clip(round(values[field] + step * too_cheap[gene] / worth[gene]), low, high))
    return values


def _gene_of(field: str) -> str | None:
    """The gene whose price it is."""
    return field.removeprefix(_PRICE) if field.startswith(_PRICE) else None


def _shrunk_gains(table: Gains) -> NDArray[np.float64]:
    """(K,) how far each gain is from their mean, the closer to it the more of that may be chance."""
    apart = np.array([gain.estimate for gain in table.gain]) - table.mean
    chance = np.array([gain.resampled.var() for gain in table.gain])
    genes_differ = max(table.variance().estimate, 0.0)
    return np.divide(apart * genes_differ, genes_differ + chance, out=np.zeros_like(apart), where=genes_differ > 0)


def _optuna_suggestion(search: FairerSearch, tried: Sequence[Candidate], best: Candidate) -> dict[str, int]:
    """Numbers around the best one, after what all have shown."""
    with extra("balance"):
        import optuna  # which nothing else needs

    around = {}
    for field, low, high in search.numbers:
        if _gene_of(field):
            low, high = max(low, best.values[field] - _AROUND), min(high, best.values[field] + _AROUND)
        around[field] = int(low), int(high)
    distributions: dict[str, optuna.distributions.BaseDistribution] = {
        field: optuna.distributions.IntDistribution(*ends) for field, ends in around.items()
    }
    seed = int(np.random.SeedSequence([search.trials.seed, len(tried)]).generate_state(1)[0])
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=1))
    for candidate in tried:
        params = {field: int(value) for field, value in candidate.values.items()}
        if all(around[field][0] <= value <= around[field][1] for field, value in params.items()):
            trial = optuna.trial.create_trial(params=params, distributions=distributions, value=candidate.variance)
            study.add_trial(trial)
    found = study.ask(distributions).params
    return {field: type(low)(found[field]) for field, low, _ in search.numbers}
