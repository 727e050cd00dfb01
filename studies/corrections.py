"""Would figures of the game of 1997 have advised what its designers changed in 1998?

Five numbers and eight rulings differ (docs/rules.md, sections 4 and 10). ``CORRECTIONS`` says of each, beforehand,
which genes it concerns and whether 1998 *favours* their owners or *restrains* them. The advice is taken from trials of
1997 alone: a gene that is cheap, because buying it raises the chance of winning, should be restrained; one that is dear
should be favoured; where neither is shown, there is no advice. So each advice can be right or wrong.

Beside it stands what the corrections do: each alone on top of 1997, and all at once, in games with the same dice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import stats  # type: ignore[import-untyped]

from studies.pages import farthest, listed, table, title
from studies.trials import OnProgress, gene_trials
from ursuppe_env import Ruleset
from ursuppe_lab.balance import GeneStudy, VariantStudy, compare_variants, measure_genes
from ursuppe_lab.balance.fairer import number_of
from ursuppe_lab.balance.figures.spread import gains, spread
from ursuppe_lab.balance.figures.verdicts import FEWEST_PAID
from ursuppe_lab.balance.figures.worth import by_game
from ursuppe_lab.balance.question import HORIZON
from ursuppe_lab.balance.study import Study, change
from ursuppe_lab.reports.text import NONE, percent, plain, value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval
from ursuppe_lab.statistics.discoveries import adjusted, p_value
from ursuppe_lab.statistics.ratios import MOST_CLUSTERS, Bootstrapped, ratios, sums_by_cluster

OLD, NEW = "1997", "1998"
ALL = "all corrections"

WORTH, SPREAD, BOUGHT, ROUNDS, LEAD = "worth", "spread", "bought", "rounds", "lead"

_MEASURES = ("wins_by_start_place", "genes_bought", "rounds", "markers")
_COLUMNS = {ROUNDS: "rounds/played", LEAD: "markers/winner ahead of second"}


class Direction(StrEnum):
    """What a correction does to the owners of its genes, and what figures advise."""

    FAVOURS = "favour"
    RESTRAINS = "restrain"


class Correction(NamedTuple):
    """One of the differences between the editions.

    Attributes:
        field: of the ruleset: a number of a gene, or a switch.
        direction: that it takes from 1997 to 1998.
        genes: whose owners feel it.
        why: in words.
        players: numbers of players with whom it makes a difference.
    """

    field: str
    direction: Direction
    genes: tuple[str, ...]
    why: str
    players: tuple[int, ...] = (3, 4)


#: Said before anything was measured: the direction of each number follows from what MP and cards are, that of each
#: ruling from what its owner may do in 1998 and not in 1997, or the other way round.
CORRECTIONS = (
    Correction("mutation_points.defense", Direction.RESTRAINS, ("defense",), "one MP more"),
    Correction("mutation_points.division_rate", Direction.FAVOURS, ("division_rate",), "one MP less"),
    Correction("mutation_points.aggression", Direction.FAVOURS, ("aggression",), "one MP less"),
    Correction("mutation_points.armour", Direction.RESTRAINS, ("armour",), "one MP more"),
    Correction("cards.substitution", Direction.RESTRAINS, ("substitution",), "one card less", (4,)),
    Correction("even_substitution", Direction.FAVOURS, ("substitution",), "meals of 3:1:0, too", (4,)),
    Correction("early_clinging", Direction.FAVOURS, ("holding",), "clings when it knows where to"),
    Correction("own_clinging", Direction.RESTRAINS, ("holding",), "own amoebas do not cling"),
    Correction("clinging_carries", Direction.RESTRAINS, ("holding", "tentacle"), "who clings carries no cubes"),
    Correction("paired_answers_once", Direction.FAVOURS, ("defense", "escape"), "both against every attack"),
    Correction("free_stay", Direction.FAVOURS, ("movement_2",), "may stay where it is"),
    Correction("same_victim", Direction.RESTRAINS, ("aggression", "endurance"), "second try at the same victim only"),
    Correction("hungry_aggressor", Direction.FAVOURS, ("aggression",), "no DP for who is beaten off"),
)


@dataclass(frozen=True, kw_only=True)
class Corrections:
    """What is played for one number of players.

    Args:
        players: 3 or 4.
        policies: specs of agents that see the rules and adapt; may be none.
        fixed: specs of agents that play the same whatever the rules.
        advice_games: of 1997, with trials, played to the end, under each agent.
        games: with trials, with each ruleset under each agent: predicted under policies.
        ordinary_games: with each ruleset under each agent.
        seed: of the games; advice and effects have dice of their own.

    Raises:
        ValueError: a value is out of its range; the message names it.
    """

    players: int
    policies: tuple[str, ...]
    fixed: tuple[str, ...] = ("hunter", "scavenger")
    advice_games: int = 2000
    games: int = 600
    ordinary_games: int = 4000
    seed: int = 1997

    def __post_init__(self) -> None:
        if self.players not in (3, 4):
            raise ValueError(f"players is {self.players}; it must be 3 or 4: the editions are of the game for these")
        _ = self.advice, self.worth_studies, self.ordinary

    @property
    def agents(self) -> tuple[str, ...]:
        """Specs of all agents, each of which sits in every seat."""
        return (*self.fixed, *self.policies)

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """Those that make a difference with so many players."""
        return tuple(correction for correction in CORRECTIONS if self.players in correction.players)

    @property
    def rulesets(self) -> tuple[tuple[str, Ruleset], ...]:
        """1997; 1997 with each correction alone, by its field; and 1998."""
        old, new = (Ruleset(players=self.players, edition=edition) for edition in (OLD, NEW))
        alone = [(one.field, old.replace(**change(one.field, number_of(new, one.field)))) for one in self.corrections]
        return ((OLD, old), *alone, (ALL, new))

    @property
    def advice(self) -> GeneStudy:
        """Trials of 1997 alone."""
        return self._trials("Genes in 1997", self.agents, self.rulesets[:1], self.advice_games, self.seed + 1)

    @property
    def worth_studies(self) -> dict[str, GeneStudy]:
        """Trials with every ruleset, by kind of agents: of fixed ones, and of those that adapt, if there are any."""
        found = {"fixed": self._trials("Genes under fixed agents", self.fixed, self.rulesets, self.games, self.seed)}
        if self.policies:
            name = "Genes under agents that adapt"
            predicted = replace(
                self._trials(name, self.policies, self.rulesets, self.games, self.seed), horizon=HORIZON
            )
            found["adapting"] = predicted
        return found

    @property
    def ordinary(self) -> VariantStudy:
        """Ordinary games with every ruleset."""
        return VariantStudy(
            name=f"Corrections, {self.players} players",
            lineups=tuple((agent,) for agent in self.agents),
            num_games=self.ordinary_games,
            seed=self.seed,
            variants=self.rulesets,
            measures=_MEASURES,
        )

    @property
    def total_games(self) -> int:
        """Of all studies."""
        return sum(study.total_games for study in (self.advice, *self.worth_studies.values(), self.ordinary))

    def _trials(
        self, name: str, agents: Sequence[str], variants: Sequence[tuple[str, Ruleset]], games: int, seed: int
    ) -> GeneStudy:
        return gene_trials(f"{name}, {self.players} players", agents, variants, games, seed)


@dataclass(frozen=True)
class Advice:
    """What the figures of 1997 say about the genes of a correction.

    Attributes:
        players: P.
        agent: its spec.
        correction: that was made.
        paid: what buying one of its genes did to the chance of winning in 1997; None if that could be paid too rarely.
        p: p-value of *paid* by itself.
        adjusted_p: the same, adjusted for all of the section.
    """

    players: int
    agent: str
    correction: Correction
    paid: Interval | None
    p: float | None
    adjusted_p: float | None = None

    @property
    def direction(self) -> Direction | None:
        """What it advises; None where it is not shown that the genes are cheap or dear."""
        if self.paid is None or self.adjusted_p is None or self.adjusted_p > FALSE_DISCOVERIES:
            return None
        return Direction.RESTRAINS if self.paid.estimate > 0 else Direction.FAVOURS

    @property
    def is_hit(self) -> bool:
        """Did the designers go that way?"""
        return self.direction == self.correction.direction


@dataclass(frozen=True)
class CorrectionEffect:
    """What a correction does to a figure.

    Attributes:
        players: P.
        agent: its spec.
        correction: its field, or ``ALL``.
        figure: ``WORTH`` (*paid* of its genes), ``SPREAD`` of all genes, ``BOUGHT`` (the share of players who ever buy
            one of its genes, by gene), ``place 1`` and so on (wins), ``ROUNDS``, or ``LEAD``.
        before: in 1997; None if it was seen too rarely to say.
        difference: with the correction, less before.
        p: p-value of the difference by itself.
        adjusted_p: the same, adjusted for all of the section.
    """

    players: int
    agent: str
    correction: str
    figure: str
    before: Interval | None
    difference: Interval | None
    p: float | None
    adjusted_p: float | None = None

    @property
    def is_shown(self) -> bool:
        """Does the correction do anything to it, beyond what chance gives to one of so many figures?"""
        return self.adjusted_p is not None and self.adjusted_p <= FALSE_DISCOVERIES


class HitRate(NamedTuple):
    """How often advice went the designers' way.

    Attributes:
        hits: how many.
        advised: of so many.
        silent: corrections of which the figures said nothing.
        share: with its exact binomial interval (Clopper and Pearson); None if there was no advice.
    """

    hits: int
    advised: int
    silent: int
    share: Interval | None


@dataclass(frozen=True)
class FoundCorrections:
    """What came out.

    Attributes:
        studies: what was played, for each number of players.
        advice: by number of players, agent and correction; judged together with the effects.
        effects: by number of players and agent.
    """

    studies: tuple[Corrections, ...]
    advice: tuple[Advice, ...]
    effects: tuple[CorrectionEffect, ...]

    def advice_of(self, players: int, agent: str) -> list[Advice]:
        """By correction."""
        return [one for one in self.advice if (one.players, one.agent) == (players, agent)]

    def effects_of(self, players: int, agent: str, correction: str) -> dict[str, CorrectionEffect]:
        """By figure."""
        key = players, agent, correction
        return {one.figure: one for one in self.effects if (one.players, one.agent, one.correction) == key}

    @property
    def p_values(self) -> list[float]:
        """Adjusted, of all that is said: one of all advice that is the same."""
        advice = {(one.players, one.agent, one.correction.genes): one.adjusted_p for one in self.advice}
        return [p for p in (*advice.values(), *(one.adjusted_p for one in self.effects)) if p is not None]


def hit_rate(advice: Sequence[Advice]) -> HitRate:
    """How often the designers did what the figures advised."""
    given = [one for one in advice if one.direction is not None]
    hits = sum(one.is_hit for one in given)
    return HitRate(hits, len(given), len(advice) - len(given), binomial(hits, len(given)))


def binomial(hits: int, tries: int) -> Interval | None:
    """A share with its exact interval; None of no tries."""
    if tries == 0:
        return None
    ends = stats.binomtest(hits, tries).proportion_ci(0.95, method="exact")
    return Interval(hits / tries, float(ends.low), float(ends.high))


def play_corrections(
    studies: Sequence[Corrections],
    folder: Path,
    workers: int | None = None,
    on_progress: OnProgress = lambda name, over, total: None,
) -> FoundCorrections:
    """Play the studies, or what is left of them.

    Args:
        studies: one for each number of players.
        folder: gets a folder for each study.
        workers: processes; None: one per core.
        on_progress: is told how far it is.

    Raises:
        AgentError: an agent crashed; the parts that are done are kept.
        ValueError: an agent does not exist, or foretells nothing, or a folder holds something else, or there were too
            few games.
        OSError: a folder cannot be read or written.
    """
    advice: list[Advice] = []
    effects: list[CorrectionEffect] = []
    for one in studies:

        def watched(name: str, study: Study) -> Callable[[int], None]:
            return lambda over: on_progress(name, over, study.total_games)

        def trials(name: str, study: GeneStudy) -> pl.DataFrame:
            return measure_genes(study, folder / name, workers, on_progress=watched(name, study))[0]

        rows = trials(f"advice-{one.players}", one.advice)
        advice += advice_of(one, rows)
        for kind, study in one.worth_studies.items():
            name = f"worth-{kind}-{one.players}"
            effects += effects_on_genes(one, study, trials(name, study))
        name = f"games-{one.players}"
        games, _ = compare_variants(one.ordinary, folder / name, workers, on_progress=watched(name, one.ordinary))
        effects += effects_on_games(one, games)
    return judged(studies, advice, effects)


def judged(
    studies: Sequence[Corrections], advice: Sequence[Advice], effects: Sequence[CorrectionEffect]
) -> FoundCorrections:
    """Put together what was found, at one false discovery rate for all of it.

    Corrections of the same genes have the same advice, which is one statement.
    """
    same = {(one.players, one.agent, one.correction.genes): one.p for one in advice}
    p_values = adjusted([*same.values(), *(one.p for one in effects)])
    of_advice = dict(zip(same, p_values, strict=False))
    return FoundCorrections(
        tuple(studies),
        tuple(replace(one, adjusted_p=of_advice[one.players, one.agent, one.correction.genes]) for one in advice),
        tuple(replace(one, adjusted_p=p) for one, p in zip(effects, p_values[len(same) :], strict=True)),
    )


def advice_of(corrections: Corrections, rows: pl.DataFrame) -> list[Advice]:
    """What the trials of 1997 say about the genes of each correction, under each agent, not yet judged."""
    study, found = corrections.advice, []
    for lineup, agent in enumerate(corrections.agents):
        paid = _paid(study, rows, 0, lineup, {one.genes for one in corrections.corrections})
        clusters = min(study.num_seeds(0, lineup), MOST_CLUSTERS)
        for one in corrections.corrections:
            figure = paid.get(one.genes)
            p = None if figure is None else p_value(figure, clusters)
            found.append(Advice(corrections.players, agent, one, figure and figure.interval(), p))
    return found


def effects_on_genes(corrections: Corrections, study: GeneStudy, rows: pl.DataFrame) -> list[CorrectionEffect]:
    """What each correction does to the worth of its genes, and to how unequal all genes are; not yet judged.

    Raises:
        ValueError: there were too few games.
    """
    effects = []
    for lineup, (agent,) in enumerate(study.lineups):
        genes = {one.genes for one in corrections.corrections}
        paid = [_paid(study, rows, variant, lineup, genes) for variant in range(len(study.variants))]
        spreads = [spread([gains(study, rows, variant, lineup)]) for variant in range(len(study.variants))]
        clusters = min(study.num_seeds(0, lineup), MOST_CLUSTERS)
        for variant, (name, _) in enumerate(study.variants[1:], 1):
            figures = {SPREAD: (spreads[0], spreads[variant])}
            for one in corrections.corrections:
                if one.field == name and one.genes in paid[0] and one.genes in paid[variant]:
                    figures[WORTH] = paid[0][one.genes], paid[variant][one.genes]
            effects += _effects(corrections, agent, name, figures, clusters)
    return effects


def effects_on_games(corrections: Corrections, rows: pl.DataFrame) -> list[CorrectionEffect]:
    """What each correction does to purchases, start places, length and lead; not yet judged."""
    study, effects = corrections.ordinary, []
    columns = _COLUMNS | {
        f"place {place}": f"wins_by_start_place/place {place}" for place in range(1, corrections.players + 1)
    }
    for one in corrections.corrections:
        of_genes = [pl.col(f"genes_bought/{gene}") for gene in one.genes]
        rows = rows.with_columns(pl.mean_horizontal(of_genes).alias(_bought(one)))
    names = [*columns.values(), *(_bought(one) for one in corrections.corrections)]
    for lineup, agent in enumerate(corrections.agents):
        seeds = study.num_seeds(0, lineup)
        found = [
            ratios(
                sums_by_cluster(rows.filter(variant=variant, lineup=lineup), seeds, dict.fromkeys(names)),
                study.generator(variant),
            )
            for variant in range(len(study.variants))
        ]
        for variant, (name, _) in enumerate(study.variants[1:], 1):
            figures = {figure: (found[0][column], found[variant][column]) for figure, column in columns.items()}
            for one in corrections.corrections:
                if one.field == name:
                    figures[BOUGHT] = found[0][_bought(one)], found[variant][_bought(one)]
            effects += _effects(corrections, agent, name, figures, min(seeds, MOST_CLUSTERS))
    return effects


def _effects(
    corrections: Corrections,
    agent: str,
    name: str,
    figures: dict[str, tuple[Bootstrapped, Bootstrapped]],
    clusters: int,
) -> list[CorrectionEffect]:
    effects = []
    for figure, (before, after) in figures.items():
        apart = after.minus(before)
        difference, p = apart.interval(), p_value(apart, clusters)
        effects.append(CorrectionEffect(corrections.players, agent, name, figure, before.interval(), difference, p))
    return effects


def _paid(
    study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int, of_genes: set[tuple[str, ...]]
) -> dict[tuple[str, ...], Bootstrapped]:
    """What buying one of some genes does, where it can be paid: of those that could be paid often enough."""
    games = by_game(rows.filter(variant=variant, lineup=lineup), study, variant)
    columns = {
        f"{part} {'+'.join(genes)}": pl.sum_horizontal(f"{part}_{gene}" for gene in genes)
        for genes in of_genes
        for part in ("paid", "payable")
    }
    games = games.with_columns(**columns)
    known = sorted(genes for genes in of_genes if games[f"payable {'+'.join(genes)}"].sum() >= FEWEST_PAID)
    denominators: dict[str, str | None] = {f"paid {'+'.join(genes)}": f"payable {'+'.join(genes)}" for genes in known}
    found = ratios(sums_by_cluster(games, study.num_seeds(variant, lineup), denominators), study.generator(variant))
    named = {genes: found[f"paid {'+'.join(genes)}"] for genes in known}
    return {genes: figure for genes, figure in named.items() if np.isfinite(figure.estimate)}


def _bought(correction: Correction) -> str:
    return f"bought/{'+'.join(correction.genes)}"


_ADVICE = {Direction.FAVOURS: "favour", Direction.RESTRAINS: "restrain", None: "no advice"}
#: Figures of the table, with their headings, factors and forms.
_FIGURES = {
    WORTH: ("worth of its genes", 100, "+.1f"),
    BOUGHT: ("players who buy them, %", 100, "+.1f"),
    SPREAD: ("spread of all genes", 100, "+.1f"),
    ROUNDS: ("rounds", 1, "+.2f"),
    LEAD: ("winner's lead", 1, "+.2f"),
}


def correction_tables(found: FoundCorrections) -> dict[str, str]:
    """The corrections, what was advised with each number of players, and what they do under each agent."""
    rows = [
        [f"`{one.field}`", one.why, listed([title(gene) for gene in one.genes]), one.direction, _players(one)]
        for one in CORRECTIONS
    ]
    known = found.p_values
    tables = {
        "corrections made": table(["what differs", "in 1998", "genes", "designers", "players"], rows, texts=5),
        "corrections shown": f"{sum(p <= FALSE_DISCOVERIES for p in known)} of {len(known)}",
    }
    for study in found.studies:
        tables[f"corrections advice {study.players}"] = _advice_table(study, found)
        for agent in study.agents:
            tables[f"corrections effects {study.players} {agent}"] = _effects_table(study, found, agent)
    return tables


def _players(correction: Correction) -> str:
    return listed([str(players) for players in correction.players])


def _advice_table(study: Corrections, found: FoundCorrections) -> str:
    advice = {agent: found.advice_of(study.players, agent) for agent in study.agents}
    rows = [
        [f"`{one.field}`", one.direction, *(_advice(advice[agent][number]) for agent in study.agents)]
        for number, one in enumerate(study.corrections)
    ]
    rates = ["**as the designers did**", "", *(_rate(hit_rate(advice[agent])) for agent in study.agents)]
    heading = ["correction", "designers", *(f"`{agent}`" for agent in study.agents)]
    return table(heading, [*rows, rates], texts=len(heading))


def _advice(one: Advice) -> str:
    mark = "" if one.direction is None else " ✓" if one.is_hit else " ✗"
    return f"{value(one.paid, '+.1f', 100)}: {_ADVICE[one.direction]}{mark}"


def _rate(rate: HitRate) -> str:
    said = "" if rate.share is None else f"{rate.hits} of {rate.advised}, {percent(rate.share)}; "
    return f"{said}no advice on {rate.silent}"


def _effects_table(study: Corrections, found: FoundCorrections, agent: str) -> str:
    places = [f"place {place}" for place in range(1, study.players + 1)]
    rows = []
    for name in (*(one.field for one in study.corrections), ALL):
        of_it = found.effects_of(study.players, agent, name)
        cells = [_effect(of_it.get(figure), factor, form) for figure, (_, factor, form) in _FIGURES.items()]
        cells += [_effect(of_it.get(place), 100, "+.1f") for place in places]
        rows.append([name if name == ALL else f"`{name}`", *cells])
    heading = ["correction", *(said for said, _, _ in _FIGURES.values()), *(f"wins from {place}" for place in places)]
    return table(heading, rows)


def _effect(effect: CorrectionEffect | None, factor: float, form: str) -> str:
    """The difference and how far its interval reaches, bold if it is shown."""
    if effect is None or effect.difference is None:
        return NONE
    difference = effect.difference.times(factor)
    text = plain(difference.estimate, form)
    if difference.ends is not None:
        text += f" ± {plain(farthest(difference, difference.estimate), form).lstrip('+')}"
    return f"**{text}**" if effect.is_shown else text
