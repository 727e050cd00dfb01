"""``ursuppe evaluate``: let a trained policy play against other agents, and count its wins."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.files import is_empty, write_atomically
from ursuppe_lab.commands.options import Workers, games_progress, resumable
from ursuppe_training.config import MIXED
from ursuppe_training.seeds import Seed

_COPY = "policy.zip"
_ARENA = "arena"
_RESULTS = "evaluation.json"
_POOL = ["breeder", "hoarder", "hunter", "greedy", MIXED]


def evaluate(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="The folder of a run, the file of a policy, policy:default or policy:duel.",
            show_default=False,
        ),
    ],
    players: Annotated[
        int | None,
        typer.Option(
            help="With policy:default: for how many players, 3 ... 6. Any other policy plays with as many as it was "
            "trained with.",
            show_default="4",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help=f"An agent to play against; it takes all other seats. Can be repeated. {MIXED} adds tables at which "
            "the others differ.",
            show_default=", ".join(_POOL),
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option(min=1, help="Games at each table, rounded up to whole rotations of the seats."),
    ] = 2000,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the dice and of the agents' choices; by default one that no training uses.",
            show_default=False,
        ),
    ] = None,
    workers: Workers = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the results: the arena's report and a row for each game. The same command with the same "
            "folder resumes an interrupted run.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Let a trained policy play against other agents, and count its wins. Each seed is played once in each seat.

    A policy that was trained in teams plays a team.

    Example: ursuppe evaluate policy:default --against hunter --games 100
    """
    from ursuppe_agents.policies.files import read_provenance, read_temperature
    from ursuppe_training.evaluation.evaluate import evaluation_file, evaluation_tournament, play_evaluation

    model = _policy_file(policy, players)
    provenance, dice = read_provenance(model), Seed.EVALUATION if seed is None else seed
    kept: AbstractContextManager[str] = TemporaryDirectory() if out is None else nullcontext(str(out))
    with kept as name, resumable(out):
        folder = Path(name)
        content, copy = model.read_bytes(), folder / _COPY  # its run may be writing a better one meanwhile
        teams = provenance.partition
        tournament = evaluation_tournament(copy, against or _POOL, games, dice, provenance.played, teams=teams)
        if not copy.exists() and folder.exists() and not is_empty(folder):
            raise ValueError(f"{folder} exists and is no folder of an evaluation; give another, or one that is empty")
        if copy.exists() and copy.read_bytes() != content:
            raise ValueError(f"{copy} is not the policy of {model}; give another folder with --out")
        write_atomically(copy, content)
        with games_progress(tournament.total_games) as on_progress:
            evaluation = play_evaluation(tournament, folder / _ARENA, workers, on_progress)
        write_atomically(folder / _RESULTS, evaluation_file(evaluation, provenance))
    console = tables_console()
    console.print(evaluation.as_table())
    temperature = read_temperature(model)
    drawn = "" if temperature == 1 else f"; draws at temperature {temperature:g}"
    console.print(f"{provenance.in_words()}{drawn}", highlight=False, markup=False)
    if out is not None:
        typer.echo(f"{out / _ARENA / 'report.html'}: the report, with pictures; {out / _RESULTS}: these win rates")


def _policy_file(policy: str, players: int | None) -> Path:
    """The policy of a run, in a file, or by its spec as an agent.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no policy, or one for another number of players than is given.
    """
    from ursuppe_agents.policies.files import read_provenance
    from ursuppe_agents.policies.shipped import policy_path
    from ursuppe_training.runs.evaluations import BEST

    agent, colon, named = policy.partition(":")
    path = policy_path(named, 4 if players is None else players) if colon and agent == "policy" else Path(policy)
    file = path / BEST if path.is_dir() else path
    trained = read_provenance(file).players
    if players is not None and players != trained:
        raise ValueError(f"players is {players}, but {policy} was trained with {trained} players; give that number")
    return file
