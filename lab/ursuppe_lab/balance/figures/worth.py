"""The results of trials of genes: what buying each does, at which price it would do nothing, and what is said of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance.figures.verdicts import GeneJudgement, PValues, Verdict, judge
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.reports.text import as_json, lineup_name
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Floats, Interval
from ursuppe_lab.statistics.quotients import Quotient, p_positive, quotient
from ursuppe_lab.statistics.ratios import Bootstrapped, ratios, sums_by_cluster

ALL_ROUNDS = 0


@dataclass(frozen=True)
class GeneFigures:
    """What a gene is worth. Changes are against never having it; None where it was tried too rarely to say.

    In a study with a horizon, chances of winning are those that the player's agent predicts. All means are over games,
    each counting alike: those in which the gene was tried, or could be paid.

    Attributes:
        gene: its name.
        round: in which it was bought, or ``ALL_ROUNDS``.
        price: BP.
        mutation_points: MP.
        trials: games in which it was given and denied.
        payable: those of them in which it could be paid.
        paid: change of the chance of winning if it is bought and paid for, where it can be.
        neutral_price: BP at which a purchase would change nothing: ``given / bp``, and which prices the games do not
            rule out.
        given: change of the chance of winning if it is bought and its price is given to the buyer.
        margin: change of the buyer's marker against the mean of all, then; where the branches end.
        bp: change of the chance of winning by one BP more, in the same games.
        bought: share of players who ever buy it, in ordinary play.
        owners_win: wins of those who ever buy it, of their number, in ordinary play.
        p_values: of its figures.
        judgement: what is said of it; None of single rounds, which are not judged.
    """

    gene: str
    round: int
    price: int
    mutation_points: int
    trials: int
    payable: int
    paid: Interval | None
    neutral_price: Quotient | None
    given: Interval | None
    margin: Interval | None
    bp: Interval | None
    bought: Interval | None
    owners_win: Interval | None
    p_values: PValues
    judgement: GeneJudgement | None = None

    @property
    def is_currency(self) -> bool:
        """Are BP a currency here, as far as is judged? Else the neutral price means nothing."""
        return self.judgement is None or self.judgement.is_currency

    @property
    def surplus(self) -> Quotient | None:
        """The neutral price minus the price, BP."""
        return None if self.neutral_price is None else self.neutral_price.plus(-self.price)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: as_json(value) for name, value in vars(self).items()} | {"surplus": as_json(self.surplus)}


@dataclass(frozen=True)
class TrialFigures:
    """All genes with one variant and one lineup.

    Attributes:
        variant: its number in the study.
        lineup: its number in the study.
        games: that were played up to a trial.
        asked: in how many of them there were trials.
        bp: change of the chance of winning by one BP more.
        bp_by_round: the same in each round of the study.
        genes: over all rounds, the best purchase first; those that could not be paid at the end.
        by_round: the same genes in each round of the study.
    """

    variant: int
    lineup: int
    games: int
    asked: int
    bp: Interval | None
    bp_by_round: dict[int, Interval | None]
    genes: list[GeneFigures]
    by_round: list[GeneFigures]

    @property
    def price_spread(self) -> float | None:
        """How far prices are from neutral ones, BP: root mean square over the genes, each weighted by its trials.

        Chance is in it. None if some neutral price is not bounded, or none is known.
        """
        apart = [(gene.trials, gene.surplus.interval()) for gene in self.genes if gene.surplus is not None]
        known = [(trials, surplus.estimate) for trials, surplus in apart if surplus is not None and surplus.ends]
        if not known or len(known) < len(apart):
            return None
        trials, surpluses = np.transpose(known)
        return float(np.average(surpluses**2, weights=trials)) ** 0.5

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        figures = {name: as_json(value) for name, value in vars(self).items() if name not in ("variant", "lineup")}
        return figures | {"price_spread": self.price_spread}


@dataclass(frozen=True)
class GeneWorth:
    """All figures of a study.

    Attributes:
        study: what was played.
        trials: by variant, then lineup.
    """

    study: GeneStudy
    trials: list[TrialFigures]

    @property
    def about_verdicts(self) -> str:
        """How many verdicts there are, and what they are worth."""
        return about_verdicts(self.trials)

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; where there is no interval, its ends are null."""
        variants, lineups = [name for name, _ in self.study.variants], [*map(lineup_name, self.study.lineups)]
        names = [{"variant": variants[one.variant], "lineup": lineups[one.lineup]} for one in self.trials]
        return {
            "study": self.study.as_dict(),
            "intervals": self.study.about_intervals,
            "predictions": self.study.about_predictions,
            "verdicts": self.about_verdicts,
            "trials": [name | found.as_dict() for name, found in zip(names, self.trials, strict=True)],
        }


