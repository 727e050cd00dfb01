"""Trials and ordinary games of made-up agents of whom one knows what the corrections of 1998 do to them."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from studies.corrections import BOUGHT, LEAD, ROUNDS, Corrections
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import GeneStudy

from support import planted_worths as planted

#: By figure: what a correction does that does anything; of wins, what place 1 loses and the last place gains.
EFFECTS = {ROUNDS: 0.3, LEAD: -0.4, BOUGHT: 0.06, "place": 0.05}

_PAYABLE = np.array([planted.PAYABLE[list(rounds)].sum() for rounds in planted.OPEN])


def true_paid(genes: tuple[str, ...], shifted: Mapping[str, float] | None = None) -> float:
    """The truth: what buying one of these genes does to the chance of winning, where it can be paid.

    Args:
        genes: whose trials are taken together.
        shifted: as in ``planted_trials``.
    """
    ids = [GENE_NAMES.index(gene) for gene in genes]
    by_gene = []
    for gene, id in zip(genes, ids, strict=True):
        rounds = list(planted.OPEN[id])
        worth = float(np.average(planted.BP[rounds], weights=planted.PAYABLE[rounds]))
        by_gene.append((planted.SURPLUS[id] + (shifted or {}).get(gene, 0.0)) * worth)
    return float(np.average(by_gene, weights=_PAYABLE[ids]))


def trials_of(study: GeneStudy, seed: int, shifted: Mapping[str, Mapping[str, float]] | None = None) -> pl.DataFrame:
    """Trials of all variants and lineups of a study, those of a lineup with the same dice.

    Args:
        study: any with one agent in all seats; its rounds and prices are those of ``planted_worths``.
        seed: of chance.
        shifted: by name of the variant, as in ``planted_trials``.
    """
    return pl.concat(
        planted.planted_trials(
            study, seed + 10_000 * lineup, shifted=(shifted or {}).get(name), variant=variant
        ).with_columns(pl.lit(lineup, pl.Int64).alias("lineup"))
        for lineup in range(len(study.lineups))
        for variant, (name, _) in enumerate(study.variants)
    )


def games_of(corrections: Corrections, seed: int, real: frozenset[str]) -> pl.DataFrame:
    """Ordinary games with every ruleset, of which those named have the planted effects, and the others none.

    Three games of ten differ between rulesets by chance alone, whatever the rules.
    """
    study, players = corrections.ordinary, corrections.players
    rows = []
    for lineup in range(len(study.lineups)):
        shared = np.random.default_rng([seed, lineup])
        dice, length = shared.random(study.num_games), shared.standard_normal(study.num_games)
        for variant, (name, _) in enumerate(study.variants):
            own = np.random.default_rng([seed, lineup, variant + 1])
            effect = float(name in real)
            drawn = np.where(own.random(study.num_games) < 0.3, own.random(study.num_games), dice)
            winner = np.searchsorted(np.cumsum(wins(players, effect)), drawn)
            own_length = 0.8 * length + 0.6 * own.standard_normal(study.num_games)
            bought = own.random((study.num_games, len(GENE_NAMES))) < 0.4 + EFFECTS[BOUGHT] * effect
            rows.append(
                pl.DataFrame(
                    {
                        "variant": variant,
                        "index": range(study.num_games),
                        "lineup": lineup,
                        "rotation": 0,
                        **{f"wins_by_start_place/place {place + 1}": winner == place for place in range(players)},
                        **dict(zip([f"genes_bought/{gene}" for gene in GENE_NAMES], bought.T, strict=True)),
                        "rounds/played": 9 + EFFECTS[ROUNDS] * effect + own_length,
                        "markers/winner ahead of second": 3 + EFFECTS[LEAD] * effect - 0.5 * own_length,
                    }
                ).cast({"variant": pl.Int64, "lineup": pl.Int64, "rotation": pl.Int64})
            )
    return pl.concat(rows)


def wins(players: int, effect: float) -> NDArray[np.float64]:
    """(P,) what each start place wins, without an effect or with the planted one."""
    shares = np.full(players, 1 / players)
    shares[0] -= EFFECTS["place"] * effect
    shares[-1] += EFFECTS["place"] * effect
    return shares


def true_effect(figure: str, correction: str, real: frozenset[str], players: int) -> float:
    """The truth: the difference that a correction makes to a figure of ordinary games."""
    effect = float(correction in real)
    if not figure.startswith("place "):
        return EFFECTS[figure] * effect
    place = int(figure.removeprefix("place ")) - 1
    return float((wins(players, effect) - wins(players, 0.0))[place])
