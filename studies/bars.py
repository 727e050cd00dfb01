"""Does balance that was found with fixed agents survive when agents adapt?

Three sets of prices: those that are printed, those that a search finds under *fixed* agents, who play the same whatever
a gene costs, and those that a search finds under agents that *adapt*, because they see the prices. Each of the three is
played by both kinds of agents, on dice that no search has seen. What is compared is how unequal the genes are
(``ursuppe_lab.balance.figures.spread``), in points of the chance of winning and in BP.

Fixed agents stand for themselves; their intervals are those of the games. Policies of several trainings stand for all
that such a training may bring forth: each has dice of its own, and intervals contain how far policies differ
(``ursuppe_lab.statistics.random_effects``). All but the last of them search together, and the last one says whether
what they have found holds for one that has not searched. All trials are played to the end, in the searches, too:
predictions exaggerate, and a search that follows them overshoots.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from studies.pages import bold, table, title
from studies.trials import OnProgress, gene_trials
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_lab.balance import FairerSearch, GeneStudy, measure_genes, try_candidates
from ursuppe_lab.balance.fairer import best_of
from ursuppe_lab.balance.figures.spread import gains, surplus_variance
from ursuppe_lab.balance.files import keep_ruleset
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.discoveries import adjusted, p_value
from ursuppe_lab.statistics.random_effects import mean_of_agents, p_of_agents, together_of
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped

#: The agents that play, and the prices that a search under them has found.
FIXED, ADAPTING = "fixed", "adapting"
PRINTED = "printed"
KINDS, PRICES = (FIXED, ADAPTING), (PRINTED, FIXED, ADAPTING)
#: In which the spread is told: of gains, and of surpluses.
POINTS, BP = "points", "BP"
UNITS = (POINTS, BP)

_LOWEST, _HIGHEST = 0, 12  # BP: the prices that a training on varied rulesets has


@dataclass(frozen=True, kw_only=True)
class Bars:
    """What is played for one number of players.

    Args:
        players: P.
        policies: specs of those that adapt, of trainings that have nothing in common; all but the last one search. One
            alone searches, too, and stands for itself.
        fixed: specs of agents that do not look at prices.
        games: with each set of prices, of each agent.
        search_games: with each candidate, of all agents that search together; each plays as many of them.
        candidates: of each search.
        seed: of all games; searches, and each policy, have dice of their own that follow from it.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    players: int
    policies: tuple[str, ...]
    fixed: tuple[str, ...] = ("hunter", "scavenger")
    games: int = 2000
    search_games: int = 2000
    candidates: int = 8
    seed: int = 2027

    def __post_init__(self) -> None:
        for name in ("policies", "fixed"):
            if not getattr(self, name):
                raise ValueError(f"{name} is empty; it must name at least one agent")
        for kind in KINDS:
            self.search(kind)

    @property
    def printed(self) -> Ruleset:
        """The game as it is printed."""
        return Ruleset(players=self.players)

    def agents(self, kind: str) -> tuple[str, ...]:
        """Specs of the agents of a kind."""
        return self.fixed if kind == FIXED else self.policies

    def searchers(self, kind: str) -> tuple[str, ...]:
        """Specs of the agents of a kind that prices are searched with."""
        return self.fixed if kind == FIXED else self.policies[:-1] or self.policies

    def search(self, kind: str) -> FairerSearch:
        """For prices with which all genes are about as good a buy to agents of this kind."""
        name = f"Fairer prices under {kind} agents, {self.players} players"
        seed = self._seed(1, KINDS.index(kind))
        searchers = self.searchers(kind)
        trials = gene_trials(name, searchers, [("base", self.printed)], -(-self.search_games // len(searchers)), seed)
        numbers = tuple(
            (f"price.{gene}", _LOWEST, _HIGHEST)
            for gene, cards in zip(GENE_NAMES, self.printed.cards, strict=True)
            if cards
        )
        return FairerSearch(trials=trials, numbers=numbers, candidates=self.candidates, check_games=self.games)

    def reports(self, kind: str, found: dict[str, Ruleset]) -> list[GeneStudy]:
        """The trials that are reported: one study of all fixed agents, one of each policy."""
        name = f"Prices under {kind} agents, {self.players} players"
        together = [self.fixed] if kind == FIXED else [(policy,) for policy in self.policies]
        return [
            gene_trials(name, agents, list(found.items()), self.games, self._seed(2, KINDS.index(kind), number))
            for number, agents in enumerate(together)
        ]

    @property
    def total_games(self) -> dict[str, int]:
        """All games of each kind of agents."""
        found = dict.fromkeys(PRICES, self.printed)
        return {
            kind: self.candidates * self.search(kind).trials.total_games
            + sum(study.total_games for study in self.reports(kind, found))
            for kind in KINDS
        }

    def _seed(self, *key: int) -> int:
        """Of dice that nothing else has."""
        return int(np.random.SeedSequence([self.seed, self.players, *key]).generate_state(1, np.uint64)[0])


@dataclass(frozen=True)
class Bar:
    """How unequal the genes are with some prices, under agents of a kind.

    Attributes:
        variances: of each agent: the spread's square, less what chance gives; may be negative.
        is_sample: do the agents stand for all of their kind? Else for themselves.
        clusters: seeds, or groups of them, that the resamples of an agent are made of.
    """

    variances: tuple[Bootstrapped, ...]
    is_sample: bool
    clusters: int

    @cached_property
    def spread(self) -> Interval | None:
        """The root of the mean variance of the agents; None if there are too few games to say."""
        mean = _mean(self.variances, self.is_sample)
        if mean is None:
            return None
        low, high = (None if end is None else max(end, 0.0) ** 0.5 for end in mean[1:])
        return Interval(max(mean.estimate, 0.0) ** 0.5, low, high)

    @property
    def spreads_of_agents(self) -> list[Interval | None]:
        """The spread of each agent by itself, with the interval of its games; None if there are too few to say."""
        return [Bar((variance,), False, self.clusters).spread for variance in self.variances]

    def minus(self, other: "Bar") -> "Change":
        """How much larger this spread is, by pairs: of the same agents, with the same dice."""
        apart = tuple(one.minus(another) for one, another in zip(self.variances, other.variances, strict=True))
        if not np.isfinite([one.estimate for one in apart]).all():
            return Change(None, None)
        p = p_of_agents(apart) if self.is_sample else p_value(together_of(apart), self.clusters)
        return Change(rooted(_mean(apart, self.is_sample), self.spread, other.spread), p)


class Change(NamedTuple):
    """Of a spread.

    Attributes:
        interval: with its estimate; None if there are too few games to say.
        p: p-value by itself; None if there is no interval.
    """

    interval: Interval | None
    p: float | None


class Contrast(NamedTuple):
    """Two bars that are compared: the same agents with other prices.

    Attributes:
        agents: their kind.
        prices: of the one.
        against: those of the other.
    """

    agents: str
    prices: str
    against: str


#: What the section says: did the search work, does it survive adaptation, does a search with adaptation do better?
CONTRASTS = (
    Contrast(FIXED, FIXED, PRINTED),
    Contrast(ADAPTING, FIXED, PRINTED),
    Contrast(ADAPTING, ADAPTING, PRINTED),
    Contrast(ADAPTING, ADAPTING, FIXED),
    Contrast(FIXED, ADAPTING, PRINTED),
)


@dataclass(frozen=True)
class FoundBars:
    """What came out for one number of players.

    Attributes:
        bars: what was played.
        rulesets: by the name of the prices.
        spreads: by unit, kind of agents and prices.
    """

    bars: Bars
    rulesets: dict[str, Ruleset]
    spreads: dict[tuple[str, str, str], Bar]

    def change(self, unit: str, contrast: Contrast) -> Change:
        """How much larger the spread is with the prices of the contrast than with those that they are compared with."""
        there, before = ((unit, contrast.agents, prices) for prices in (contrast.prices, contrast.against))
        return self.spreads[there].minus(self.spreads[before])


def play_bars(
    bars: Bars, folder: Path, workers: int | None = None, on_progress: OnProgress = lambda name, over, total: None
) -> FoundBars:
    """Search and play, or what is left of it.

    Args:
        bars: what is played.
        folder: gets a folder for each search and each study, and of each set of prices that was found a ruleset file,
            ``fixed.toml``, and settings to train a specialist with, ``train-fixed.toml``.
        workers: processes; None: one per core.
        on_progress: is told how far it is.

    Raises:
        AgentError: an agent crashed; the parts that are done are kept.
        ValueError: an agent does not exist, or a folder holds something else, or there were too few games.
        OSError: a folder cannot be read or written.
    """
    found = {PRINTED: bars.printed}
    for kind in KINDS:
        search = bars.search(kind)
        total = search.candidates * search.trials.total_games
        name = f"search-{kind}"

        def searched(over: int, name: str = name, total: int = total) -> None:
            on_progress(name, over, total)

        best = best_of(try_candidates(search, folder / name, workers, on_progress=searched))
        found[kind] = search.changed(best.values)
        keep_ruleset(folder, kind, found[kind])
    played: dict[str, list[tuple[GeneStudy, pl.DataFrame]]] = {}
    for kind in KINDS:
        for number, study in enumerate(bars.reports(kind, found)):
            name = f"report-{kind}-{number}"

            def reported(over: int, name: str = name, total: int = study.total_games) -> None:
                on_progress(name, over, total)

            rows, _ = measure_genes(study, folder / name, workers, on_progress=reported)
            played.setdefault(kind, []).append((study, rows))
    return FoundBars(bars, found, measured_bars(played))


def measured_bars(played: dict[str, list[tuple[GeneStudy, pl.DataFrame]]]) -> dict[tuple[str, str, str], Bar]:
    """The bars of trials.

    Args:
        played: by kind of agents: studies of the same rulesets, each with dice of its own; and their trials.

    Raises:
        ValueError: there were too few games.
    """
    found = {}
    for kind, studies in played.items():
        names = [name for name, _ in studies[0][0].variants]
        for variant, prices in enumerate(names):
            for unit in UNITS:
                variances = tuple(
                    _variance(unit, study, rows, variant, lineup)
                    for study, rows in studies
                    for lineup in range(len(study.lineups))
                )
                clusters = min(min(study.num_seeds(variant, 0) for study, _ in studies), MOST_CLUSTERS)
                found[unit, kind, prices] = Bar(variances, len(studies) > 1, clusters)
    return found


def adjusted_changes(found: Sequence[FoundBars]) -> dict[tuple[int, str, Contrast], tuple[Change, float | None]]:
    """By number of players, unit and contrast: each change, and its p-value adjusted for all of the section."""
    changes = {
        (one.bars.players, unit, contrast): one.change(unit, contrast)
        for one in found
        for unit in UNITS
        for contrast in CONTRASTS
    }
    p_values = adjusted([change.p for change in changes.values()])
    return {key: (change, p) for (key, change), p in zip(changes.items(), p_values, strict=True)}


def _variance(unit: str, study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> Bootstrapped:
    if unit == BP:
        return surplus_variance(study, rows, variant, lineup)
    variance = gains(study, rows, variant, lineup).variance()
    return variance.times(100**2)  # points


def _mean(variances: Sequence[Bootstrapped], is_sample: bool) -> Interval | None:
    if not np.isfinite([variance.estimate for variance in variances]).all():
        return None
    return mean_of_agents(variances) if is_sample else together_of(variances).interval()


def rooted(of_variances: Interval | None, one: Interval | None, other: Interval | None) -> Interval | None:
    """The difference of two spreads, from that of their squares: 0 is in both intervals or in none.

    A difference of squares is one of spreads times their sum. Where both spreads are 0 nothing is known of that.
    """
    if of_variances is None or one is None or other is None or one.estimate + other.estimate == 0:
        return None
    return of_variances.times(1 / (one.estimate + other.estimate))


PRICES_IN_WORDS = {
    PRINTED: "as printed",
    FIXED: "found with fixed agents",
    ADAPTING: "found with agents that adapt",
}
AGENTS_IN_WORDS = {FIXED: "fixed agents", ADAPTING: "agents that adapt"}
_ASKED = {
    Contrast(FIXED, FIXED, PRINTED): "prices found with fixed agents, under these agents",
    Contrast(ADAPTING, FIXED, PRINTED): "the same prices, under agents that adapt",
    Contrast(ADAPTING, ADAPTING, PRINTED): "prices found with agents that adapt, under these agents",
    Contrast(ADAPTING, ADAPTING, FIXED): "the latter prices against the former, under agents that adapt",
    Contrast(FIXED, ADAPTING, PRINTED): "prices found with agents that adapt, under fixed agents",
}
_SAME = "the same prices: the search found none that are better"


def bar_tables(found: Sequence[FoundBars]) -> dict[str, str]:
    """All bars, those of each policy, what changed between them, and the prices; for each number of players."""
    spreads = [
        [
            str(one.bars.players),
            PRICES_IN_WORDS[prices],
            *(value(one.spreads[unit, kind, prices].spread, ".2f") for kind in KINDS for unit in UNITS),
        ]
        for one in found
        for prices in PRICES
    ]
    policies = [
        [
            str(one.bars.players),
            f"`{policy}`{', which has searched' if policy in one.bars.searchers(ADAPTING) else ''}",
            *(
                value(one.spreads[unit, ADAPTING, prices].spreads_of_agents[number], ".2f")
                for prices in (PRINTED, ADAPTING)
                for unit in UNITS
            ),
        ]
        for one in found
        for number, policy in enumerate(one.bars.policies)
    ]
    by_kind = [f"{AGENTS_IN_WORDS[kind]}, {unit}" for kind in KINDS for unit in UNITS]
    by_prices = [f"{PRICES_IN_WORDS[prices]}, {unit}" for prices in (PRINTED, ADAPTING) for unit in UNITS]
    judged = adjusted_changes(found)
    return {
        "bars spreads": table(["players", "prices", *by_kind], spreads, texts=2),
        "bars policies": table(["players", "policy", *by_prices], policies, texts=2),
        "bars changes": _changes(found, judged),
        "bars prices": _prices(found),
        "bars shown": f"{sum(is_shown(p) for _, p in judged.values())} of {len(judged)}",
    }


def is_shown(adjusted_p: float | None) -> bool:
    """Does a statement with this p-value stand?"""
    return adjusted_p is not None and adjusted_p <= FALSE_DISCOVERIES


def _changes(found: Sequence[FoundBars], judged: dict[tuple[int, str, Contrast], tuple[Change, float | None]]) -> str:
    rows = []
    for one in found:
        for contrast in CONTRASTS:
            of_units = (judged[one.bars.players, unit, contrast] for unit in UNITS)
            cells = [bold(change.interval, is_shown(p)) for change, p in of_units]
            if one.rulesets[contrast.prices] == one.rulesets[contrast.against]:
                cells = [_SAME] * len(UNITS)
            asked = _ASKED[contrast] + ("" if contrast.against == FIXED else ", against the printed ones")
            rows.append([str(one.bars.players), asked, *cells])
    return table(["players", "", *(f"spread, {unit}" for unit in UNITS)], rows, texts=2)


def _prices(found: Sequence[FoundBars]) -> str:
    columns = [(one, prices) for one in found for prices in (FIXED, ADAPTING)]
    heading = [f"{one.bars.players} players, {PRICES_IN_WORDS[prices]}" for one, prices in columns]
    printed = found[0].rulesets[PRINTED]
    rows = [
        [
            title(gene),
            str(printed.price[id]),
            *(str(one.rulesets[prices].price[id]) if one.bars.printed.cards[id] else "–" for one, prices in columns),
        ]
        for id, gene in enumerate(GENE_NAMES)
    ]
    return table(["gene", "printed", *heading], rows)
