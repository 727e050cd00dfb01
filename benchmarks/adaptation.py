"""Does a policy adapt to prices? How often each gene is bought, the dearer it is and the more it is worth.

``python benchmarks/adaptation.py POLICY [POLICY ...]``, files of policies or default, some minutes for each: for every
gene the price goes from 1 to 8, all else as printed, with the policy in all seats and the same seeds everywhere. Then
the same for a number that makes the gene worth more or less, such as what a division costs with Division Rate, or its
gene points. Three things are measured:

- of the turns in which a player could buy the gene, those in which he did;
- of the players who ever could, those who did;
- how likely the policy is to buy it at once in the same positions, those of games as printed in which nobody lacks the
  BP for any of the prices.

The last one is what tells whether a policy adapts. The others fall with the price for any policy, even for one that
draws its actions without a look at prices: a cheap gene is a possible purchase more often in a turn, beside others.

Prints the curves, how far they go, and Spearman correlations, with 95 % intervals that resample seeds.
``runs/adaptation`` (or ``--out``) has pictures, ``adaptation.json``, and the counts of all games, so that the same
command goes on where it was interrupted.
"""

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import stats  # type: ignore[import-untyped]

from ursuppe_agents.arena.matches import Matches
from ursuppe_agents.arena.observers import Observer
from ursuppe_agents.jobs.folder import RunFolder, to_json
from ursuppe_agents.jobs.parts import do_parts
from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_agents.reports.plotting import COLOURS, STYLE, as_file, draw_legend
from ursuppe_agents.reports.text import NONE, about_intervals, value
from ursuppe_agents.statistics import Interval
from ursuppe_agents.statistics.ratios import Bootstrapped, Sums, ratios
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.actions import FIRST_BUY
from ursuppe_env.rules.genes import BOUGHT_GENE, GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import PER_GENE
from ursuppe_training.default_policies import policy_path
from ursuppe_training.evaluation import WAYS
from ursuppe_training.inference import Network
from ursuppe_training.policy_agent import TrainedElsewhereWarning
from ursuppe_training.policy_files import read_policy, read_provenance
from ursuppe_training.provenance import file_digest

_GAMES_SEED = 2**61 + 1  # of no training, and of no other measurement
_FEWEST_POINTS = 3  # of a curve that has a correlation
_PANELS_A_ROW = 5


class Lever(NamedTuple):
    """A number of the ruleset that makes genes better or worse buys.

    Attributes:
        field: of ``Ruleset``.
        values: that it takes.
        direction: 1 if the gene should be bought more often with a larger number, -1 if less often.
    """

    field: str
    values: tuple[int, ...]
    direction: int


PRICE = Lever("price", tuple(range(1, 9)), -1)
#: What a gene is worth: a number that only its owners feel; of genes without one the gene points.
WORTH = {
    "defense": Lever("defense_cost", tuple(range(4)), -1),
    "escape": Lever("move_cost", tuple(range(4)), -1),
    "streamlining": Lever("move_cost", tuple(range(4)), 1),
    "ray_protection": Lever("ray_protection_payment", tuple(range(0, 11, 2)), 1),
    "tentacle": Lever("carry", tuple(range(1, 7)), 1),
    "life_expectancy": Lever("long_life_damage", tuple(range(2, 7)), 1),
    "struggle_for_survival": Lever("attack_cost", tuple(range(4)), -1),
    "aggression": Lever("attack_cost", tuple(range(4)), -1),
    "division_rate": Lever("fast_division_cost", tuple(range(1, 7)), -1),
}
GENE_POINTS = Lever("gene_score", tuple(range(4)), 1)
LEVERS = {
    "prices": dict.fromkeys(GENE_NAMES, PRICE),
    "worth": {gene: WORTH.get(gene, GENE_POINTS) for gene in GENE_NAMES},
}

