"""All studies of balance that survives adaptation, and their sections of the page."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from studies.findings.adaptation.bars import KINDS, PRICES, Bars, play_bars
from studies.findings.adaptation.bars_page import BARS_PLOT, bars_in_short, bars_plot, bars_section
from studies.findings.adaptation.corrections import Corrections, play_corrections
from studies.findings.adaptation.corrections_page import corrections_in_short, corrections_section
from studies.findings.adaptation.predictions import Predictions, play_predictions, ruleset_name
from studies.findings.adaptation.predictions_page import (
    PREDICTIONS_PLOT,
    predictions_in_short,
    predictions_plot,
    predictions_section,
)
from studies.findings.adaptation.specialists import FoundSpecialists, Specialists, play_specialists
from studies.findings.adaptation.trials import OnProgress
from ursuppe_env import Ruleset

PLAYERS = (3, 4)  # that are studied
BARS, CORRECTIONS, PREDICTIONS = "bars", "corrections", "predictions"  # the studies, and their folders

T = TypeVar("T")

#: By number of players and name of a ruleset: specs of policies that have learned that ruleset and no other.
SpecialistSpecs = Mapping[tuple[int, str], Sequence[str]]


@dataclass(frozen=True)
class Outline:
    """What is played in a study.

    Attributes:
        name: of its folder.
        lineups: who sat at the tables.
        games: in all.
        seed: of the games.
    """

    name: str
    lineups: Sequence[Sequence[str]]
    games: int
    seed: int


@dataclass(frozen=True)
class Section:
    """What a study says.

    Attributes:
        name: of the study, and of its folder.
        in_short: its answer, a line or two.
        text: its section in Markdown.
        pictures: of the section, by the name of the file.
    """

    name: str
    in_short: list[str]
    text: str
    pictures: dict[str, bytes]


@dataclass(frozen=True, kw_only=True)
class AdaptationStudies:
    """What is played, each for some numbers of players; what is empty is left out.

    Args:
        bars: does balance that was found with fixed agents survive when agents adapt?
        corrections: would figures of 1997 have advised the corrections of 1998, and what do these do?
        predictions: how good are predictions of what genes are worth, with rulesets that nobody has ever played?
        specialists: that bars and predictions are compared with, as ``specialists_by_ruleset`` gives them.
        specialist_games: that each of them plays.
    """

    bars: Sequence[Bars] = ()
    corrections: Sequence[Corrections] = ()
    predictions: Sequence[Predictions] = ()
    specialists: SpecialistSpecs = field(default_factory=dict)
    specialist_games: int = Specialists.games

    @property
    def policies(self) -> list[tuple[str, int]]:
        """Specs of all who adapt and of all specialists, each with the number of players."""
        named = [(spec, bars.players) for bars in self.bars for spec in bars.policies]
        named += [(spec, corrections.players) for corrections in self.corrections for spec in corrections.policies]
        named += [(study.agent, study.players) for study in self.predictions]
        named += [(spec, players) for (players, _), specs in self.specialists.items() for spec in specs]
        return list(dict.fromkeys(named))

    @property
    def outlines(self) -> list[Outline]:
        """What is played, but for specialists."""
        found = []
        for bars in self.bars:
            agents = [(agent,) for kind in KINDS for agent in bars.agents(kind)]
            found.append(Outline(f"{BARS}/{bars.players}", agents, sum(bars.total_games.values()), bars.seed))
        for one in self.corrections:
            name, agents = f"{CORRECTIONS}/*-{one.players}", [(agent,) for agent in one.agents]
            found.append(Outline(name, agents, one.total_games, one.seed))
        for each in self.predictions:
            name = f"{PREDICTIONS}/{each.players}"
            found.append(Outline(name, [(each.agent,)], each.total_games, each.study.seed))
        return found

    def play(self, folder: Path, images: str, workers: int | None, on_progress: OnProgress) -> Iterator[Section]:
        """Play the studies, or what is left of them, one after the other.

        Args:
            folder: gets a folder for each study.
            images: the folder with the pictures, as seen from the page.
            workers: processes; None: one per core.
            on_progress: is told how far it is.

        Raises:
            AgentError: an agent crashed; the parts that are done are kept.
            ValueError: an agent does not exist, or foretells nothing, or a folder holds something else, or there were
                too few games.
            OSError: a folder cannot be read or written.
        """
        if self.bars:
            yield self._play_bars(folder / BARS, images, workers, on_progress)
        if self.corrections:
            found = play_corrections(self.corrections, folder / CORRECTIONS, workers, on_progress)
            yield Section(CORRECTIONS, corrections_in_short(found), corrections_section(found), {})
        if self.predictions:
            yield self._play_predictions(folder / PREDICTIONS, images, workers, on_progress)

    def _play_bars(self, folder: Path, images: str, workers: int | None, on_progress: OnProgress) -> Section:
        found = [
            play_bars(study, folder / str(study.players), workers, _of_players(study.players, on_progress))
            for study in self.bars
        ]
        rulesets = {(one.bars.players, name): ruleset for one in found for name, ruleset in one.rulesets.items()}
        special = self._play_specialists(rulesets, folder, workers, on_progress)
        text = bars_section(found, images, special)
        return Section(BARS, bars_in_short(found), text, {BARS_PLOT: bars_plot(found)})

    def _play_predictions(self, folder: Path, images: str, workers: int | None, on_progress: OnProgress) -> Section:
        found = [
            play_predictions(study, folder / str(study.players), workers, _of_players(study.players, on_progress))
            for study in self.predictions
        ]
        drawn = {(one.study.players, name): ruleset for one in found for name, ruleset in one.study.study.variants}
        special = self._play_specialists(drawn, folder, workers, on_progress)
        text = predictions_section(found, images, special)
        return Section(PREDICTIONS, predictions_in_short(found), text, {PREDICTIONS_PLOT: predictions_plot(found)})

    def _play_specialists(
        self, rulesets: Mapping[tuple[int, str], Ruleset], folder: Path, workers: int | None, on_progress: OnProgress
    ) -> list[FoundSpecialists]:
        """Those of some rulesets, several of a ruleset together."""
        return [
            play_specialists(
                Specialists(
                    name=name,
                    ruleset=rulesets[players, name],
                    policies=tuple(specs),
                    games=self.specialist_games,
                ),
                folder / str(players),
                workers,
                _of_players(players, on_progress),
            )
            for (players, name), specs in self.specialists.items()
            if (players, name) in rulesets
        ]


def adaptation_studies(
    policies_3: Sequence[str], policies_4: Sequence[str], specialists: Iterable[str]
) -> AdaptationStudies:
    """All of them, as the page has them.

    Args:
        policies_3: specs of those that adapt, of 3 players; all of them play the bars, and the first one the rest.
        policies_4: the same of 4.
        specialists: ``PLAYERS:RULESET=SPEC``, of bars or of predictions.

    Raises:
        ValueError: an argument is wrong; the message names it.
    """
    policies = by_players(tuple(policies_3), tuple(policies_4))
    return AdaptationStudies(
        bars=[Bars(players=players, policies=specs) for players, specs in policies],
        corrections=[Corrections(players=players, policies=specs[:1]) for players, specs in policies],
        predictions=[Predictions(players=players, agent=specs[0]) for players, specs in policies],
        specialists=specialists_by_ruleset(specialists, [*bars_rulesets(), *predictions_rulesets()]),
    )


def by_players(of_3: T, of_4: T) -> list[tuple[int, T]]:
    """What is given for each number of players that is studied."""
    return [(players, {3: of_3, 4: of_4}[players]) for players in PLAYERS]


def bars_rulesets() -> list[tuple[int, str]]:
    """That specialists of the bars may have learned: players and prices."""
    return [(players, prices) for players in PLAYERS for prices in PRICES]


def predictions_rulesets(rulesets: int = Predictions.rulesets) -> list[tuple[int, str]]:
    """That specialists of the predictions may have learned: players and name."""
    return [(players, ruleset_name(number)) for players in PLAYERS for number in range(rulesets)]


def specialists_by_ruleset(given: Iterable[str], known: Sequence[tuple[int, str]]) -> dict[tuple[int, str], list[str]]:
    """The specs of ``PLAYERS:RULESET=SPEC``.

    Raises:
        ValueError: one of them is written otherwise, or its ruleset is not among the known ones.
    """
    found: dict[tuple[int, str], list[str]] = {}
    for text in given:
        parts = re.fullmatch(r"(\d+):([^=]+)=(.+)", text)
        if parts is None:
            raise ValueError(f"--specialist {text!r} is no PLAYERS:RULESET=SPEC, such as 4:fixed=policy:best.zip")
        key = int(parts[1]), parts[2]
        if key not in known:
            names = ", ".join(f"{players}:{name}" for players, name in known)
            raise ValueError(f"--specialist {text!r}: there is no ruleset {parts[1]}:{parts[2]}; known are {names}")
        found.setdefault(key, []).append(parts[3])
    return found


def _of_players(players: int, on_progress: OnProgress) -> OnProgress:
    return lambda name, over, total: on_progress(f"{players} players, {name}", over, total)
