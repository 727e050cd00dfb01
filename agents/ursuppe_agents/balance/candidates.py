"""The candidates of a search for a fairer game: numbers that were tried, and those to try next.

The first candidate is the ruleset itself. The next ones have the prices that the gains of the one before suggest. Then
Optuna's tree-structured Parzen estimator looks around the best of these: prices one BP up or down, all other
numbers within their bounds. Switches are numbers of 0 and 1 to it.
"""

from collections.abc import Sequence

import numpy as np

from ursuppe_agents.balance.fairer import Candidate, FairerSearch, number_of
from ursuppe_env.extras import extra

with extra("balance"):
    import optuna

_PRICE = "price."
_FROM_GAINS = 2  # candidates whose prices the gains of the one before suggest
_STEP = 1  # BP from the best of them, as far as prices are searched


def next_values(search: FairerSearch, tried: Sequence[Candidate]) -> dict[str, int]:
    """The numbers of the next candidate."""
    if not tried:
        return {field: number_of(search.beginning, field) for field, _, _ in search.numbers}
    if len(tried) <= _FROM_GAINS:
        return _as_gains_suggest(search, tried[-1])
    return _as_optuna_suggests(search, tried)


def _as_gains_suggest(search: FairerSearch, candidate: Candidate) -> dict[str, int]:
    """Prices that leave each gene with the same gain, if it does what it did; other numbers as they are.

    A BP is worth what it is in the rounds in which the gene was tried: early genes are paid with dear BP.
    """
    values = dict(candidate.values)
    for field, low, high in search.numbers:
        gene = field.removeprefix(_PRICE)
        apart = []
        for at_table in candidate.gains if field.startswith(_PRICE) else ():
            if gene in at_table.genes:
                number = at_table.genes.index(gene)
                if (bp := at_table.bp[number]) > 0:
                    apart.append((at_table.gain[number].estimate - at_table.mean) / bp)
        if apart:
            values[field] = int(np.clip(round(values[field] + float(np.mean(apart))), low, high))
    return values


def _as_optuna_suggests(search: FairerSearch, tried: Sequence[Candidate]) -> dict[str, int]:
    """Numbers around the best of the first candidates, after what all have shown."""
    middle = min(tried[: 1 + _FROM_GAINS], key=lambda candidate: candidate.variance).values
    around = {}
    for field, low, high in search.numbers:
        if field.startswith(_PRICE):
            low, high = max(low, middle[field] - _STEP), min(high, middle[field] + _STEP)
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