#: One row a game. Each measure is a column divided by another one.
COLUMNS = pl.Schema(
    {
        "index": pl.Int64(),  # which game of the seed
        "value": pl.Int64(),  # of the number
        "turns": pl.Int64(),
        "turns_possible": pl.Int64(),
        "players": pl.Int64(),
        "players_possible": pl.Int64(),
        "purchases": pl.Float64(),  # the sum of their probabilities, in positions of the game as printed
        "positions": pl.Int64(),
    }
)
MEASURES = {"same positions": ("purchases", "positions")} | {
    name: (name, f"{name}_possible") for name in ("turns", "players")
}
_SAID = {
    "same positions": "probability of a purchase in the same positions, %",
    "turns": "turns with a purchase, % of those in which it was possible",
    "players": "players with a purchase, % of those to whom it was possible",
}


@dataclass(frozen=True)
class Sweep:
    """Games of a policy with itself, in which one number takes several values.

    Attributes:
        number: of the sweep among all.
        policy: its file, or "default".
        way: how it plays.
        gene: whose purchases are counted.
        lever: the number.
        printed: the ruleset, but for this number.
        num_seeds: S, games with each value.
    """

    number: int
    policy: str
    way: str
    gene: str
    lever: Lever
    printed: Ruleset
    num_seeds: int

    @property
    def keys(self) -> pl.DataFrame:
        """Which games they are: all seeds of the first value, of the second one, and so on."""
        values = np.repeat(self.lever.values, self.num_seeds)
        index = np.tile(np.arange(self.num_seeds), len(self.lever.values))
        return pl.DataFrame({"index": index, "value": values})

    @property
    def rulesets(self) -> list[Ruleset]:
        """With each value."""
        field = self.lever.field
        return [
            self.printed.replace(**{field: {self.gene: number} if field in PER_GENE else number})
            for number in self.lever.values
        ]


class Purchases(Observer):
    """Notes the turns in which each player could buy a gene, and those in which he did.

    Args:
        games: before their first decision.
        gene: that is looked at.

    Attributes:
        actions: that buy it.
        could: (N, P, R) by game, player and round.
        did: likewise.
        chances: positions in which it could be bought, and the rows of their games.
    """

    def __init__(self, games: Games, gene: str) -> None:
        rounds = max(len(ruleset.environment) for ruleset in games.rulesets)
        self.actions = FIRST_BUY + np.flatnonzero(GENE_NAMES.index(gene) == BOUGHT_GENE)
        self.could, self.did = np.zeros((2, len(games), games.num_players, rounds), np.bool_)
        self.chances: list[tuple[NDArray[np.int64], NDArray[np.void]]] = []

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        buying = games.state["node"][rows] == Decision.BUY
        rows, actions = rows[buying], actions[buying]
        if len(rows) == 0:
            return
        standing = games.copy(rows)
        can = standing.legal()[:, self.actions].any(axis=1)
        at = rows, standing.state["player"], standing.state["round"]
        self.could[at] |= can
        self.did[at] |= np.isin(actions, self.actions)
        if can.any():
            self.chances.append((rows[can], standing.copy(can).state))

    def counts(self) -> dict[str, NDArray[np.int64]]:
        """(N,) of each measure, and of what it is a part of."""
        could, did = self.could, self.did
        return {
            "turns": did.sum(axis=(1, 2)),
            "turns_possible": could.sum(axis=(1, 2)),
            "players": did.any(axis=2).sum(axis=1),
            "players_possible": could.any(axis=2).sum(axis=1),
        }


def in_the_same_positions(sweep: Sweep, purchases: Purchases) -> dict[str, NDArray[np.generic]]:
    """How likely the policy is to buy the gene with each value, in positions of the games with the printed one.

    Returns:
        For each game of the sweep, (N,), the sum of the probabilities with its value, and the number of positions:
        those of the printed game with its seed. There are none if the printed value is not in the sweep.
    """
    lever, shape = sweep.lever, (len(sweep.lever.values), sweep.num_seeds)
    sums, counts = np.zeros(shape), np.zeros(shape, np.int64)
    is_printed = np.array([ruleset == sweep.printed for ruleset in sweep.rulesets])
    least_bp = max(lever.values) if lever.field == PRICE.field else 0
    chosen = []
    for rows, states in purchases.chances:
        numbers, seeds = np.divmod(rows, sweep.num_seeds)  # of values, as they are in ``keys``
        bp = states["bp"][np.arange(len(states)), states["player"]]
        is_chosen = is_printed[numbers] & (bp >= least_bp)
        chosen.append((seeds[is_chosen], states[is_chosen]))
    if sum(len(seeds) for seeds, _ in chosen) > 0:
        seeds, states = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
        states["ruleset"] = 0  # of each batch below
        network = Network(read_policy(policy_path(sweep.policy)).weights)
        for number, ruleset in enumerate(sweep.rulesets):
            probabilities = network.action_probabilities(trusted_games(states, ruleset, threads=1))
            sums[number] = np.bincount(seeds, probabilities[:, purchases.actions].sum(axis=1), sweep.num_seeds)
            counts[number] = np.bincount(seeds, minlength=sweep.num_seeds)
    return {"purchases": sums.ravel(), "positions": counts.ravel()}


