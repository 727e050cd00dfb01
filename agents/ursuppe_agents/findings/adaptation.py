"""Play the studies of balance that survives adaptation, or what is left of them, and write their sections of the page.

``python -m ursuppe_agents.findings.adaptation bars``, ``corrections`` or ``predictions``. Each writes its section in
Markdown, its picture and its figures in JSON into the folder that has its games; docs/balance-lab.md says more of them.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ursuppe_agents.findings.bars import PRICES, Bars, FoundBars, play_bars
from ursuppe_agents.findings.bars_page import BARS_PLOT, bars_in_short, bars_plot, bars_section
from ursuppe_agents.findings.corrections import Corrections, play_corrections
from ursuppe_agents.findings.corrections_page import corrections_in_short, corrections_section
from ursuppe_agents.findings.predictions import FoundPredictions, Predictions, play_predictions, ruleset_name
from ursuppe_agents.findings.predictions_page import (
    PREDICTIONS_PLOT,
    predictions_in_short,
    predictions_plot,
    predictions_section,
)
from ursuppe_agents.findings.specialists import FoundSpecialists, Specialists, play_specialists
from ursuppe_agents.findings.trials import OnProgress
from ursuppe_agents.jobs.options import Workers
from ursuppe_env import Ruleset
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.line import in_one_line
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically

PLAYERS = (3, 4)  # that are studied
_DEFAULT = "policy:default,deterministic=true"

Policies3 = Annotated[
    list[str], typer.Option("--policy-3", help="Spec of a policy for 3 players; may come repeatedly.")
]
Policies4 = Annotated[list[str], typer.Option("--policy-4", help="The same for 4 players.")]
Fixed = Annotated[
    list[str], typer.Option("--fixed", help="Spec of an agent that does not see the rules; may come repeatedly.")
]
SpecialistSpecs = Annotated[
    list[str],
    typer.Option(
        "--specialist",
        metavar="PLAYERS:RULESET=SPEC",
        help="A policy that was trained on one of the rulesets alone, such as 4:fixed=policy:best.zip.",
    ),
]
Games = Annotated[
    int | None, typer.Option("--games", help="In place of all numbers of games, to try something out.", min=10)
]
Out = Annotated[Path, typer.Option("--out", help="Folder; the same command resumes an interrupted run.")]

T = TypeVar("T")
BySpecialist = dict[tuple[int, str], list[str]]

app = typer.Typer(help="Balance that survives adaptation.", add_completion=False)


@app.command()
def bars(
    policies_3: Policies3 = [_DEFAULT],  # noqa: B006 (typer copies it)
    policies_4: Policies4 = [_DEFAULT],  # noqa: B006
    fixed: Fixed = list(Bars.fixed),  # noqa: B006
    specialist: SpecialistSpecs = [],  # noqa: B006
    games: Games = None,
    candidates: Annotated[int, typer.Option("--candidates", help="Of each search.", min=1)] = Bars.candidates,
    out: Out = Path("runs/bars"),
    workers: Workers = None,
) -> None:
    """Does balance that was found with fixed agents survive when agents adapt?"""
    with _telling() as on_progress:
        named = _named(specialist, [(players, prices) for players in PLAYERS for prices in PRICES])
        numbers: dict[str, Any] = {} if games is None else {"games": games, "search_games": games}
        found: list[FoundBars] = []
        for players, policies in _by_players(policies_3, policies_4):
            study = Bars(
                players=players, policies=tuple(policies), fixed=tuple(fixed), candidates=candidates, **numbers
            )
            found.append(play_bars(study, out / str(players), workers, on_progress(players)))
        rulesets = {(one.bars.players, name): ruleset for one in found for name, ruleset in one.rulesets.items()}
        special = _play_specialists(named, rulesets, games or Bars.games, out, workers, on_progress)
        write_atomically(out / BARS_PLOT, bars_plot(found))
        _write(out / "bars.md", bars_in_short(found), bars_section(found, ".", special))


@app.command()
def corrections(
    policies_3: Policies3 = [_DEFAULT],  # noqa: B006
    policies_4: Policies4 = [_DEFAULT],  # noqa: B006
    fixed: Fixed = list(Bars.fixed),  # noqa: B006
    games: Games = None,
    out: Out = Path("runs/corrections"),
    workers: Workers = None,
) -> None:
    """Would figures of 1997 have advised the corrections of 1998, and what do these do?"""
    with _telling() as on_progress:
        numbers: dict[str, Any] = (
            {} if games is None else {"games": games, "advice_games": games, "ordinary_games": games}
        )
        studies = [
            Corrections(players=players, policies=tuple(policies), fixed=tuple(fixed), **numbers)
            for players, policies in _by_players(policies_3, policies_4)
        ]
        found = play_corrections(studies, out, workers, on_progress())
        _write(out / "corrections.md", corrections_in_short(found), corrections_section(found))


@app.command()
def predictions(
    policy_3: Annotated[str, typer.Option("--policy-3", help="Spec of a policy for 3 players.")] = _DEFAULT,
    policy_4: Annotated[str, typer.Option("--policy-4", help="The same for 4 players.")] = _DEFAULT,
    specialist: SpecialistSpecs = [],  # noqa: B006
    games: Games = None,
    rulesets: Annotated[int, typer.Option("--rulesets", help="How many are drawn.", min=1)] = Predictions.rulesets,
    out: Out = Path("runs/predictions"),
    workers: Workers = None,
) -> None:
    """How good are predictions of what genes are worth, with rulesets that nobody has ever played?"""
    with _telling() as on_progress:
        named = _named(specialist, [(players, ruleset_name(n)) for players in PLAYERS for n in range(rulesets)])
        numbers: dict[str, Any] = {} if games is None else {"games": games}
        found: list[FoundPredictions] = []
        for players, policy in _by_players(policy_3, policy_4):
            study = Predictions(players=players, agent=policy, rulesets=rulesets, **numbers)
            found.append(play_predictions(study, out / str(players), workers, on_progress(players)))
        drawn = {(one.study.players, name): ruleset for one in found for name, ruleset in one.study.study.variants}
        special = _play_specialists(named, drawn, games or Specialists.games, out, workers, on_progress)
        write_atomically(out / PREDICTIONS_PLOT, predictions_plot(found))
        _write(out / "predictions.md", predictions_in_short(found), predictions_section(found, ".", special))


def _by_players(*given: T) -> list[tuple[int, T]]:
    """What is given for each number of players."""
    return [(players, one) for players, one in zip((3, 4), given, strict=True) if players in PLAYERS]


def _named(given: list[str], known: Sequence[tuple[int, str]]) -> BySpecialist:
    """The specs of ``PLAYERS:RULESET=SPEC`` by number of players and name of the ruleset."""
    found: BySpecialist = {}
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


def _play_specialists(
    named: BySpecialist,
    rulesets: Mapping[tuple[int, str], Ruleset],
    games: int,
    out: Path,
    workers: int | None,
    on_progress: Callable[..., OnProgress],
) -> list[FoundSpecialists]:
    """Play them, several of a ruleset together."""
    return [
        play_specialists(
            Specialists(name=name, ruleset=rulesets[players, name], policies=tuple(specs), games=games),
            out / str(players),
            workers,
            on_progress(players),
        )
        for (players, name), specs in named.items()
    ]


@contextmanager
def _telling() -> Iterator[Callable[..., OnProgress]]:
    """Shows how far each study is; wrong input is one line."""
    try:
        with progress_bar() as progress:
            tasks: dict[str, Any] = {}

            def of_players(players: int | None = None) -> OnProgress:
                def on_progress(name: str, over: int, total: int) -> None:
                    said = name if players is None else f"{players} players, {name}"
                    if said not in tasks:
                        tasks[said] = progress.add_task(said, total=total)
                    progress.update(tasks[said], completed=over)

                return on_progress

            yield of_players
    except (ValueError, OSError) as error:
        typer.echo(f"adaptation: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)


def _write(file: Path, in_short: list[str], section: str) -> None:
    sentences = "\n".join(f"- {sentence}" for sentence in in_short)
    write_atomically(file, f"{sentences}\n\n{section}\n".encode())
    typer.echo(str(file))


if __name__ == "__main__":
    app()
