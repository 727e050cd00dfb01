"""The studies of the game as it is printed, and their results.

Those of ``EDITIONS`` and ``GENES``, and ``FAIRER``, come with the package, with their own numbers of games; the others
are made of them here. Each is kept in a folder of its name: what is there already is not played again. Of a study that
comes with the package that is what ``ursuppe balance NAME --out FOLDER/NAME`` keeps.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import polars as pl

from studies.bids import Bids, bid_study, measure_bids
from studies.duel import OF_FIRST_TO_CHOOSE, OF_LEADING_SIDE, OF_PLACES
from studies.pages import OnProgress
from ursuppe_agents.evaluator import Origin
from ursuppe_agents.registry import agent_spec, parameters_of
from ursuppe_lab.arena import Summary, Tournament, make_lineups, play_tournament
from ursuppe_lab.arena.lineups import MIXED, Lineup
from ursuppe_lab.balance import (
    Comparison,
    FairerGame,
    FairerSearch,
    GeneStudy,
    TrialFigures,
    VariantStudy,
    compare_variants,
    measure_genes,
    read_study,
    search_fairer,
)
from ursuppe_lab.balance.figures.spread import Gains, gains
from ursuppe_lab.balance.figures.worth import judged
from ursuppe_lab.balance.study import Study
from ursuppe_lab.jobs.folder import origin_of

NEW, OLD = "1998", "1997"
DUELLIST = "policy:duel"
#: Each compares NEW, its base, with OLD. Those of TABLES are played by the policy for as many players.
TABLES = {
    3: "editions_3_players_trained",
    4: "editions_trained",
    5: "editions_5_players_trained",
    6: "editions_6_players_trained",
}
EDITIONS = ("editions", "editions_3_players", TABLES[4], TABLES[3], TABLES[5], TABLES[6])
GENES = ("genes_trained", "genes", "genes_greedy")  # the first one has all settings, of the policy
FAIRER = "fairer_prices"
DUEL, BIDS, RATINGS = "duel", "bids", "ratings"  # those that are made here
RATING_GAMES = 400  # at each table of the tournament in which the agents are rated

S = TypeVar("S", VariantStudy, GeneStudy, FairerSearch)


@dataclass(frozen=True)
class Setting:
    """Which game it is."""

    players: int
    edition: str

    def __str__(self) -> str:
        return f"{self.players} players, {self.edition}"


@dataclass(frozen=True)
class Compared:
    """A study of variants that is done."""

    name: str  # of its folder
    study: VariantStudy  # what was played
    games: pl.DataFrame  # a row for each
    comparison: Comparison  # the figures

    @property
    def players(self) -> int:
        """P, of its base."""
        return self.study.ruleset(0).players

    @property
    def agents(self) -> list[str]:
        """Who plays in each lineup, as the page names them."""
        return [agent_name(seated) for seated in self.study.lineups]

    def variant_of(self, edition: str) -> int:
        """The number of the first variant with this edition."""
        return next(number for number, (_, ruleset) in enumerate(self.study.variants) if ruleset.edition == edition)


@dataclass(frozen=True)
class Worths:
    """What genes are worth in a setting to one agent in all seats."""

    study: str  # name of the study's folder
    setting: Setting
    agent: str  # its name on the page
    trials: TrialFigures  # judged together with all others of the page
    gains: Gains | None  # what buying does, with the same resamples in both editions; None: there were too few games


@dataclass(frozen=True)
class StudyResults:
    """The results of all studies."""

    editions: list[Compared]  # studies that compare the editions
    duel: Compared  # the same of the two-player form, with the measures of ``duel.py``
    bids: dict[int, Bids]  # what start places are worth with each number of players
    worths: list[Worths]  # by study, then setting, then lineup
    ratings: Summary  # of all agents that genes were measured under in the first setting
    fairer: FairerGame  # the search for fairer prices
    origins: dict[str, Origin]  # of each policy that played, by what it played

    @property
    def tables(self) -> dict[int, Compared]:
        """Those of the policy for each number of players."""
        return {compared.players: compared for compared in self.editions if compared.name in TABLES.values()}

    @property
    def leading(self) -> list[Worths]:
        """Those of the first study, which has all settings."""
        return [found for found in self.worths if found.study == GENES[0]]

    @property
    def settings(self) -> list[Setting]:
        """Of the first study."""
        return list(dict.fromkeys(found.setting for found in self.leading))


def play_studies(
    folder: Path, workers: int | None = None, on_progress: OnProgress = lambda name, over, total: None
) -> StudyResults:
    """Play all studies, or what is left of them, each in a folder of its own; errors are those of the laboratory."""
    variants = {name: _read(VariantStudy, name) for name in EDITIONS}
    variants[DUEL] = duel_study(variants[TABLES[4]])
    trials = {name: _read(GeneStudy, name) for name in GENES}
    search = _read(FairerSearch, FAIRER)
    origins = origins_of([*variants.values(), *trials.values()])  # one that is not there shows before hours of games

    def watched(name: str, study: Study | Tournament | FairerSearch) -> Callable[[int], None]:
        return lambda over: on_progress(name, over, study.total_games)

    compared = {
        name: Compared(name, study, *compare_variants(study, folder / name, workers, on_progress=watched(name, study)))
        for name, study in variants.items()
    }
    bids = {}
    for players, table in TABLES.items():
        name, of_bids = f"{BIDS}_{players}_players", bid_study(variants[table])
        games = compared[table].games.filter(variant=0, lineup=0)
        bids[players] = measure_bids(of_bids, games, folder / name, workers, watched(name, of_bids))
    worths: list[Worths] = []
    for name, genes in trials.items():
        rows, worth = measure_genes(genes, folder / name, workers, on_progress=watched(name, genes))
        worths += worths_of(name, genes, rows, worth.trials)
    tournament = rating_tournament(trials.values())
    _, ratings = play_tournament(tournament, folder / RATINGS, workers, on_progress=watched(RATINGS, tournament))
    fairer = search_fairer(search, folder / FAIRER, workers, on_progress=watched(FAIRER, search))
    of_duel = compared.pop(DUEL)
    return StudyResults(list(compared.values()), of_duel, bids, judged_together(worths), ratings, fairer, origins)


def duel_study(table: VariantStudy) -> VariantStudy:
    """The same games as two players with two colours each play them."""
    measures = ("rounds", OF_LEADING_SIDE, OF_PLACES, OF_FIRST_TO_CHOOSE)
    return replace(table, name="The two-player form", lineups=((DUELLIST,),), measures=measures)


def rating_tournament(trials: Iterable[GeneStudy]) -> Tournament:
    """Mixed tables of all agents of these studies, each of which plays all seats in them."""
    found = list(trials)
    ruleset, seed = found[0].ruleset(0), found[0].seed
    lineups = make_lineups([agent for study in found for [agent] in study.lineups], ruleset.players, MIXED, seed)
    return Tournament(lineups=lineups, num_games=RATING_GAMES, ruleset=ruleset, seed=seed)


def origins_of(studies: Iterable[VariantStudy | GeneStudy]) -> dict[str, Origin]:
    """Where each policy that plays in these studies comes from, by its name on the page and the number of players."""
    seated = {
        (spec, ruleset.players)
        for study in studies
        for lineup in study.lineups
        for spec in lineup
        for _, ruleset in study.variants
    }
    origins = {origin_key(*one): origin_of(*one) for one in seated}
    return {key: origin for key, origin in sorted(origins.items()) if origin is not None}


def origin_key(spec: str, players: int) -> str:
    """What a policy plays, in words."""
    name, parameters = parameters_of(spec)
    model = agent_spec(name, **{key: value for key, value in parameters.items() if key == "model"})
    return f"`{model.replace('model=', '', 1)}` with {players} players"


def judged_together(worths: list[Worths]) -> list[Worths]:
    """The same, each gene judged among all of all studies."""
    trials = judged([found.trials for found in worths])
    return [replace(found, trials=one) for found, one in zip(worths, trials, strict=True)]


def worths_of(name: str, study: GeneStudy, rows: pl.DataFrame, trials: list[TrialFigures]) -> list[Worths]:
    """The figures of a study of genes, by setting and lineup."""
    worths = []
    for found in trials:
        ruleset, agent = study.ruleset(found.variant), agent_name(study.lineups[found.lineup])
        of_genes = _gains(study, rows, found.variant, found.lineup)
        worths.append(Worths(name, Setting(ruleset.players, ruleset.edition), agent, found, of_genes))
    return worths


def agent_name(lineup: Lineup) -> str:
    """Who plays: the agent that sits in every seat, or that they differ."""
    return f"`{lineup[0]}`" if len(set(lineup)) == 1 else "mixed"


def _gains(study: GeneStudy, rows: pl.DataFrame, variant: int, lineup: int) -> Gains | None:
    """As if the study had only the rulesets with as many players: those share their resamples."""
    players = study.ruleset(variant).players
    alike = [number for number in range(len(study.variants)) if study.ruleset(number).players == players]
    alone = replace(study, variants=tuple(study.variants[number] for number in alike))
    of_variant = rows.filter(variant=variant).with_columns(pl.lit(alike.index(variant), pl.Int64).alias("variant"))
    try:
        return gains(alone, of_variant, alike.index(variant), lineup)
    except ValueError:  # too few games
        return None


def _read(kind: type[S], name: str) -> S:
    study = read_study(name)
    if not isinstance(study, kind):
        raise ValueError(f"study {name} is of kind {getattr(study, 'kind', None)!r}; it must be {kind.kind!r}")
    return study
