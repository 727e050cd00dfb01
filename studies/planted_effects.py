"""Do the methods of the studies find what is there, and nothing else? Simulations with planted effects.

``python -m studies.planted_effects``: made-up agents and games of which the truth is known (``planted_*.py`` in
``tests/support``) go through the estimators that the pages use, hundreds of times. It counts

- *coverage*: how often 95 % intervals hold the truth;
- *found*: how many of the planted effects are called so, with the right sign;
- *false discoveries*: of all that is called so in a study, the share that is not there or has the other sign, on
  average over studies; none where nothing is called so. It must not be above 5 %.

Each has its simulation error (one standard error, over studies). Studies are of a size at which some effects are
missed. ``--studies`` and ``--methods`` choose.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # where the tests have what they plant

from studies.bars import UNITS
from studies.corrections import (
    WORTH,
    Corrections,
    Direction,
    advice_of,
    binomial,
    effects_on_games,
    effects_on_genes,
    judged,
)
from studies.editions import unevenness
from studies.predictions import biases, quality
from studies.results import Compared
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import VariantStudy, gene_worth
from ursuppe_lab.balance.figures.comparison import compare
from ursuppe_lab.balance.figures.effects import PAID, effects_of
from ursuppe_lab.balance.figures.verdicts import Verdict
from ursuppe_lab.balance.question import Question
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.discoveries import adjusted
from ursuppe_lab.statistics.quotients import Quotient
from ursuppe_lab.statistics.ratios import Bootstrapped

from support import planted_worths as worths
from support.planted_corrections import games_of, trials_of, true_effect, true_paid
from support.planted_spreads import SURPLUSES, planted_bars, true_variance


@dataclass
class Study:
    """What one simulated study gave.

    Attributes:
        held: by kind of figure: does each interval hold the truth?
        called: of what is called so: is it there, with this sign?
        planted: of what is there: is it called so?
    """

    held: dict[str, list[bool]] = field(default_factory=dict)
    called: list[bool] = field(default_factory=list)
    planted: list[bool] = field(default_factory=list)

    def interval(self, kind: str, figure: Interval | Quotient | None, truth: float) -> None:
        """Count an interval, if there is one."""
        if figure is not None and not (isinstance(figure, Interval) and figure.ends is None):
            self.held.setdefault(kind, []).append(figure.contains(truth))

    def statement(self, sign: float, truth: float) -> None:
        """Count what is said.

        Args:
            sign: that is said; 0: nothing is.
            truth: the effect; 0: none was planted.
        """
        is_right = sign * truth > 0
        if sign:
            self.called.append(is_right)
        if abs(truth) > _NOTHING:
            self.planted.append(is_right)

    @property
    def false_share(self) -> float:
        """Of what is called so; 0 if nothing is."""
        return 1 - float(np.mean(self.called)) if self.called else 0.0


_NOTHING = 1e-12


def genes(seed: int) -> Study:
    """Trials of genes: *paid*, neutral prices, and verdicts by both."""
    study, result = worths.planted_study(3000), Study()
    [found] = gene_worth(study, worths.planted_trials(study, seed)).trials
    for figures in [*found.genes, *found.by_round]:
        kind = "all rounds" if figures.round == worths.ALL_ROUNDS else "one round"
        result.interval(f"paid, {kind}", figures.paid, worths.paid(figures.gene, figures.round))
        result.interval(f"neutral price, {kind}", figures.neutral_price, worths.neutral_price(figures.gene))
    signs = {Verdict.CHEAP: 1, Verdict.OPEN: 0, Verdict.DEAR: -1}
    for figures in found.genes:
        surplus = worths.SURPLUS[GENE_NAMES.index(figures.gene)]
        result.statement(signs[figures.judgement.verdict], surplus)
    return result


def bars_of_one_agent(seed: int) -> Study:
    """Spreads of the genes to agents that stand for themselves, and what prices change."""
    return _bars(seed, games=2000, agents=1, between=0.0)


def bars_of_three_agents(seed: int) -> Study:
    """The same to three agents that stand for all of their kind, who differ by 0.5 BP in each gene."""
    return _bars(seed, games=2000, agents=3, between=0.5)


def _bars(seed: int, games: int, agents: int, between: float) -> Study:
    result, names = Study(), list(SURPLUSES)
    bars = planted_bars(names, seed, games, agents, between)
    changes = []
    for unit in UNITS:
        spreads = {name: true_variance(unit, SURPLUSES[name], between) ** 0.5 for name in names}
        for name in names:
            result.interval(f"spread, {unit}", bars[unit, name].spread, spreads[name])
        for name in names[1:]:
            change = bars[unit, name].minus(bars[unit, names[0]])
            truth = spreads[name] - spreads[names[0]]
            result.interval(f"change of spread, {unit}", change.interval, truth)
            changes.append((change, 0.0 if abs(truth) < _NOTHING else truth))
    for (change, truth), p in zip(changes, adjusted([change.p for change, _ in changes]), strict=True):
        is_shown = p is not None and p <= FALSE_DISCOVERIES and change.interval is not None
        result.statement(np.sign(change.interval.estimate) if is_shown and change.interval else 0.0, truth)
    return result


_CORRECTIONS = Corrections(players=3, policies=(), fixed=("hunter",), advice_games=1000, games=300, ordinary_games=1000)
_REAL = frozenset({"own_clinging", "free_stay", "mutation_points.armour"})
_SHIFTED = {"own_clinging": {"holding": -6.0}, "free_stay": {"movement_2": 6.0}}


def corrections_advice(seed: int) -> Study:
    """Advice on the corrections of 1998 from trials of 1997, and what they do in ordinary games, judged together."""
    result = Study()
    advice = advice_of(_CORRECTIONS, trials_of(_CORRECTIONS.advice, seed))
    found = judged([_CORRECTIONS], advice, effects_on_games(_CORRECTIONS, games_of(_CORRECTIONS, seed, _REAL)))
    signs = {Direction.RESTRAINS: 1, Direction.FAVOURS: -1, None: 0}
    for one in {one.correction.genes: one for one in found.advice}.values():
        truth = true_paid(one.correction.genes)
        result.interval("paid, genes together", one.paid, truth)
        result.statement(signs[one.direction], 0.0 if abs(truth) < _NOTHING else truth)
    for effect in found.effects:
        truth = true_effect(effect.figure, effect.correction, _REAL, _CORRECTIONS.players)
        result.interval("effects on games", effect.difference, truth)
        result.statement(np.sign(effect.difference.estimate) if effect.is_shown and effect.difference else 0.0, truth)
    hits = np.random.default_rng([seed, 2]).binomial(11, 0.5)
    result.interval("hit rate (at least 95 %)", binomial(int(hits), 11), 0.5)
    return result


def corrections_of_genes(seed: int) -> Study:
    """What corrections do to the worth of their genes."""
    result, study = Study(), _CORRECTIONS.worth_studies["fixed"]
    effects = effects_on_genes(_CORRECTIONS, study, trials_of(study, seed, _SHIFTED))
    for effect in judged([_CORRECTIONS], [], effects).effects:
        if effect.figure != WORTH:
            continue
        [of_it] = (one.genes for one in _CORRECTIONS.corrections if one.field == effect.correction)
        truth = true_paid(of_it, _SHIFTED.get(effect.correction)) - true_paid(of_it)
        result.interval("worth of genes", effect.difference, truth)
        result.statement(np.sign(effect.difference.estimate) if effect.is_shown and effect.difference else 0.0, truth)
    return result


def balance_ask(seed: int) -> Study:
    """The effects of ``ursuppe balance ask``: neutral prices and *paid* of genes, and ordinary games."""
    shifted = {"speed": -6.0, "spores": 6.0, "defense": 6.0}
    result, study = Study(), worths.planted_study(1200, variants=("before", "after"))
    rows = pl.concat(
        [
            worths.planted_trials(study, 2 * seed),
            worths.planted_trials(study, 2 * seed + 1, shifted=shifted, variant=1),
        ]
    )
    printed, dearer = Ruleset(), Ruleset(price={"speed": 9})
    games, ordinary = _ordinary(seed)
    question = Question(before=printed, after=dearer, agent="policy:default", games=1200)
    for effect in effects_of(question, rows, gene_worth(study, rows), compare(ordinary, games)).effects:
        if effect.figure in ("neutral_price", PAID):
            truth = shifted.get(effect.name, 0.0)
            if effect.figure == PAID and truth:
                id = GENE_NAMES.index(effect.name)
                rounds = list(worths.OPEN[id])
                truth *= float(np.average(worths.BP[rounds], weights=worths.PAYABLE[rounds]))
        else:
            truth = _ordinary_truth(effect.figure, effect.name)
        result.interval(effect.figure, effect.difference, truth)
        result.statement(
            np.sign(effect.difference.estimate) if effect.is_different and effect.difference else 0.0, truth
        )
    return result


def start_places(seed: int) -> Study:
    """Wins by start place before and after a change, and how uneven they are."""
    result = Study()
    games, study = _ordinary(seed)
    compared = Compared("planted", study, games, compare(study, games))
    for variant, effect in ((0, 0.0), (1, 1.0)):
        truth = np.full(_CORRECTIONS.players, 1 / _CORRECTIONS.players)
        truth = truth if not effect else truth + np.array([-0.05, 0.0, 0.05])
        for place, figure in enumerate(compared.comparison.of(0, variant, "wins_by_start_place").values()):
            result.interval("wins of a place", figure.value, truth[place])
        result.interval("unevenness", unevenness(compared, 0, variant).interval(), float(truth.std()))
    for figure in compared.comparison.of(0, 1, "wins_by_start_place").values():
        difference = _ordinary_truth("wins_by_start_place", figure.name)
        result.interval("difference of a place", figure.difference, difference)
        sign = np.sign(figure.difference.estimate) if figure.is_different and figure.difference else 0.0
        result.statement(sign, difference)
    return result


def _ordinary(seed: int) -> tuple[pl.DataFrame, VariantStudy]:
    """Games before and after a change with the planted effects."""
    games = games_of(_CORRECTIONS, seed, _REAL)
    names = [name for name, _ in _CORRECTIONS.rulesets]
    after = names.index("own_clinging")
    pair = pl.concat(
        [games.filter(variant=0), games.filter(variant=after).with_columns(pl.lit(1, pl.Int64).alias("variant"))]
    )
    printed = Ruleset(players=_CORRECTIONS.players)
    study = VariantStudy(
        name="planted",
        lineups=(("hunter",),),
        num_games=_CORRECTIONS.ordinary_games,
        seed=0,
        variants=(("before", printed), ("after", printed)),
        measures=("genes_bought", "wins_by_start_place", "rounds"),
    )
    return pair.drop("markers/winner ahead of second"), study


def _ordinary_truth(figure: str, name: str) -> float:
    named = {"wins_by_start_place": name, "rounds": "rounds", "genes_bought": "bought"}[figure]
    return true_effect(named, "own_clinging", _REAL, _CORRECTIONS.players)


def predictions(seed: int) -> Study:
    """How far predictions are apart from what was played, and which genes they get wrong, over random rulesets."""
    result, generator = Study(), np.random.default_rng(seed)
    biased, apart, error = {"speed": 0.03, "armour": -0.03}, 0.02, 0.03
    predicted: dict[tuple[str, str], Bootstrapped] = {}
    played: dict[tuple[str, str], Bootstrapped] = {}
    for number in range(40):
        for gene in GENE_NAMES:
            truth = 0.05 * generator.standard_normal()
            foretold = truth + biased.get(gene, 0.0) + apart * generator.standard_normal()
            for found, value in ((predicted, foretold), (played, truth)):
                estimate = value + error * generator.standard_normal()
                resampled = estimate + error * generator.standard_normal(400)
                found[f"ruleset-{number}", gene] = Bootstrapped(estimate, resampled)
    found = quality("paid", predicted, played, 100)
    assert found is not None
    square = apart**2 + sum(bias**2 for bias in biased.values()) / len(GENE_NAMES)
    result.interval("apart beyond chance", found.beyond_chance, 100 * square**0.5)
    for bias in biases(found):
        truth = 100 * biased.get(bias.gene, 0.0)
        result.interval("bias of a gene", bias.mean, truth)
        result.statement(np.sign(bias.mean.estimate) if bias.is_shown else 0.0, truth)
    return result


METHODS: dict[str, Callable[[int], Study]] = {
    method.__name__: method
    for method in (
        genes,
        bars_of_one_agent,
        bars_of_three_agents,
        corrections_advice,
        corrections_of_genes,
        balance_ask,
        start_places,
        predictions,
    )
}


def rows_of(method: str, studies: Iterable[Study]) -> Iterator[tuple[str, str, str, str]]:
    """Of a method: what was counted, how many of them, the share, and its simulation error."""
    studies = list(studies)
    for kind in dict.fromkeys(kind for study in studies for kind in study.held):
        yield _row(method, f"coverage: {kind}", [study.held[kind] for study in studies if kind in study.held])
    yield _row(method, "found", [study.planted for study in studies if study.planted])
    shares = np.array([study.false_share for study in studies])
    called = sum(len(study.called) for study in studies)
    yield method, "false discoveries", f"{called:,}", f"{100 * shares.mean():.1f} ± {100 * _error(shares):.1f}"


def _row(method: str, what: str, by_study: list[list[bool]]) -> tuple[str, str, str, str]:
    """A share of all, whose error is that of studies: what is of one study is not independent."""
    counts = np.array([len(found) for found in by_study])
    hits = np.array([sum(found) for found in by_study])
    share = hits.sum() / counts.sum()
    error = _error((hits - share * counts) / counts.mean())
    return method, what, f"{counts.sum():,}", f"{100 * share:.1f} ± {100 * error:.1f}"


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / len(values) ** 0.5) if len(values) > 1 else float("nan")


def main() -> None:
    """Simulate, and print a table for each method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200, help="that are simulated of each method")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    given = parser.parse_args()
    console = Console(width=110)
    for name in given.methods:
        table = Table("method", "what", "cases", "%", title=f"{given.studies} studies")
        for row in rows_of(name, (METHODS[name](seed) for seed in range(given.studies))):
            table.add_row(*row)
        console.print(table)


if __name__ == "__main__":
    main()
