"""The studies that the findings are made of, and their results.

They are those that come with the package, with their own numbers of games. Each is kept in a folder of its name, as
``ursuppe balance NAME --out FOLDER/NAME`` keeps it: what is there already is not played again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import polars as pl

from ursuppe_agents.arena.lineups import Lineup
from ursuppe_agents.balance import (
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
from ursuppe_agents.balance.files import AnyStudy
from ursuppe_agents.balance.spread import Gains, gains
from ursuppe_agents.balance.worth import judged
from ursuppe_env import Ruleset
from ursuppe_env.cli.progress import progress_bar

NEW, OLD = "1998", "1997"

EDITIONS = ("editions", "editions_3_players", "editions_trained")  # each compares NEW, its base, with OLD
GENES = ("genes", "genes_greedy", "genes_trained")  # the first one has all settings, and the leading agent first
PRICES = "prices"
FAIRER = "fairer_prices"
STUDIES = (*EDITIONS, *GENES, PRICES, FAIRER)

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
    """A study of variants that is done.

    Attributes:
        name: of its file.
        study: what was played.
        games: a row for each.
        comparison: the figures.
    """

    name: str
    study: VariantStudy
    games: pl.DataFrame
    comparison: Comparison

    @property
    def players(self) -> int:
        """P, of its base."""
        return self.study.ruleset(0).players

    @property
    def agents(self) -> list[str]:
        """Who plays in each lineup, as the page names them."""
        return [agent_name(seated) for seated in self.study.lineups]

    def games_at(self, lineup: int, variant: int) -> int:
        """How many were played."""
        return self.games.filter(lineup=lineup, variant=variant).height

    def variant_of(self, edition: str) -> int:
        """The number of the first variant with this edition."""
        return next(number for number, (_, ruleset) in enumerate(self.study.variants) if ruleset.edition == edition)


@dataclass(frozen=True)
class Worths:
    """What genes are worth in a setting to one agent in all seats.

    Attributes:
        study: name of the study's file.
        setting: players and edition.
        agent: its name on the page.
        trials: the figures, judged together with all others of the page.
        gains: what buying does, with the same resamples in both editions; None if there were too few games.
    """

    study: str
    setting: Setting
    agent: str
    trials: TrialFigures
    gains: Gains | None


@dataclass(frozen=True)
class Results:
    """The results of all studies.

    Attributes:
        editions: studies that compare the editions.
        worths: by study, then setting, then lineup.
        prices: the study of single prices.
        fairer: the search for fairer prices.
        studies: all that was played, by the name of its file.
    """

    editions: list[Compared]
    worths: list[Worths]
    prices: Compared
    fairer: FairerGame
    studies: dict[str, AnyStudy]

    @property
    def editions_by_players(self) -> dict[int, list[Compared]]:
        """The same studies by the number of players."""
        found: dict[int, list[Compared]] = {}
        for compared in self.editions:
            found.setdefault(compared.players, []).append(compared)
        return found

    @property
    def leading(self) -> list[Worths]:
        """Those of the first study, which has all settings."""
        return [found for found in self.worths if found.study == GENES[0]]

    @property
    def settings(self) -> list[Setting]:
        """Of the first study."""
        return list(dict.fromkeys(found.setting for found in self.leading))


def play_studies(folder: Path, workers: int | None = None) -> Results:
    """Play all studies, or what is left of them.

    Args:
        folder: has one for each study.
        workers: processes; None: one per core.

    Raises:
        AgentError: an agent crashed; the parts that are done are kept.
        ValueError: the folder of a study holds something else, or an agent does not exist.
        OSError: a folder cannot be read or written.
    """
    studies = {name: read_study(name) for name in STUDIES}
    with progress_bar() as progress:

        def watch(name: str) -> Callable[[int], None]:
            task = progress.add_task(name, total=studies[name].total_games)
            return lambda over: progress.update(task, completed=over)

        def compared(name: str) -> Compared:
            study = _of_kind(VariantStudy, name, studies[name])
            return Compared(name, study, *compare_variants(study, folder / name, workers, on_progress=watch(name)))

        editions = [compared(name) for name in EDITIONS]
        worths: list[Worths] = []
        for name in GENES:
            genes = _of_kind(GeneStudy, name, studies[name])
            rows, worth = measure_genes(genes, folder / name, workers, on_progress=watch(name))
            worths += worths_of(name, genes, rows, worth.trials)
        prices = compared(PRICES)
        search = _of_kind(FairerSearch, FAIRER, studies[FAIRER])
        fairer = search_fairer(search, folder / FAIRER, workers, on_progress=watch(FAIRER))
    return Results(editions, judged_together(worths), prices, fairer, studies)


def judged_together(worths: list[Worths]) -> list[Worths]:
    """The same, each gene judged among all of all studies."""
    trials = judged([found.trials for found in worths])
    return [replace(found, trials=one) for found, one in zip(worths, trials, strict=True)]


def worths_of(name: str, study: GeneStudy, rows: pl.DataFrame, trials: list[TrialFigures]) -> list[Worths]:
    """The figures of a study of genes, by setting and lineup."""
    return [
        Worths(
            name,
            setting_of(study.ruleset(found.variant)),
            agent_name(study.lineups[found.lineup]),
            found,
            _gains(study, rows, found.variant, found.lineup),
        )
        for found in trials
    ]


def setting_of(ruleset: Ruleset) -> Setting:
    """Players and edition of a ruleset."""
    return Setting(ruleset.players, ruleset.edition)


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


def _of_kind(kind: type[S], name: str, study: AnyStudy) -> S:
    if not isinstance(study, kind):
        raise ValueError(f"study {name} is of kind {study.kind!r}; it must be {kind.kind!r}")
    return study
