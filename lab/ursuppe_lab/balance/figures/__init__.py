"""What came out of studies: differences, what genes are worth, verdicts, and how unequal genes are."""

from ursuppe_lab.balance.figures.comparison import Comparison, VariantFigure
from ursuppe_lab.balance.figures.effects import Effect, Effects
from ursuppe_lab.balance.figures.verdicts import Judgement, Verdict
from ursuppe_lab.balance.figures.worth import GeneFigures, GeneWorth, TrialFigures, gene_worth

__all__ = [
    "Comparison",
    "Effect",
    "Effects",
    "GeneFigures",
    "GeneWorth",
    "Judgement",
    "TrialFigures",
    "VariantFigure",
    "Verdict",
    "gene_worth",
]