class Curve(NamedTuple):
    """How often a gene is bought with each value of a number.

    Attributes:
        sweep: that was played.
        measure: one of ``MEASURES``.
        shares: with each value; NaN where nobody could.
        correlation: Spearman's, of value and share; None if too few values say something, or all say the same.
        change: of the share from the smallest value to the largest; None if too few say something.
    """

    sweep: Sweep
    measure: str
    shares: list[Bootstrapped]
    correlation: Interval | None
    change: Interval | None

    @property
    def intervals(self) -> list[Interval | None]:
        """Of the shares; None where nobody could."""
        return [_interval(share) for share in self.shares]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; what is missing is null."""
        sweep = self.sweep
        return {
            "policy": sweep.policy,
            "gene": sweep.gene,
            "field": sweep.lever.field,
            "should": "rise" if sweep.lever.direction > 0 else "fall",
            "measure": self.measure,
            "values": list(sweep.lever.values),
            "shares": [_as_json(interval) for interval in self.intervals],
            "correlation": _as_json(self.correlation),
            "change": _as_json(self.change),
        }


def _as_json(interval: Interval | None) -> dict[str, Any] | None:
    return None if interval is None else {"estimate": interval.estimate, "interval_95": interval.ends}


def _interval(share: Bootstrapped) -> Interval | None:
    """The share; without an interval where too few seeds say something."""
    if not np.isfinite(share.estimate):
        return None
    return share.interval() or Interval(share.estimate, None, None)


def main() -> None:
    """Play, print tables, and write pictures and figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policies", nargs="+", metavar="POLICY", help="files of policies, or default")
    parser.add_argument("--seeds", type=int, default=200, help="games with each value of each number")
    parser.add_argument("--way", choices=list(WAYS), default="stochastic", help="how the policies play")
    parser.add_argument("--workers", type=int, help="processes; one a core if not given")
    parser.add_argument("--out", type=Path, default=Path("runs/adaptation"), help="folder of what comes out")
    given = parser.parse_args()
    curves = measure(given.policies, given.seeds, given.way, given.out, given.workers)
    figures = {"seeds": given.seeds, "curves": [curve.as_dict() for curve in curves]}
    write_atomically(given.out / "adaptation.json", to_json(figures))
    console = Console(width=150)
    for levers, of_genes in LEVERS.items():
        drawn = [curve for curve in curves if of_genes[curve.sweep.gene] == curve.sweep.lever]
        for name in MEASURES:
            write_atomically(given.out / f"{levers}-{name.replace(' ', '-')}.svg", draw(levers, name, drawn))
        for table in tables(levers, drawn):
            console.print(table)


def measure(policies: Sequence[str], num_seeds: int, way: str, folder: Path, workers: int | None = None) -> list[Curve]:
    """Play all games, or what is left of them: a curve for each policy, gene, number and measure.

    Raises:
        ValueError: a policy is damaged, or the folder has other games.
    """
    sweeps = sweeps_of(policies, num_seeds, way)
    described = {
        "seeds": num_seeds,
        "way": way,
        "policies": [file_digest(policy_path(policy)) for policy in policies],
        "sweeps": [[sweep.gene, sweep.lever.field, *sweep.lever.values] for sweep in sweeps],
    }
    kept = RunFolder(folder, described, COLUMNS)
    with progress_bar() as progress:
        task = progress.add_task("games", total=sum(len(sweep.keys) for sweep in sweeps))
        rows = do_parts(
            play_sweep,
            sweeps,
            lambda sweep: sweep.keys,
            kept,
            workers,
            on_progress=lambda over: progress.update(task, completed=over),
        )
    starts = np.cumsum([0, *(len(sweep.keys) for sweep in sweeps)]).tolist()
    return [
        curve_of(sweep, rows[start:stop], name)
        for sweep, start, stop in zip(sweeps, starts, starts[1:], strict=False)
        for name in MEASURES
    ]


