"""What ordinary play shows of the genes; what they are worth, trials say."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.measures import Ratio
from ursuppe_lab.balance.measures.chronicle import Chronicle


def genes_bought(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """The share of players who ever buy each gene."""
    return dict(zip(GENE_NAMES, (chronicle.first_purchase > 0).mean(axis=1).T, strict=True))


def genes_bought_in_round(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """The round of the first purchase, of those who buy it."""
    bought = chronicle.first_purchase.sum(axis=1), (chronicle.first_purchase > 0).sum(axis=1)
    return {gene: Ratio(*(numbers[:, k] for numbers in bought)) for k, gene in enumerate(GENE_NAMES)}


def wins_of_owners(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """Wins of those who ever buy each gene, of their number."""
    buys = chronicle.first_purchase > 0
    wins = buys[np.arange(chronicle.num_games), chronicle.winner]
    return {gene: Ratio(wins[:, k], buys[:, :, k].sum(axis=1)) for k, gene in enumerate(GENE_NAMES)}
