"""The balance laboratory: what a change of the rules does, and what a gene is worth."""

from ursuppe_env.extras import extra

with extra("balance"):
    from ursuppe_lab.balance.fairer import FairerGame, FairerSearch
    from ursuppe_lab.balance.figures.comparison import Comparison, VariantFigure
    from ursuppe_lab.balance.figures.effects import Effect, Effects
    from ursuppe_lab.balance.figures.verdicts import GeneJudgement, Verdict
    from ursuppe_lab.balance.figures.worth import GeneFigures, GeneWorth, TrialFigures, gene_worth
    from ursuppe_lab.balance.files import read_study, study_names
    from ursuppe_lab.balance.laboratory import ask, compare_variants, measure_genes, search_fairer, unfamiliar_to
    from ursuppe_lab.balance.measures import Ratio, measure_names
    from ursuppe_lab.balance.measures.chronicle import Chronicle
    from ursuppe_lab.balance.question import Question, changed
    from ursuppe_lab.balance.trials import GeneStudy
    from ursuppe_lab.balance.variants import VariantStudy

__all__ = [
    "Chronicle",
    "Comparison",
    "Effect",
    "Effects",
    "FairerGame",
    "FairerSearch",
    "GeneFigures",
    "GeneJudgement",
    "GeneStudy",
    "GeneWorth",
    "Question",
    "Ratio",
    "TrialFigures",
    "VariantFigure",
    "VariantStudy",
    "Verdict",
    "ask",
    "changed",
    "compare_variants",
    "gene_worth",
    "measure_genes",
    "measure_names",
    "read_study",
    "search_fairer",
    "study_names",
    "unfamiliar_to",
]