def sweeps_of(policies: Sequence[str], num_seeds: int, way: str) -> list[Sweep]:
    """All sweeps: of genes that are in the pack, with the ruleset of each policy."""
    rulesets = [read_provenance(policy_path(policy)).played for policy in policies]
    found = [
        (policy, gene, of_genes[gene], ruleset)
        for policy, ruleset in zip(policies, rulesets, strict=True)
        for of_genes in LEVERS.values()
        for gene in of_genes
        if ruleset.cards[GENE_NAMES.index(gene)] > 0
    ]
    return [
        Sweep(number, policy, way, gene, lever, ruleset, num_seeds)
        for number, (policy, gene, lever, ruleset) in enumerate(found)
    ]


def play_sweep(sweep: Sweep) -> pl.DataFrame:
    """Play the games of a sweep, and return a row of ``COLUMNS`` for each."""
    keys, rulesets = sweep.keys, sweep.rulesets
    index = keys["index"].to_numpy()
    number = np.repeat(np.arange(len(rulesets)), sweep.num_seeds)
    games = Games(len(index), rulesets, _GAMES_SEED, index=index, threads=1, ruleset_index=number)
    spec = agent_spec("policy", model=sweep.policy, **WAYS[sweep.way])
    agent = make_agent(spec, np.random.default_rng([_GAMES_SEED, sweep.number]))
    purchases = Purchases(games, sweep.gene)
    seating = np.zeros((len(games), games.num_players), np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainedElsewhereWarning)  # that is what is asked
        Matches(_GAMES_SEED, index, games, [spec], {0: agent}, seating).play(purchases)
    found = purchases.counts() | in_the_same_positions(sweep, purchases)
    return keys.with_columns(pl.Series(name, counts) for name, counts in found.items()).cast(COLUMNS)


def curve_of(sweep: Sweep, rows: pl.DataFrame, measure: str) -> Curve:
    """The curve of a sweep's games, which are in the order of its keys."""
    shape = len(sweep.lever.values), sweep.num_seeds
    bought, possible = (rows[name].to_numpy().reshape(shape).T for name in MEASURES[measure])
    names = [str(number) for number in sweep.lever.values]
    sums = Sums(names, bought.astype(np.float64), possible.astype(np.float64))
    found = ratios(sums, np.random.default_rng(_GAMES_SEED))
    shares = [found[name] for name in names]
    known = [share for share in shares if np.isfinite(share.estimate)]
    change = _interval(known[-1].minus(known[0])) if len(known) > 1 else None
    return Curve(sweep, measure, shares, rank_correlation(sweep.lever.values, shares), change)


def rank_correlation(values: Sequence[int], shares: Sequence[Bootstrapped]) -> Interval | None:
    """Spearman's correlation of values and shares; those that are not known do not count."""
    known = [k for k, share in enumerate(shares) if np.isfinite(share.estimate)]
    estimate = _spearman(np.array(values)[known], np.array([[shares[k].estimate for k in known]]))
    if len(known) < _FEWEST_POINTS or not np.isfinite(estimate[0]):
        return None
    if not all(shares[k].has_resamples for k in known):
        return Interval(float(estimate[0]), None, None)
    resampled = _spearman(np.array(values)[known], np.column_stack([shares[k].resampled for k in known]))
    resampled = np.nan_to_num(resampled)  # where all shares are the same, there is none
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Interval(float(estimate[0]), float(low), float(high))


