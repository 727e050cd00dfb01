"""The genes and which of them needs which (rules.md section 4); their numbers are in ``ruleset.py``."""

from enum import IntEnum

import numpy as np


class Gene(IntEnum):
    """Gene cards by id; 16 ... 19 are the advanced genes."""

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

#: A purchase is a gene for the first 19, then the two ways to buy Armour.
NUM_PURCHASES = NUM_GENES + 1
ARMOUR_FOR_DEFENSE = 19
ARMOUR_FOR_ESCAPE = 20
PURCHASE_NAMES = (*GENE_NAMES[: Gene.ARMOUR], "armour for defense", "armour for escape")

NO_GENE = -1
#: (21,) int8: the lower gene that each purchase gives up.
LOWER_GENE = np.full(NUM_PURCHASES, NO_GENE, np.int8)
LOWER_GENE[Gene.ENDURANCE] = Gene.SPEED
LOWER_GENE[Gene.MOVEMENT_2] = Gene.MOVEMENT_1
LOWER_GENE[Gene.AGGRESSION] = Gene.STRUGGLE_FOR_SURVIVAL
LOWER_GENE[ARMOUR_FOR_DEFENSE] = Gene.DEFENSE
LOWER_GENE[ARMOUR_FOR_ESCAPE] = Gene.ESCAPE

#: (20,) int8: the advanced gene whose owner cannot buy this one.
BARRED_BY = np.full(NUM_GENES, NO_GENE, np.int8)
BARRED_BY[Gene.SPEED] = Gene.ENDURANCE
BARRED_BY[Gene.MOVEMENT_1] = Gene.MOVEMENT_2
BARRED_BY[Gene.STRUGGLE_FOR_SURVIVAL] = Gene.AGGRESSION
BARRED_BY[Gene.DEFENSE] = Gene.ARMOUR
BARRED_BY[Gene.ESCAPE] = Gene.ARMOUR
