"""How good are predicted trials of genes? Predictions beside trials that are played to the end, over random rulesets.

``python benchmarks/predictions.py AGENT``, a policy such as ``policy:default`` or ``policy:model=best.zip``: K rulesets
are drawn as a varied training draws them, with a seed of no training. With each, the same games branch at the same
purchases, once with each horizon (``GeneStudy.horizon``) and once to the end. It compares *paid* (in points of the
chance of winning) and the neutral price (in BP, where both ways know it to within 12 BP), of all genes and rulesets:

- *error of chance*: root mean square of the standard errors, of the predictions and of the trials to the end;
- *beyond chance*: how far the two are apart, root mean square, less what chance alone gives; and on average;
- *slope*: by how much the trials to the end change where a prediction changes by 1; below 1 predictions exaggerate;
- the rank correlation of both, which the noise of the trials to the end lowers;
- those that disagree, at a false discovery rate of 5 % among all of a horizon.

Intervals are 95 % and resample seeds. ``runs/predictions`` (or ``--out``) has the trials, so that the same command goes
on where it was interrupted, and ``predictions.json``.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import stats  # type: ignore[import-untyped]

from ursuppe_agents.balance import GeneStudy, GeneWorth, measure_genes
from ursuppe_agents.balance.verdicts import FEWEST_PAID
from ursuppe_agents.balance.worth import by_game
from ursuppe_agents.jobs.folder import to_json
from ursuppe_agents.reports.text import value
from ursuppe_agents.statistics import FALSE_DISCOVERIES, Interval, Resampling
from ursuppe_agents.statistics.discoveries import adjusted, p_value
from ursuppe_agents.statistics.ratios import MOST_CLUSTERS, Bootstrapped, Sums, sums_by_cluster
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_training.rulesets import varied_rulesets

_SEED = 2**61 + 2  # of no training, and of no other measurement
_ROUNDS = (1, 2, 3, 4, 5, 6)
_BONUS = 5
_WIDEST = 12.0  # BP, of the interval of a neutral price that is compared: of wider ones nothing is known
#: By the name of the figure: numerator and denominator, factor and unit.
FIGURES = {"paid": ("paid", "payable", 100, "points"), "neutral price": ("given", "bp", 1, "BP")}


@dataclass(frozen=True)
class Pair:
    """A figure of a gene with a ruleset, predicted and played to the end."""

    ruleset: int
    gene: str
    predicted: Bootstrapped
    played: Bootstrapped

    @property
    def difference(self) -> Bootstrapped:
        """Predicted minus played, of the same games."""
        return self.predicted.minus(self.played)


@dataclass(frozen=True)
class Quality:
    """How good predictions of a figure are with a horizon.

    Attributes:
        horizon: rounds.
        figure: of ``FIGURES``.
        pairs: those that are known both ways.
        chance: standard errors of predictions and of trials to the end, root mean square.
        beyond_chance: root mean square of the differences less what chance gives.
        mean: of the differences.
        slope: of played on predicted.
        rank_correlation: of both.
        disagreeing: the pairs that differ beyond chance, the clearest first.
    """

    horizon: int
    figure: str
    pairs: list[Pair]
    chance: tuple[float, float]
    beyond_chance: Interval | None
    mean: Interval | None
    slope: Interval | None
    rank_correlation: float
    disagreeing: list[Pair]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        known = {name: getattr(self, name) for name in ("beyond_chance", "mean", "slope")}
        return {
            "horizon": self.horizon,
            "figure": self.figure,
            "pairs": len(self.pairs),
            "chance": {"predicted": self.chance[0], "played": self.chance[1]},
            **{name: found and found._asdict() for name, found in known.items()},
            "rank_correlation": self.rank_correlation,
            "disagreeing": [
                {
                    "ruleset": pair.ruleset,
                    "gene": pair.gene,
                    "predicted": pair.predicted.estimate,
                    "played": pair.played.estimate,
                }
                for pair in self.disagreeing
            ],
        }


def main() -> None:
    """Play, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("agent", help="spec of a policy")
    parser.add_argument("--rulesets", type=int, default=40, help="how many are drawn")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--games", type=int, default=100, help="with each ruleset")
    parser.add_argument("--horizons", type=int, nargs="+", default=[0, 1, 2], help="rounds after that of the purchase")
    parser.add_argument("--workers", type=int, help="processes; one a core if not given")
    parser.add_argument("--out", type=Path, default=Path("runs/predictions"), help="folder of what comes out")
    given = parser.parse_args()
    rulesets = varied_rulesets(given.players, given.rulesets, _SEED)
    study = GeneStudy(
        name="Predictions beside trials to the end",
        lineups=((given.agent,),),
        num_games=given.games,
        seed=_SEED,
        variants=tuple((f"ruleset {number}", ruleset) for number, ruleset in enumerate(rulesets)),
        rounds=_ROUNDS,
        bonus=_BONUS,
    )
    played = _measured(study, given.out / "to-the-end", given.workers)
    found = []
    for horizon in given.horizons:
        predicted = _measured(replace(study, horizon=horizon), given.out / f"horizon-{horizon}", given.workers)
        found += [quality(horizon, figure, predicted, played) for figure in FIGURES]
    figures = {"study": study.as_dict(), "intervals": study.about_intervals, "found": [one.as_dict() for one in found]}
    write_atomically(given.out / "predictions.json", to_json(figures))
    show(Console(width=150), study, found)