def _spearman(values: NDArray[np.int64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """(R,) correlations of (V,) values with each row of (R, V) shares; NaN where all are the same."""
    ranks, others = stats.rankdata(shares, axis=1), stats.rankdata(values)
    ranks, others = ranks - ranks.mean(axis=1, keepdims=True), others - others.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        return (ranks @ others) / np.sqrt((ranks**2).sum(axis=1) * (others**2).sum())


def tables(levers: str, curves: Sequence[Curve]) -> list[Table]:
    """What is printed: for each policy and measure a line for each gene; shares in per cent."""
    found = []
    for policy, name in dict.fromkeys((curve.sweep.policy, curve.measure) for curve in curves):
        mine = [curve for curve in curves if (curve.sweep.policy, curve.measure) == (policy, name)]
        table = Table(
            "gene", "number", "should", "with each value", "change", "Spearman", title=f"{policy}: {_SAID[name]}"
        )
        table.caption = about_intervals([mine[0].sweep.num_seeds])
        for curve in mine:
            lever = curve.sweep.lever
            shares = (NONE if one is None else f"{100 * one.estimate:.1f}" for one in curve.intervals)
            points = "  ".join(f"{number}: {share}" for number, share in zip(lever.values, shares, strict=True))
            should = "rise" if lever.direction > 0 else "fall"
            table.add_row(
                curve.sweep.gene,
                lever.field,
                should,
                points,
                value(curve.change, "+.1f", 100),
                value(curve.correlation, "+.2f"),
            )
        table.add_section()
        table.add_row(f"as they should, {levers}", "", "", "", "", as_they_should(mine))
        found.append(table)
    return found


def as_they_should(curves: Sequence[Curve]) -> str:
    """How many correlations have the sign that they should have, how many of them beyond doubt, and how far it goes.

    Even the least slope can have a correlation of 1.
    """
    pairs = [
        (curve.correlation.times(curve.sweep.lever.direction), curve.change.times(curve.sweep.lever.direction))
        for curve in curves
        if curve.correlation is not None and curve.change is not None
    ]
    right = sum(correlation.estimate > 0 for correlation, _ in pairs)
    beyond_doubt = sum(correlation.low is not None and correlation.low > 0 for correlation, _ in pairs)
    said = f"{right} of {len(curves)}, {beyond_doubt} beyond doubt"
    return f"{said}; by {100 * np.mean([change.estimate for _, change in pairs]):.1f} points" if pairs else said


def draw(levers: str, measure: str, curves: Sequence[Curve]) -> bytes:
    """An SVG: a panel for each gene with one of the measures, a colour for each policy."""
    drawn = [curve for curve in curves if curve.measure == measure]
    policies = list(dict.fromkeys(curve.sweep.policy for curve in drawn))
    genes = list(dict.fromkeys(curve.sweep.gene for curve in drawn))
    rows = -(-len(genes) // _PANELS_A_ROW)
    artists = {}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(10, 0.6 + 1.9 * rows), layout="constrained")
        panels = figure.subplots(rows, _PANELS_A_ROW, squeeze=False).ravel()
        for axes in panels[len(genes) :]:
            axes.set_axis_off()
        for curve in drawn:
            axes = panels[genes.index(curve.sweep.gene)]
            lever, policy = curve.sweep.lever, curve.sweep.policy
            colour = COLOURS[policies.index(policy) % len(COLOURS)]
            lows, middles, highs = 100 * np.array([_three(interval) for interval in curve.intervals]).T
            axes.fill_between(lever.values, lows, highs, color=colour, alpha=0.18, linewidth=0)
            [artists[policy]] = axes.plot(lever.values, middles, "o-", color=colour, markersize=3, linewidth=1.5)
            axes.set_title(curve.sweep.gene.replace("_", " "), fontsize=9)
            axes.set_xlabel(lever.field.replace("_", " "), fontsize=8)
            axes.set_xticks(lever.values)
            axes.grid(axis="y")
        for axes in panels[: len(genes)]:
            axes.set_ylim(bottom=0)  # not before all curves are there: it keeps the top, too
        figure.supylabel(_SAID[measure], fontsize=9)
        draw_legend(figure, artists, most_columns=2)
        return as_file(figure, f"{levers}-{measure.replace(' ', '-')}", f"How often each gene is bought: {levers}")


def _three(interval: Interval | None) -> tuple[float, float, float]:
    """Low, estimate and high; NaN where they are missing."""
    if interval is None:
        return np.nan, np.nan, np.nan
    low, high = interval.ends or (np.nan, np.nan)
    return low, interval.estimate, high


if __name__ == "__main__":
    main()
