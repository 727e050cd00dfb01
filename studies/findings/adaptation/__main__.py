"""Play one of the studies of balance that survives adaptation, or what is left of it, and write its section.

``python -m studies.findings.adaptation bars``, ``corrections`` or ``predictions``. Each writes its section in
Markdown, its picture and its figures in JSON into the folder that has its games; docs/balance-lab.md says more of them.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from studies.findings.adaptation.bars import Bars
from studies.findings.adaptation.corrections import Corrections
from studies.findings.adaptation.options import LIKELIEST, Policies3, Policies4, SpecialistOption
from studies.findings.adaptation.predictions import Predictions
from studies.findings.adaptation.specialists import Specialists
from studies.findings.adaptation.studies import (
    AdaptationStudies,
    bars_rulesets,
    by_players,
    predictions_rulesets,
    specialists_by_ruleset,
)
from studies.findings.adaptation.trials import shown_in
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.line import in_one_line
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically
from ursuppe_lab.jobs.options import Workers

Fixed = Annotated[
    list[str], typer.Option("--fixed", help="Spec of an agent that does not see the rules; may come repeatedly.")
]
Games = Annotated[
    int | None, typer.Option("--games", help="In place of all numbers of games, to try something out.", min=10)
]
Folder = Annotated[
    Path,
    typer.Option("--folder", help="Gets a folder of the study's name; the same command resumes an interrupted run."),
]
_FOLDER = Path("runs/balance")  # where the page looks for them, too

app = typer.Typer(help="Balance that survives adaptation.", add_completion=False)


@app.command()
def bars(
    policies_3: Policies3 = [LIKELIEST],  # noqa: B006 (typer copies it)
    policies_4: Policies4 = [LIKELIEST],  # noqa: B006
    fixed: Fixed = list(Bars.fixed),  # noqa: B006
    specialist: SpecialistOption = [],  # noqa: B006
    games: Games = None,
    candidates: Annotated[int, typer.Option("--candidates", help="Of each search.", min=1)] = Bars.candidates,
    folder: Folder = _FOLDER,
    workers: Workers = None,
) -> None:
    """Does balance that was found with fixed agents survive when agents adapt?"""
    numbers: dict[str, Any] = {} if games is None else {"games": games, "search_games": games}

    def studies() -> AdaptationStudies:
        return AdaptationStudies(
            bars=[
                Bars(players=players, policies=tuple(specs), fixed=tuple(fixed), candidates=candidates, **numbers)
                for players, specs in by_players(policies_3, policies_4)
            ],
            specialists=specialists_by_ruleset(specialist, bars_rulesets()),
            specialist_games=games or Specialists.games,
        )

    _play(studies, folder, workers)


@app.command()
def corrections(
    policies_3: Policies3 = [LIKELIEST],  # noqa: B006
    policies_4: Policies4 = [LIKELIEST],  # noqa: B006
    fixed: Fixed = list(Bars.fixed),  # noqa: B006
    games: Games = None,
    folder: Folder = _FOLDER,
    workers: Workers = None,
) -> None:
    """Would figures of 1997 have advised the corrections of 1998, and what do these do?"""
    numbers: dict[str, Any] = {} if games is None else {"games": games, "advice_games": games, "ordinary_games": games}

    def studies() -> AdaptationStudies:
        return AdaptationStudies(
            corrections=[
                Corrections(players=players, policies=tuple(specs), fixed=tuple(fixed), **numbers)
                for players, specs in by_players(policies_3, policies_4)
            ]
        )

    _play(studies, folder, workers)


@app.command()
def predictions(
    policy_3: Annotated[str, typer.Option("--policy-3", help="Spec of a policy for 3 players.")] = LIKELIEST,
    policy_4: Annotated[str, typer.Option("--policy-4", help="The same for 4 players.")] = LIKELIEST,
    specialist: SpecialistOption = [],  # noqa: B006
    games: Games = None,
    rulesets: Annotated[int, typer.Option("--rulesets", help="How many are drawn.", min=1)] = Predictions.rulesets,
    folder: Folder = _FOLDER,
    workers: Workers = None,
) -> None:
    """How good are predictions of what genes are worth, with rulesets that nobody has ever played?"""
    numbers: dict[str, Any] = {} if games is None else {"games": games}

    def studies() -> AdaptationStudies:
        return AdaptationStudies(
            predictions=[
                Predictions(players=players, agent=spec, rulesets=rulesets, **numbers)
                for players, spec in by_players(policy_3, policy_4)
            ],
            specialists=specialists_by_ruleset(specialist, predictions_rulesets(rulesets)),
            specialist_games=games or Specialists.games,
        )

    _play(studies, folder, workers)


def _play(studies: Callable[[], AdaptationStudies], folder: Path, workers: int | None) -> None:
    """Play and write, with a line for each study; wrong input is one line."""
    try:
        with progress_bar() as progress:
            sections = list(studies().play(folder, ".", workers, shown_in(progress)))
        for section in sections:
            for name, picture in section.pictures.items():
                write_atomically(folder / section.name / name, picture)
            page = folder / section.name / f"{section.name}.md"
            sentences = "\n".join(f"- {sentence}" for sentence in section.in_short)
            write_atomically(page, f"{sentences}\n\n{section.text}\n".encode())
            typer.echo(str(page))
    except (ValueError, OSError) as error:
        typer.echo(f"adaptation: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)


if __name__ == "__main__":
    app()
