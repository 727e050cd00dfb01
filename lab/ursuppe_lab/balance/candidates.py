"""The candidates of a search for a fairer game: numbers that were tried, and those to try next.

The first candidate is the ruleset itself. The next ones have the prices that the gains of the best one until then
suggest. Gains do not follow prices in a straight line, so that a whole step may go too far: after each that did not
help, the next is half as long. When short ones do not help either, Optuna's tree-structured Parzen estimator looks
around the best: prices one BP up or down, all other numbers within their bounds. Switches are numbers of 0 and 1 to it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_lab.balance.fairer import Candidate, FairerSearch, best_of, number_of
from ursuppe_lab.balance.spread import Gains

with extra("balance"):
    import optuna

_PRICE = "price."
_STEPS = (1.0, 0.5, 0.25)  # of what gains suggest: after none, one and two that did not help
_AROUND = 1  # BP from the best one, as far as prices are searched


def next_values(search: FairerSearch, tried: Sequence[Candidate]) -> dict[str, int]:
    """The numbers of the next candidate."""
    if not tried:
        return {field: number_of(search.beginning, field) for field, _, _ in search.numbers}
    best = best_of(tried)
    for step in _STEPS[_in_vain(tried) :]:
        values = _as_gains_suggest(search, best, step)
        if all(candidate.values != values for candidate in tried):
            return values
    return _as_optuna_suggests(search, tried, best)


def _in_vain(tried: Sequence[Candidate]) -> int:
    """How many were no better than all before them."""
    helped = sum(best_of(tried[: number + 1]) is not best_of(tried[:number]) for number in range(1, len(tried)))
    return len(tried) - 1 - helped


def _as_gains_suggest(search: FairerSearch, candidate: Candidate, step: float) -> dict[str, int]:
    """So much of the way to prices that leave each gene with the same gain; other numbers as they are.

    A BP is worth what it is in the rounds in which the gene was tried: early genes are paid with dear BP. Of several
    lineups each counts by how often it tried the gene, so that the sum of squares that is left is the least.
    """
    too_cheap = {gene: 0.0 for field, _, _ in search.numbers if (gene := _gene_of(field))}
    worth = dict(too_cheap)
    for at_table in candidate.gains:
        for gene, weight, apart, bp in zip(
            at_table.genes, at_table.weights, _told_from_chance(at_table), at_table.bp, strict=True
        ):
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


def _told_from_chance(at_table: Gains) -> NDArray[np.float64]:
    """(K,) how far each gain is from their mean, the closer to it the more of that may be chance."""
    apart = np.array([gain.estimate for gain in at_table.gain]) - at_table.mean
    chance = np.array([gain.resampled.var() for gain in at_table.gain])
    genes_differ = max(at_table.variance().estimate, 0.0)
    return np.divide(apart * genes_differ, genes_differ + chance, out=np.zeros_like(apart), where=genes_differ > 0)


def _as_optuna_suggests(search: FairerSearch, tried: Sequence[Candidate], best: Candidate) -> dict[str, int]:
    """Numbers around the best one, after what all have shown."""
    around = {}
    for field, low, high in search.numbers:
        if _gene_of(field):
            low, high = max(low, best.values[field] - _AROUND), min(high, best.values[field] + _AROUND)
        around[field] = low, high
    distributions: dict[str, optuna.distributions.BaseDistribution] = {
        field: optuna.distributions.IntDistribution(int(low), int(high)) for field, (low, high) in around.items()
    }
    seed = int(np.random.SeedSequence([search.trials.seed, len(tried)]).generate_state(1)[0])
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, n_startup_trials=1)
    study = optuna.create_study(sampler=sampler)
    for candidate in tried:
        if all(around[field][0] <= value <= around[field][1] for field, value in candidate.values.items()):
            study.add_trial(
                optuna.trial.create_trial(
                    params={field: int(value) for field, value in candidate.values.items()},
                    distributions=distributions,
                    value=candidate.variance,
                )
            )
    found = study.ask(distributions).params
    return {field: type(low)(found[field]) for field, low, _ in search.numbers}