Measured = tuple[pl.DataFrame, GeneWorth]


def _measured(study: GeneStudy, folder: Path, workers: int | None) -> Measured:
    with progress_bar() as progress:
        task = progress.add_task(folder.name, total=study.total_games)
        return measure_genes(study, folder, workers, on_progress=lambda over: progress.update(task, completed=over))


def quality(horizon: int, figure: str, predicted: Measured, played: Measured) -> Quality:
    """Compare a figure of all genes with all rulesets.

    Raises:
        ValueError: there were too few games to compare anything.
    """
    factor = FIGURES[figure][2]
    of_predicted, of_played = _figures(figure, *predicted), _figures(figure, *played)
    pairs = [
        Pair(*key, of_predicted[key].times(factor), of_played[key].times(factor))
        for key in of_predicted
        if key in of_played
    ]
    if len(pairs) < 3:
        raise ValueError(f"{figure}: {len(pairs)} genes can be compared; play more games")
    x, y = (np.array([getattr(pair, way).estimate for pair in pairs]) for way in ("predicted", "played"))
    x_resampled, y_resampled = (
        np.stack([getattr(pair, way).resampled for pair in pairs], axis=1) for way in ("predicted", "played")
    )
    apart, noise = x_resampled - y_resampled, float((x_resampled - y_resampled).var(axis=0).mean())
    # Of estimates with these errors the mean square is too large by so much, and that of resamples twice.
    square = Bootstrapped(float(((x - y) ** 2).mean()) - noise, (apart**2).mean(axis=1) - 2 * noise)
    root = Bootstrapped(max(square.estimate, 0) ** 0.5, np.sqrt(np.maximum(square.resampled, 0)))
    clusters = min(predicted[1].study.num_seeds(0, 0), MOST_CLUSTERS)
    p_values = adjusted([p_value(pair.difference, clusters) for pair in pairs])
    disagreeing = [
        (p, pair) for p, pair in zip(p_values, pairs, strict=True) if p is not None and p <= FALSE_DISCOVERIES
    ]
    return Quality(
        horizon=horizon,
        figure=figure,
        pairs=pairs,
        chance=(float(x_resampled.var(axis=0).mean()) ** 0.5, float(y_resampled.var(axis=0).mean()) ** 0.5),
        beyond_chance=root.interval(),
        mean=Bootstrapped(float((x - y).mean()), apart.mean(axis=1)).interval(),
        slope=Bootstrapped(float(_slope(x[None], y[None])[0]), _slope(x_resampled, y_resampled)).interval(),
        rank_correlation=float(stats.spearmanr(x, y).statistic),
        disagreeing=[pair for _, pair in sorted(disagreeing, key=lambda found: found[0])],
    )


def _figures(figure: str, rows: pl.DataFrame, worth: GeneWorth) -> dict[tuple[int, str], Bootstrapped]:
    """By ruleset and gene, where enough is known."""
    above, below, _, _ = FIGURES[figure]
    study, found = worth.study, {}
    for trials in worth.trials:
        games = by_game(rows.filter(variant=trials.variant), study, trials.variant)
        denominators = {f"{above}_{gene}": f"{below}_{gene}" for gene in GENE_NAMES}
        sums = sums_by_cluster(games, study.num_seeds(trials.variant, 0), denominators)
        resampled = _linear_ratios(sums, study.generator(trials.variant))
        for gene in trials.genes:
            neutral = gene.neutral_price and gene.neutral_price.interval()
            is_narrow = neutral is not None and neutral.ends is not None and np.ptp(neutral.ends) <= _WIDEST
            is_known = gene.payable >= FEWEST_PAID if figure == "paid" else is_narrow
            if is_known:
                found[trials.variant, gene.gene] = resampled[f"{above}_{gene.gene}"]
    return found


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


def show(console: Console, study: GeneStudy, found: Sequence[Quality]) -> None:
    """Print tables."""
    console.print(
        f"{len(study.variants)} rulesets, {study.num_games} games with each, {study.lineups[0][0]}; "
        f"{study.about_intervals}",
        highlight=False,
        markup=False,
    )
    for figure, (_, _, _, unit) in FIGURES.items():
        headings = ("horizon", "pairs", "error of chance:\npredicted", "played\nto the end", "beyond chance", "mean")
        table = Table(*headings, "slope", "rank\ncorrelation", "disagree", title=f"{figure}, {unit}")
        of_figure = [one for one in found if one.figure == figure]
        for one in of_figure:
            table.add_row(
                str(one.horizon),
                str(len(one.pairs)),
                *(f"{error:.2f}" for error in one.chance),
                value(one.beyond_chance, ".2f"),
                value(one.mean, "+.2f"),
                value(one.slope, ".2f"),
                f"{one.rank_correlation:.2f}",
                str(len(one.disagreeing)),
            )
        console.print(table)
        for one in of_figure:
            for pair in one.disagreeing:
                console.print(
                    f"horizon {one.horizon}, ruleset {pair.ruleset}, {pair.gene}: predicted "
                    f"{value(pair.predicted.interval(), '+.1f')}, played {value(pair.played.interval(), '+.1f')}",
                    highlight=False,
                )


if __name__ == "__main__":
    main()
