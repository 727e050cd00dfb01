"""Amortised balance: how good are predicted trials of genes, over rulesets that nobody has ever played?

A policy that was trained on varied rulesets foretells chances of winning with any ruleset. So it predicts in seconds
what trials would take minutes to find out: the worth of genes with a ruleset that has just been thought of. K rulesets
are drawn as its training drew its own, with a seed of no training. With each, the same games branch at the same
purchases, once with each *horizon* (rounds that are played after that of the purchase, ``GeneStudy.horizon``) and once
to the end. Compared are *paid*, in points of the chance of winning, and the neutral price, in BP, where both ways know
it to within 12 BP.

Trials to the end are still those of the same agent. Whether it plays an unseen ruleset as one does who has learned no
other, *specialists* tell: policies that were trained on some of the rulesets alone (``specialists.py``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats  # type: ignore[import-untyped]

from studies.pages import listed, table, title
from studies.trials import OnProgress, gene_trials
from ursuppe_agents.evaluator import Trained
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import GeneStudy, GeneWorth, measure_genes
from ursuppe_lab.balance.files import keep_ruleset
from ursuppe_lab.balance.foretelling import evaluator_of
from ursuppe_lab.balance.question import HORIZON
from ursuppe_lab.balance.study import described
from ursuppe_lab.balance.verdicts import FEWEST_PAID
from ursuppe_lab.balance.worth import by_game
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval, Resampling
from ursuppe_lab.statistics.discoveries import adjusted, p_value
from ursuppe_lab.statistics.random_effects import mean_of_agents, p_of_agents
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped, Sums, sums_by_cluster
from ursuppe_training.seeds import Seed

_WIDEST = 12.0  # BP, of the interval of a neutral price that is compared: of wider ones nothing is known
_FEWEST_PAIRS = 3
_WORST = 3  # rulesets that are named
_SPECIALISTS = 4  # rulesets, the first ones, for which the settings of a training are kept


class Compared(NamedTuple):
    """A figure of a gene that is compared: a numerator and a denominator of ``by_game``.

    Attributes:
        above: the numerator.
        below: the denominator.
        factor: by which it is multiplied.
        unit: in words.
    """

    above: str
    below: str
    factor: float
    unit: str


PAID, NEUTRAL_PRICE = "paid", "neutral price"
FIGURES = {PAID: Compared("paid", "payable", 100, "points"), NEUTRAL_PRICE: Compared("given", "bp", 1, "BP")}

#: Figures of genes, by ruleset and gene.
ByGene = Mapping[tuple[str, str], Bootstrapped]


def ruleset_name(number: int) -> str:
    """Of the rulesets that are drawn, from 0."""
    return f"ruleset-{number}"


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """What is played for one number of players.

    Args:
        players: P.
        agent: spec of a policy that was trained on varied rulesets, or of a search by one.
        rulesets: K, how many are drawn.
        games: with each of them.
        horizons: that are tried.

    Raises:
        ValueError: there is no such agent, or it was trained on one ruleset alone.
        OSError: its file cannot be read.
    """

    players: int
    agent: str
    rulesets: int = 40
    games: int = 100
    horizons: tuple[int, ...] = (0, 1, 2)

    @cached_property
    def drawn(self) -> list[Ruleset]:
        """The rulesets."""
        evaluator = evaluator_of(self.agent)
        if not isinstance(evaluator, Trained):
            raise ValueError(f"agent is {self.agent!r}, which does not say which rulesets it was trained on")
        return evaluator.rulesets_like_those(self.players, self.rulesets, Seed.PREDICTIONS)

    @cached_property
    def study(self) -> GeneStudy:
        """The trials to the end: each ruleset has dice of its own."""
        variants = [(ruleset_name(number), ruleset) for number, ruleset in enumerate(self.drawn)]
        trials = gene_trials(
            "Predictions beside trials to the end", [self.agent], variants, self.games, Seed.PREDICTIONS
        )
        return replace(trials, paired=False)

    def predicted(self, horizon: int) -> GeneStudy:
        """The same trials with a horizon."""
        return replace(self.study, horizon=horizon)

    @property
    def total_games(self) -> int:
        """With all horizons, and to the end."""
        return (1 + len(self.horizons)) * self.study.total_games


@dataclass(frozen=True)
class Pair:
    """A figure of a gene with a ruleset, predicted and played.

    Attributes:
        ruleset: its name.
        gene: its name.
        predicted: by which it is foretold.
        played: what came out.
    """

    ruleset: str
    gene: str
    predicted: Bootstrapped
    played: Bootstrapped

    @property
    def difference(self) -> Bootstrapped:
        """Predicted minus played; of the same games, if both are made of them."""
        return self.predicted.minus(self.played)


@dataclass(frozen=True)
class Quality:
    """How good predictions of a figure are.

    Attributes:
        figure: of ``FIGURES``.
        pairs: those that are known both ways.
        chance: standard errors of predictions and of what was played, root mean square.
        beyond_chance: root mean square of the differences less what chance gives.
        mean: of the differences.
        slope: of played on predicted.
        rank_correlation: of both.
        disagreeing: the pairs that differ beyond chance, the clearest first.
    """

    figure: str
    pairs: list[Pair]
    chance: tuple[float, float]
    beyond_chance: Interval | None
    mean: Interval | None
    slope: Interval | None
    rank_correlation: float
    disagreeing: list[Pair]


class Bias(NamedTuple):
    """By how much a gene is predicted too high, over all rulesets that could have been drawn.

    Attributes:
        gene: its name.
        rulesets: in which it is known both ways.
        mean: of predicted minus played; its interval contains how far rulesets differ.
        adjusted_p: p-value, adjusted for all genes; None of fewer than two rulesets.
    """

    gene: str
    rulesets: int
    mean: Interval
    adjusted_p: float | None

    @property
    def is_shown(self) -> bool:
        """Is it predicted too high or too low, beyond what chance gives to one of so many genes?"""
        return self.adjusted_p is not None and self.adjusted_p <= FALSE_DISCOVERIES


class RulesetError(NamedTuple):
    """How far predictions with a ruleset are apart from what was played.

    Attributes:
        ruleset: its name.
        genes: that are compared.
        beyond_chance: root mean square, less what chance gives.
    """

    ruleset: str
    genes: int
    beyond_chance: Interval | None


@dataclass(frozen=True)
class FoundPredictions:
    """What came out for one number of players.

    Attributes:
        study: what was played.
        changed: by name of the ruleset: how many numbers and switches differ from its edition.
        qualities: by horizon, then figure; without what had too few games to compare anything.
        figures: by horizon and figure: what was predicted; to compare with specialists.
    """

    study: Predictions
    changed: dict[str, int]
    qualities: dict[tuple[int, str], Quality]
    figures: dict[tuple[int, str], ByGene]


def play_predictions(
    predictions: Predictions,
    folder: Path,
    workers: int | None = None,
    on_progress: OnProgress = lambda name, over, total: None,
) -> FoundPredictions:
    """Play the trials, or what is left of them.

    Args:
        predictions: what is played.
        folder: gets a folder for each horizon, one for the trials to the end, and settings to train specialists of the
            first rulesets with, ``train-ruleset-0.toml`` and so on.
        workers: processes; None: one per core.
        on_progress: is told how far it is.

    Raises:
        AgentError: the agent crashed; the parts that are done are kept.
        ValueError: there is no such agent, or it was trained on one ruleset alone, or a folder holds something else.
        OSError: a folder cannot be read or written.
    """

    def measured(study: GeneStudy, name: str) -> dict[str, ByGene]:
        def watched(over: int) -> None:
            on_progress(name, over, study.total_games)

        rows, worth = measure_genes(study, folder / name, workers, on_progress=watched)
        return {figure: figures_of(figure, rows, worth) for figure in FIGURES}

    for name, ruleset in predictions.study.variants[:_SPECIALISTS]:
        keep_ruleset(folder, name, ruleset)
    played = measured(predictions.study, "to-the-end")
    found = {
        horizon: measured(predictions.predicted(horizon), f"horizon-{horizon}") for horizon in predictions.horizons
    }
    clusters = min(predictions.study.num_seeds(0, 0), MOST_CLUSTERS)
    return FoundPredictions(
        predictions,
        {name: number_of_changes(ruleset) for name, ruleset in predictions.study.variants},
        {
            (horizon, figure): compared
            for horizon, of_figure in found.items()
            for figure in FIGURES
            if (compared := quality(figure, of_figure[figure], played[figure], clusters)) is not None
        },
        {(horizon, figure): of_figure[figure] for horizon, of_figure in found.items() for figure in FIGURES},
    )


def number_of_changes(ruleset: Ruleset) -> int:
    """How many numbers and switches of a ruleset differ from its edition."""
    printed = Ruleset(players=ruleset.players, edition=ruleset.edition)
    changes = 0
    for name, here in described(ruleset).items():
        there = getattr(printed, name)
        if isinstance(here, list):  # a score table or the environment cards
            pairs = list(zip(here, [list(one) if isinstance(one, tuple) else one for one in there], strict=False))
            changes += sum(one != other for one, other in pairs) + abs(len(here) - len(there))
        else:
            changes += len(here) if isinstance(here, dict) else int(here != there)
    return changes


def quality(figure: str, predicted: ByGene, played: ByGene, clusters: int) -> Quality | None:
    """Compare a figure of all genes with all rulesets.

    Args:
        figure: of ``FIGURES``.
        predicted: by ruleset and gene, of ``figures_of``.
        played: likewise; what only one of both knows is left out.
        clusters: seeds, or groups of them, of each.

    Returns:
        None if fewer than three genes with a ruleset are known both ways.
    """
    factor = FIGURES[figure].factor
    pairs = [Pair(*key, predicted[key].times(factor), played[key].times(factor)) for key in predicted if key in played]
    if len(pairs) < _FEWEST_PAIRS:
        return None
    x, y = (np.array([getattr(pair, way).estimate for pair in pairs]) for way in ("predicted", "played"))
    x_resampled, y_resampled = (
        np.stack([getattr(pair, way).resampled for pair in pairs], axis=1) for way in ("predicted", "played")
    )
    apart = x_resampled - y_resampled
    p_values = adjusted([p_value(pair.difference, clusters) for pair in pairs])
    disagreeing = [
        (p, pair) for p, pair in zip(p_values, pairs, strict=True) if p is not None and p <= FALSE_DISCOVERIES
    ]
    return Quality(
        figure=figure,
        pairs=pairs,
        chance=(float(x_resampled.var(axis=0).mean()) ** 0.5, float(y_resampled.var(axis=0).mean()) ** 0.5),
        beyond_chance=_beyond_chance(pairs).interval(),
        mean=Bootstrapped(float((x - y).mean()), apart.mean(axis=1)).interval(),
        slope=Bootstrapped(float(_slope(x[None], y[None])[0]), _slope(x_resampled, y_resampled)).interval(),
        rank_correlation=float(stats.spearmanr(x, y).statistic),
        disagreeing=[pair for _, pair in sorted(disagreeing, key=lambda found: found[0])],
    )


def biases(found: Quality) -> list[Bias]:
    """Of each gene, the largest first: rulesets stand for all that could have been drawn, as agents do elsewhere."""
    by_gene: dict[str, list[Bootstrapped]] = {}
    for pair in found.pairs:
        by_gene.setdefault(pair.gene, []).append(pair.difference)
    p_values = adjusted([p_of_agents(apart) for apart in by_gene.values()])
    biased = [
        Bias(gene, len(apart), mean_of_agents(apart), p)
        for (gene, apart), p in zip(by_gene.items(), p_values, strict=True)
    ]
    return sorted(biased, key=lambda bias: -abs(bias.mean.estimate))


def ruleset_errors(found: Quality) -> list[RulesetError]:
    """Of each ruleset, the largest first."""
    by_ruleset: dict[str, list[Pair]] = {}
    for pair in found.pairs:
        by_ruleset.setdefault(pair.ruleset, []).append(pair)
    errors = [(name, pairs, _beyond_chance(pairs)) for name, pairs in by_ruleset.items()]
    errors.sort(key=lambda error: -error[2].estimate)
    return [RulesetError(name, len(pairs), root.interval()) for name, pairs, root in errors]


def figures_of(figure: str, rows: pl.DataFrame, worth: GeneWorth) -> dict[tuple[str, str], Bootstrapped]:
    """A figure of the first lineup of a study, by name of the ruleset and gene, where enough is known.

    Args:
        figure: of ``FIGURES``.
        rows: all trials of the study.
        worth: what came out of them.
    """
    above, below, _, _ = FIGURES[figure]
    study, found = worth.study, {}
    for trials in worth.trials:
        if trials.lineup != 0:
            continue
        games = by_game(rows.filter(variant=trials.variant, lineup=0), study, trials.variant)
        denominators: dict[str, str | None] = {f"{above}_{gene}": f"{below}_{gene}" for gene in GENE_NAMES}
        sums = sums_by_cluster(games, study.num_seeds(trials.variant, 0), denominators)
        resampled = _linear_ratios(sums, study.generator(trials.variant))
        for gene in trials.genes:
            neutral = gene.neutral_price and gene.neutral_price.interval()
            is_narrow = neutral is not None and neutral.ends is not None and np.ptp(neutral.ends) <= _WIDEST
            is_known = gene.payable >= FEWEST_PAID if figure == PAID else is_narrow
            if is_known:
                found[study.variants[trials.variant][0], gene.gene] = resampled[f"{above}_{gene.gene}"]
    return found


def _beyond_chance(pairs: Sequence[Pair]) -> Bootstrapped:
    """Root mean square of the differences, less what chance gives."""
    apart = np.array([pair.difference.estimate for pair in pairs])
    resampled = np.stack([pair.difference.resampled for pair in pairs], axis=1)
    # Of estimates with these errors the mean square is too large by so much, and that of resamples twice.
    noise = float(resampled.var(axis=0).mean())
    square, squares = float((apart**2).mean()) - noise, (resampled**2).mean(axis=1) - 2 * noise
    return Bootstrapped(max(square, 0) ** 0.5, np.sqrt(np.maximum(squares, 0)))


def _linear_ratios(sums: Sums, generator: np.random.Generator) -> dict[str, Bootstrapped]:
    """Ratios, and how they change in resamples to the first order.

    Of the ratios themselves, a single resample in which a BP seems to be worth nothing would outweigh all others.
    """
    resampling = Resampling(len(sums.numerators), generator)
    below = sums.denominators.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing of nothing
        estimates = sums.numerators.mean(axis=0) / below
        resampled = estimates + resampling.means(sums.numerators - estimates * sums.denominators) / below
    return {name: Bootstrapped(float(estimates[k]), resampled[:, k]) for k, name in enumerate(sums.names)}


def _slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """(R,) of least squares, of (R, K) values."""
    apart = x - x.mean(axis=1, keepdims=True)
    return (apart * y).sum(axis=1) / (apart**2).sum(axis=1)


def shown_horizon(study: Predictions) -> int:
    """That of ``ursuppe balance ask``, if it was tried."""
    return HORIZON if HORIZON in study.horizons else study.horizons[-1]


def prediction_tables(found: FoundPredictions) -> dict[str, str]:
    """How good predictions are with each horizon; and where they fail: genes, and the worst rulesets."""
    players = found.study.players
    rows = [
        [
            figure,
            str(horizon),
            str(len(one.pairs)),
            *(f"{error:.1f}" for error in one.chance),
            value(one.beyond_chance, ".1f"),
            value(one.mean, "+.1f"),
            value(one.slope, ".2f"),
            f"{one.rank_correlation:.2f}",
            str(len(one.disagreeing)),
        ]
        for figure in FIGURES
        for (horizon, of), one in found.qualities.items()
        if of == figure
    ]
    heading = ["figure", "rounds played", "pairs", "error of chance, foretold", "played", "apart beyond chance"]
    heading += ["too high by", "slope", "rank correlation", "differ"]
    tables = {f"predictions quality {players}": table(heading, rows, texts=2)}
    for figure in FIGURES:
        if (one := found.qualities.get((shown_horizon(found.study), figure))) is not None:
            genes = [f"{title(bias.gene)} ({value(bias.mean, '+.1f')})" for bias in biases(one) if bias.is_shown]
            worst = [
                f"{error.ruleset}, with {found.changed[error.ruleset]} numbers and switches changed "
                f"({value(error.beyond_chance, '.1f')})"
                for error in ruleset_errors(one)[:_WORST]
            ]
            tables[f"predictions {figure} of genes {players}"] = listed(genes)
            tables[f"predictions {figure} of rulesets {players}"] = listed(worst)
    return tables
