"""``ursuppe record``: play games and write their records."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_agents.registry import split_specs
from ursuppe_env.cli.options import (
    Edition,
    Force,
    Players,
    RulesetFile,
    ScoreOption,
    Seed,
    TeamsOption,
    check_new,
    make_ruleset,
    make_teams,
)
from ursuppe_env.line import counted
from ursuppe_lab.commands.options import Workers, games_progress
from ursuppe_lab.recording import Recording, write_recording


def record(
    out: Annotated[Path, typer.Argument(help="File to write: .jsonl or .jsonl.gz.")],
    games: Annotated[int, typer.Option(help="Number of games.", min=1)] = 100,
    players: Players = None,
    edition: Edition = None,
    agents: Annotated[
        str,
        typer.Option(
            help="Who plays: one agent for all seats, or one for each seat (each team with --teams), separated by "
            "commas: greedy,random,..."
        ),
    ] = "random",
    seed: Seed = 1,
    legal: Annotated[bool, typer.Option("--legal", help="Record the legal actions of each decision.")] = False,
    rounds: Annotated[bool, typer.Option("--rounds", help="Record the state after each round.")] = False,
    ruleset: RulesetFile = None,
    teams: TeamsOption = None,
    score: ScoreOption = None,
    workers: Workers = None,
    force: Force = False,
) -> None:
    """Let agents play games and write their records to a file.

    Game k (from 0) is played with the seed SEED + k. The same command writes the same bytes, whatever the number of
    workers.

    Example: ursuppe record games.jsonl.gz --agents hunter
    """
    check_new(out, force)
    rules = make_ruleset(players, edition, ruleset)
    sides = make_teams(teams, score, rules.players)
    specs = split_specs(agents)
    count, side = (rules.players, "seat") if sides is None else (len(sides), "team")
    if len(specs) not in (1, count):
        right = f"it must name 1 agent for all or {count}, one a {side}"
        raise ValueError(f"agents names {counted(len(specs), side)}; {right}")
    recording = Recording(games, rules, tuple(specs) * (count if len(specs) == 1 else 1), seed, legal, rounds, sides)
    with games_progress(games) as on_progress:
        write_recording(out, [recording], workers, on_progress)
    typer.echo(f"{out}: {counted(games, 'game')}")
