"""The genes and which of them needs which (rules.md section 4); their numbers are in ``ruleset.py``."""

from enum import IntEnum

import numpy as np


class Gene(IntEnum):
    """Gene cards by id."""

    INTELLIGENCE = 0
    MOVEMENT_1 = 1
    SPORES = 2
    SPEED = 3
    DEFENSE = 4
    ESCAPE = 5
    SUBSTITUTION = 6
    RAY_PROTECTION = 7
    STREAMLINING = 8
    TENTACLE = 9
    HOLDING = 10
    LIFE_EXPECTANCY = 11
    FRUGALITY = 12
    STRUGGLE_FOR_SURVIVAL = 13
    PARASITISM = 14
    DIVISION_RATE = 15
    ENDURANCE = 16
    MOVEMENT_2 = 17
    AGGRESSION = 18
    ARMOUR = 19


NUM_GENES = len(Gene)
GENE_NAMES = tuple(gene.name.lower() for gene in Gene)

#: The advanced genes: each is bought in exchange for one of its lower genes, and bars them.
LOWER_GENES = {
    Gene.ENDURANCE: (Gene.SPEED,),
    Gene.MOVEMENT_2: (Gene.MOVEMENT_1,),
    Gene.AGGRESSION: (Gene.STRUGGLE_FOR_SURVIVAL,),
    Gene.ARMOUR: (Gene.DEFENSE, Gene.ESCAPE),
}
NO_GENE = -1

#: The ways to buy a gene, in the order of the genes: one for each lower gene of an advanced one.
_PURCHASES = [(gene, lower) for gene in Gene for lower in LOWER_GENES.get(gene, (NO_GENE,))]
NUM_PURCHASES = len(_PURCHASES)
PURCHASE_NAMES = tuple(
    GENE_NAMES[gene] if len(LOWER_GENES.get(gene, ())) < 2 else f"{GENE_NAMES[gene]} for {GENE_NAMES[lower]}"
    for gene, lower in _PURCHASES
)
#: (NUM_PURCHASES,) int8: the gene that each purchase brings, and the lower one that it gives up.
BOUGHT_GENE = np.array([gene for gene, _ in _PURCHASES], np.int8)
LOWER_GENE = np.array([lower for _, lower in _PURCHASES], np.int8)

#: (NUM_GENES,) int8: the advanced gene whose owner cannot buy this one.
BARRED_BY = np.full(NUM_GENES, NO_GENE, np.int8)
for _advanced, _lower_genes in LOWER_GENES.items():
    BARRED_BY[list(_lower_genes)] = _advanced
