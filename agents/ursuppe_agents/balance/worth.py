"""The results of trials of genes: what each is worth, with intervals, and what ordinary play seems to say."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.reports.text import lineup_name
from ursuppe_agents.statistics import Interval
from ursuppe_agents.statistics.ratios import Bootstrapped, ratios, sums_by_cluster
from ursuppe_env.rules.genes import GENE_NAMES

ALL_ROUNDS = 0


@dataclass(frozen=True)
class GeneFigures:
    """What a gene is worth. Changes are against never having it; None where it was tried too rarely to say.

    Attributes:
        gene: its name.
        round: in which it was bought, or ``ALL_ROUNDS``.
        price: BP.
        mutation_points: MP.
        trials: games in which it was given and denied.
        given: change of the chance of winning if it is bought and its price is given to the buyer.
        margin: change of the buyer's marker against the mean of all, then.
        paid: change of the chance of winning if it is bought and paid for.
        worth: BP that would change the chance of winning as much as the gene that was given; None also if it is not
            beyond doubt that BP are worth anything.
        surplus: worth minus price.
        per_price: worth / price; None also if the price is 0.
        per_mutation_point: worth / MP; None also if there are none.
        bought: share of players who ever buy it, in ordinary play.
        owners_win: wins of those who ever buy it, of their number, in ordinary play.
    """

    gene: str
    round: int
    price: int
    mutation_points: int
    trials: int
    given: Interval | None
    margin: Interval | None
    paid: Interval | None
    worth: Interval | None
    surplus: Interval | None
    per_price: Interval | None
    per_mutation_point: Interval | None
    bought: Interval | None
    owners_win: Interval | None


@dataclass(frozen=True)
class TrialFigures:
    """All genes with one variant and one lineup.

    Attributes:
        variant: its number in the study.
        lineup: its number in the study.
        games: that were played up to a trial.
        asked: in how many of them there were trials.
        bp: change of the chance of winning by one BP more.
        genes: over all rounds, the largest surplus first; those without one at the end.
        by_round: the same genes in each round of the study.
    """

    variant: int
    lineup: int
    games: int
    asked: int
    bp: Interval | None
    genes: list[GeneFigures]
    by_round: list[GeneFigures]


@dataclass(frozen=True)
class GeneWorth:
    """All figures of a study.

    Attributes:
        study: what was played.
        trials: by variant, then lineup.
    """

    study: GeneStudy
    trials: list[TrialFigures]

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON; where there is no interval, its ends are null."""
        return {
            "study": self.study.as_dict(),
            "intervals": self.study.about_intervals,
            "trials": [
                {
                    "variant": self.study.variants[found.variant][0],
                    "lineup": lineup_name(self.study.lineups[found.lineup]),
                    "games": found.games,
                    "asked": found.asked,
                    "bp": _plain(found.bp),
                    "genes": [{name: _plain(value) for name, value in vars(gene).items()} for gene in found.genes],
                    "by_round": [
                        {name: _plain(value) for name, value in vars(gene).items()} for gene in found.by_round
                    ],
                }
                for found in self.trials
            ],
        }


def gene_worth(study: GeneStudy, rows: pl.DataFrame) -> GeneWorth:
    """The figures of all trials of a study.

    Args:
        study: what was played.
        rows: all its trials, of ``play_trials``.
    """
    return GeneWorth(
        study,
        [
            _trial_figures(study, rows.filter(variant=variant, lineup=lineup), variant, lineup)
            for variant in range(len(study.variants))
            for lineup in range(len(study.lineups))
        ],
    )