def gene_worth(study: GeneStudy, rows: pl.DataFrame) -> GeneWorth:
    """The figures of all trials of a study, of ``play_trials``, judged together."""
    found = [
        _trial_figures(study, rows.filter(variant=variant, lineup=lineup), variant, lineup)
        for variant in range(len(study.variants))
        for lineup in range(len(study.lineups))
    ]
    return GeneWorth(study, judged(found))


def judged(found: Sequence[TrialFigures]) -> list[TrialFigures]:
    """The same figures, all of them judged together."""
    judgements = iter(judge([gene.p_values for trials in found for gene in trials.genes]))
    of_all = [[replace(gene, judgement=next(judgements)) for gene in trials.genes] for trials in found]
    return [replace(trials, genes=genes) for trials, genes in zip(found, of_all, strict=True)]


def about_verdicts(found: Sequence[TrialFigures]) -> str:
    """How many genes are cheap or dear, of all that could be paid often enough to say, at which rate of false ones."""
    judgements = [gene.judgement for trials in found for gene in trials.genes if gene.judgement is not None]
    known = [judgement for judgement in judgements if judgement.adjusted_p is not None]
    cheap, dear = (sum(one.verdict == verdict for one in known) for verdict in (Verdict.CHEAP, Verdict.DEAR))
    return (
        f"{cheap} of {len(known)} purchases are cheap and {dear} are dear, at a false discovery rate of "
        f"{100 * FALSE_DISCOVERIES:.0f} % (Benjamini-Hochberg)"
    )


