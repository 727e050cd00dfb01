"""Trials of made-up agents whose chance of winning is a known function: do the figures find what was planted?

A BP is worth 5 points of the chance of winning in the first round and 0.6 in the last. Every gene is worth so many BP;
some can be had in the first rounds alone, and some in the last ones. The answers are known, so one can count how often
an interval holds them, and how often a verdict is false.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import GeneStudy
from ursuppe_lab.balance.figures.verdicts import Verdict
from ursuppe_lab.balance.figures.worth import ALL_ROUNDS, GeneFigures, gene_worth
from ursuppe_lab.balance.trials import COLUMNS

ROUNDS = (1, 3, 5, 8)
BP = np.array([0.05, 0.022, 0.012, 0.006])  # what one BP more does, by round
PAYABLE = np.array([0.6, 0.8, 0.9, 0.95])  # how often the buyer could pay, by round
BEFORE = 0.35  # the chance of winning without the gene
RULES = Ruleset(players=4)
PRICES = np.array(RULES.price, np.float64)
#: Neutral price minus price of each gene, BP: half of them cost just what they are worth.
SURPLUS = np.resize([0.0, 2.0, 0.0, -2.0, 0.0, 1.0, 0.0, -3.0, 0.0, -1.0], len(GENE_NAMES))
FIRST, LAST, ALL = (0, 1), (2, 3), (0, 1, 2, 3)
#: In which rounds each can be had.
OPEN = [(ALL, FIRST, LAST, ALL, FIRST)[id % 5] for id in range(len(GENE_NAMES))]


def planted_study(games: int = 800, bonus: int = 5, variants: tuple[str, ...] = ("base",)) -> GeneStudy:
    """A study with such rounds; its variants differ by their names alone."""
    return GeneStudy(
        name="planted",
        lineups=(("hunter",),),
        num_games=games,
        seed=0,
        variants=tuple((name, RULES) for name in variants),
        rounds=ROUNDS,
        bonus=bonus,
    )


def neutral_price(gene: str) -> float:
    """The truth, BP."""
    id = GENE_NAMES.index(gene)
    return float(PRICES[id] + SURPLUS[id])


def paid(gene: str, number: int = ALL_ROUNDS) -> float:
    """The truth: change of the chance of winning by buying the gene in that round, or over all."""
    id = GENE_NAMES.index(gene)
    rounds = list(OPEN[id]) if number == ALL_ROUNDS else [ROUNDS.index(number)]
    return float(np.average(SURPLUS[id] * BP[rounds], weights=PAYABLE[rounds]))


def planted_trials(
    study: GeneStudy,
    seed: int,
    spoilt: Mapping[str, float] | None = None,
    bp: float = 1,
    shifted: Mapping[str, float] | None = None,
    variant: int = 0,
) -> pl.DataFrame:
    """Trials, as ``play_trials`` gives them: a row for each gene in each game.

    Args:
        study: of ``planted_study``.
        seed: of chance.
        spoilt: by gene, how much more often the buyer wins who has paid than one who would use BP well.
        bp: factor of what a BP does.
        shifted: by gene, by how much its neutral price differs from the planted one, BP.
        variant: whose trials they are said to be.
    """
    generator = np.random.default_rng(seed)
    games, genes = study.num_games, len(GENE_NAMES)
    of_round = np.arange(games) % len(ROUNDS)
    can_be_had = np.array([[place in OPEN[id] for id in range(genes)] for place in range(len(ROUNDS))])[of_round]
    tried = can_be_had & (generator.random((games, genes)) < 0.9)
    payable = tried & (generator.random((games, 1)) < PAYABLE[of_round][:, None])
    worth = bp * BP[of_round][:, None]
    neutral = PRICES + SURPLUS + [(shifted or {}).get(gene, 0.0) for gene in GENE_NAMES]
    given = BEFORE + neutral * worth
    chances = {
        "natural": np.full((games, genes), BEFORE),
        "rich": BEFORE + np.broadcast_to(study.bonus * worth, (games, genes)),
        "denied": np.full((games, genes), BEFORE),
        "given": given,
        "paid": given - PRICES * worth + [(spoilt or {}).get(gene, 0.0) for gene in GENE_NAMES],
    }
    dice = generator.random((games, 1))  # the branches share them, as far as the games allow
    wins = {}
    for name, chance in chances.items():
        shape = (games, 1) if name in ("natural", "rich") else (games, genes)
        own = np.where(generator.random(shape) < 0.3, generator.random(shape), dice)
        wins[name] = np.where({"paid": payable, "given": tried, "denied": tried}.get(name, True), own < chance, np.nan)
    columns = {name: pl.Series(name, values.ravel(), nan_to_null=True) for name, values in wins.items()}
    keys = {
        "variant": variant,
        "index": np.repeat(np.arange(games), genes),
        "lineup": 0,
        "rotation": 0,
        "gene": GENE_NAMES * games,
        "round": np.repeat(np.array(ROUNDS)[of_round], genes),
        "player": 0,
        "asked": True,
        "buyers": 1,
        "winner_bought": 0,
    }
    rows = pl.DataFrame({**keys, **columns})
    margins = [pl.lit(None).alias(name) for name in COLUMNS if name not in rows.columns]
    return rows.with_columns(margins).select(list(COLUMNS)).cast(dict(COLUMNS))


def held(figures: GeneFigures) -> dict[str, bool]:
    """Does each interval hold the truth? Of what is known."""
    kind = "pooled" if figures.round == ALL_ROUNDS else "by round"
    found = {}
    if figures.paid is not None:
        found[f"paid, {kind}"] = figures.paid.contains(paid(figures.gene, figures.round))
    if figures.neutral_price is not None:
        found[f"neutral price, {kind}"] = figures.neutral_price.contains(neutral_price(figures.gene))
    return found


class Tally:
    """What came out of many studies: coverage, false discoveries, false warnings."""

    def __init__(self, studies: int, games: int = 800) -> None:
        study = planted_study(games)
        coverage: dict[str, list[bool]] = {}
        false_shares = {"verdicts": [], "verdicts by price": []}
        self.warnings: list[bool] = []
        for seed in range(studies):
            [found] = gene_worth(study, planted_trials(study, seed)).trials
            for figures in [*found.genes, *found.by_round]:
                for name, is_held in held(figures).items():
                    coverage.setdefault(name, []).append(is_held)
            for name, kind in (("verdicts", "verdict"), ("verdicts by price", "by_price")):
                judged = {gene.gene: getattr(gene.judgement, kind) for gene in found.genes}
                said = [(gene, verdict) for gene, verdict in judged.items() if verdict != Verdict.OPEN]
                false_shares[name].append(sum(_is_false(*one) for one in said) / max(len(said), 1))
            self.warnings += [not gene.judgement.is_currency for gene in found.genes]
        self.coverage = {name: float(np.mean(found)) for name, found in coverage.items()}
        self.intervals = {name: len(found) for name, found in coverage.items()}
        self.false_discoveries = {name: float(np.mean(shares)) for name, shares in false_shares.items()}


def _is_false(gene: str, verdict: Verdict) -> bool:
    surplus = SURPLUS[GENE_NAMES.index(gene)]
    return bool(surplus <= 0 if verdict == Verdict.CHEAP else surplus >= 0)