def _trial_figures(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> TrialFigures:
    overall = _gene_figures(study, rows, variant, lineup, ALL_ROUNDS)
    by_round = [
        figures
        for number in sorted(study.rounds)
        for figures in _gene_figures(study, rows.filter(round=number), variant, lineup, number)[1]
    ]
    bp, genes = overall
    genes.sort(key=lambda figures: float("inf") if figures.surplus is None else -figures.surplus.estimate)
    games = rows.filter(gene=GENE_NAMES[0])
    return TrialFigures(variant, lineup, len(games), int(games["asked"].sum()), bp.interval(), genes, by_round)


def _gene_figures(
    study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int, number: int
) -> tuple[Bootstrapped, list[GeneFigures]]:
    """The worth of a BP, and the figures of all genes, from the rows of some rounds."""
    ruleset = study.ruleset(variant)
    games, found = trial_ratios(study, rows, variant, lineup)
    bp = found["rich"].times(1 / study.bonus)
    figures = []
    for id, gene in enumerate(GENE_NAMES):
        price, mutation_points = ruleset.price[id], ruleset.mutation_points[id]
        given = found[f"given_{gene}"]
        worth = given.over(bp) if bp.is_surely_positive else None  # else nothing can be said in BP
        figures.append(
            GeneFigures(
                gene=gene,
                round=number,
                price=price,
                mutation_points=mutation_points,
                trials=int(games[f"tried_{gene}"].sum()),
                given=given.interval(),
                margin=found[f"margin_{gene}"].interval(),
                paid=found[f"paid_{gene}"].interval(),
                worth=worth and worth.interval(),
                surplus=worth and worth.plus(-price).interval(),
                per_price=worth.times(1 / price).interval() if worth and price else None,
                per_mutation_point=(
                    worth.times(1 / mutation_points).interval() if worth and mutation_points > 0 else None
                ),
                bought=found[f"buyers_{gene}"].interval(),
                owners_win=found[f"winner_bought_{gene}"].interval(),
            )
        )
    return bp, figures


def trial_ratios(
    study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int
) -> tuple[pl.DataFrame, dict[str, Bootstrapped]]:
    """What the figures are made of.

    Args:
        study: what was played.
        rows: trials of this variant with this lineup.
        variant: its number.
        lineup: its number.

    Returns:
        A row for each game, with columns for each gene such as ``tried_speed``; and ratios: ``rich`` for all games,
        and for each gene ``given_speed``, ``margin_speed``, ``paid_speed``, ``buyers_speed``, ``winner_bought_speed``.
    """
    games = _by_game(rows, study.ruleset(variant).players)
    denominators = {
        f"{part}_{gene}": f"{whole}_{gene}"
        for gene in GENE_NAMES
        for part, whole in (
            ("given", "tried"),
            ("margin", "tried"),
            ("paid", "affordable"),
            ("buyers", "players"),
            ("winner_bought", "buyers"),
        )
    }
    sums = sums_by_cluster(games, study.num_seeds(variant, lineup), {**denominators, "rich": "asked"})
    return games, ratios(sums, study.generator(variant))


def _by_game(rows: pl.DataFrame, players: int) -> pl.DataFrame:
    """A row for each game: sums for each gene, such as ``given_speed``, and those of the games themselves."""
    trials = rows.select(
        "index",
        "rotation",
        "gene",
        (pl.col("given") - pl.col("denied")).fill_null(0),
        (pl.col("given_margin") - pl.col("denied_margin")).fill_null(0).alias("margin"),
        (pl.col("paid") - pl.col("denied")).fill_null(0),
        pl.col("denied").is_not_null().cast(pl.Int64).alias("tried"),
        pl.col("paid").is_not_null().cast(pl.Int64).alias("affordable"),
        "buyers",
        "winner_bought",
        pl.lit(players).alias("players"),
    )
    games = trials.pivot(on="gene", on_columns=GENE_NAMES, index=["index", "rotation"])  # all, also of no trial
    whole = rows.filter(gene=GENE_NAMES[0]).select(
        "index", "rotation", (pl.col("rich") - pl.col("natural")).fill_null(0), pl.col("asked").cast(pl.Int64)
    )
    return games.join(whole, on=["index", "rotation"])


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, Interval) else value