def _trial_figures(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> TrialFigures:
    bp, genes = _figures_of(study, rows, variant, lineup, ALL_ROUNDS)
    genes.sort(key=lambda figures: float("inf") if figures.paid is None else -figures.paid.estimate)
    bp_by_round, by_round = {}, []
    for number in sorted(study.rounds):
        bp_by_round[number], of_round = _figures_of(study, rows.filter(round=number), variant, lineup, number)
        by_round += of_round
    games = rows.filter(gene=GENE_NAMES[0])
    return TrialFigures(variant, lineup, len(games), int(games["asked"].sum()), bp, bp_by_round, genes, by_round)


def _figures_of(
    study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int, number: int
) -> tuple[Interval | None, list[GeneFigures]]:
    """From the rows of some rounds: what one BP more does in all games that were asked, and the figures of genes."""
    ruleset = study.ruleset(variant)
    games = by_game(rows, study, variant)
    columns = [name for name in games.columns if name not in ("index", "rotation")]
    found = sums_by_cluster(games, study.num_seeds(variant, lineup), dict.fromkeys(columns))
    sums = dict(zip(columns, np.ascontiguousarray(found.numerators.T), strict=True))  # of each column, (C,)
    figures = []
    for id, gene in enumerate(GENE_NAMES):
        given, paid, thrift, bp, tried, payable, players, buyers = (
            sums[f"{name}_{gene}"]
            for name in ("given", "paid", "thrift", "bp", "tried", "payable", "players", "buyers")
        )
        figures.append(
            GeneFigures(
                gene=gene,
                round=number,
                price=ruleset.price[id],
                mutation_points=ruleset.mutation_points[id],
                trials=int(tried.sum()),
                payable=int(payable.sum()),
                paid=_interval(paid, payable, payable),
                neutral_price=quotient(given, bp, tried),
                given=_interval(given, tried, tried),
                margin=_interval(sums[f"margin_{gene}"], tried, tried),
                bp=_interval(bp, tried, tried),
                bought=_share(buyers, players),
                owners_win=_share(sums[f"winner_bought_{gene}"], buyers),
                p_values=PValues(
                    payable=int(payable.sum()),
                    paid=p_positive(paid, payable),
                    surplus=p_positive(sums[f"gain_{gene}"], tried),
                    thrift=p_positive(thrift, payable),
                    bp=p_positive(bp, tried),
                ),
            )
        )
    return _interval(sums["bp"], sums["asked"], sums["asked"]), figures


def _interval(above: Floats, below: Floats, counts: Floats) -> Interval | None:
    found = quotient(above, below, counts)
    return found and found.interval()


def _share(above: Floats, below: Floats) -> Interval | None:
    """A proportion: neither below 0 nor above 1."""
    found = _interval(above, below, below)
    if found is None or found.ends is None:
        return found
    return Interval(found.estimate, max(found.ends[0], 0.0), min(found.ends[1], 1.0))


def by_game(rows: pl.DataFrame, study: GeneStudy, variant: int) -> pl.DataFrame:
    """A row for each game of the trials of a variant with one lineup.

    Its columns are ``index``, ``rotation``; of each gene, such as ``given_speed``, ``given``, ``margin``, ``paid``,
    ``thrift`` (*paid* minus *given*, where it can be paid), ``bp`` (what one BP more does, where the gene was tried),
    ``gain`` (*given*, less what so many BP as it costs do), ``tried``, ``payable``, ``buyers``, ``winner_bought`` and
    ``players``; of the game ``bp`` and ``asked``. What there was not is 0.
    """
    ruleset = study.ruleset(variant)
    price = pl.col("gene").replace_strict(dict(zip(GENE_NAMES, ruleset.price, strict=True)), return_dtype=pl.Float64)
    bp = (pl.col("rich") - pl.col("natural")).cast(pl.Float64) / study.bonus
    was_tried, was_payable = pl.col("denied").is_not_null(), pl.col("paid").is_not_null()
    trials = rows.select(
        "index",
        "rotation",
        "gene",
        (pl.col("given") - pl.col("denied")).fill_null(0),
        (pl.col("given_margin") - pl.col("denied_margin")).fill_null(0).alias("margin"),
        (pl.col("paid") - pl.col("denied")).fill_null(0),
        (pl.col("paid") - pl.col("given")).fill_null(0).alias("thrift"),
        pl.when(was_tried).then(bp).otherwise(0.0).alias("bp"),
        pl.when(was_tried).then(pl.col("given") - pl.col("denied") - price * bp).otherwise(0.0).alias("gain"),
        was_tried.cast(pl.Int64).alias("tried"),
        was_payable.cast(pl.Int64).alias("payable"),
        "buyers",
        "winner_bought",
        pl.lit(ruleset.players).alias("players"),
    )
    games = trials.pivot(on="gene", on_columns=GENE_NAMES, index=["index", "rotation"])  # all, also of no trial
    whole = rows.filter(gene=GENE_NAMES[0]).select(
        "index", "rotation", bp.fill_null(0.0).alias("bp"), pl.col("asked").cast(pl.Int64)
    )
    return games.join(whole, on=["index", "rotation"])


def bootstrapped(
    study: GeneStudy, games: pl.DataFrame, variant: int, lineup: int, wholes: Mapping[str, str]
) -> dict[str, Bootstrapped]:
    """Figures of all genes, such as ``gain_speed``, in each resample: the same ones for variants that share their dice.

    Wholes are columns of ``by_game`` without the gene, each with the one by which its sums are divided.
    """
    denominators = {f"{part}_{gene}": f"{whole}_{gene}" for gene in GENE_NAMES for part, whole in wholes.items()}
    return ratios(sums_by_cluster(games, study.num_seeds(variant, lineup), denominators), study.generator(variant))
