"""Trials of made-up agents of whom one knows how unequal genes are to them: what do the bars of the studies say?

The trials are those of ``planted_worths.py``, with other surpluses. Agents that stand for all of their kind differ in
what each gene is worth to them, at random: so the truth is a mean over all that there could be.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from studies.bars import ADAPTING, BP, POINTS, Bar, measured_bars
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import GeneStudy

from support import planted_worths as planted

#: Surpluses, BP: as planted, and others with exactly the same spread, the genes' order being turned round; all genes
#: nearer to each other; and all alike.
SURPLUSES = {
    "as they are": planted.SURPLUS,
    "turned round": -planted.SURPLUS,
    "nearer": 0.4 * planted.SURPLUS,
    "alike": np.zeros(len(GENE_NAMES)),
}

_TRIED = np.array([len(rounds) for rounds in planted.OPEN], np.float64)
_WEIGHTS = _TRIED / _TRIED.sum()
_BP = np.array([planted.BP[list(rounds)].mean() for rounds in planted.OPEN])


def true_variance(unit: str, surpluses: NDArray[np.float64], between: float = 0.0) -> float:
    """The square of the spread, in points² or BP².

    Args:
        unit: of ``studies.bars``.
        surpluses: (20,) BP, of the mean agent.
        between: standard deviation between agents of what a gene is worth, BP.
    """
    if unit == POINTS:
        gains = 100 * _BP * surpluses
        noise = (100 * between) ** 2 * (_WEIGHTS * (1 - _WEIGHTS)) @ _BP**2
        return float(_WEIGHTS @ gains**2 - (_WEIGHTS @ gains) ** 2 + noise)
    shares = _WEIGHTS * _BP**2 / (_WEIGHTS @ _BP**2)
    return float(shares @ surpluses**2 - (shares @ surpluses) ** 2 + between**2 * (1 - shares @ shares))


def planted_bars(
    names: Sequence[str], seed: int, games: int = 400, agents: int = 1, between: float = 0.0
) -> dict[tuple[str, str], Bar]:
    """The bars of planted trials, by unit and name.

    Args:
        names: of ``SURPLUSES``, which all agents play with the same dice.
        seed: of chance.
        games: of each agent with each of them.
        agents: K, each with dice of its own; one stands for itself.
        between: as in ``true_variance``.
    """
    study = planted.planted_study(games, variants=tuple(names))
    generator = np.random.default_rng([seed, 1])
    played: list[tuple[GeneStudy, pl.DataFrame]] = []
    for agent in range(agents):
        own = between * generator.standard_normal(len(GENE_NAMES))
        rows = [
            planted.planted_trials(
                study,
                seed=agents * seed + agent,
                shifted=dict(zip(GENE_NAMES, SURPLUSES[name] + own - planted.SURPLUS, strict=True)),
                variant=variant,
            )
            for variant, name in enumerate(names)
        ]
        played.append((study, pl.concat(rows)))
    bars = measured_bars({ADAPTING: played})
    return {(unit, name): bars[unit, ADAPTING, name] for unit in (POINTS, BP) for name in names}
