"""``ursuppe record``: play games and write their records."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ursuppe_agents import make_agent
from ursuppe_agents.registry import split_specs
from ursuppe_env.cli.options import Edition, Force, Players, RulesetFile, Seed, check_new, make_ruleset
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.counts import counted
from ursuppe_env.envs.opponents import Opponent
from ursuppe_env.records import record_games, write_records


def record(
    out: Annotated[Path, typer.Argument(help="File to write: .jsonl or .jsonl.gz.", show_default=False)],
    games: Annotated[int, typer.Option(help="How many games.", min=1)] = 100,
    players: Players = None,
    edition: Edition = None,
    agents: Annotated[
        str,
        typer.Option(help="Who plays: one spec for all seats, or one per seat, separated by commas: greedy,random,..."),
    ] = "random",
    seed: Seed = 1,
    legal: Annotated[bool, typer.Option("--legal", help="Record the legal actions of each decision.")] = False,
    rounds: Annotated[bool, typer.Option("--rounds", help="Record the state after each round.")] = False,
    ruleset: RulesetFile = None,
    force: Force = False,
) -> None:
    """Play games and write their records; game k (from 0) is played with the seed SEED + k."""
    check_new(out, force)
    rules = make_ruleset(players, edition, ruleset)
    specs = _specs(agents, rules.players)
    seated = [_player(spec, seed, seat) for seat, spec in enumerate(specs)]
    played = record_games(games, rules, seed=seed, agents=specs, players=seated, legal=legal, rounds=rounds)
    with progress_bar() as progress:
        count = write_records(out, progress.each(played, "games", games))
    typer.echo(f"{out}: {counted(count, 'game')}")


def _specs(agents: str, players: int) -> list[str]:
    specs = split_specs(agents)
    if len(specs) not in (1, players):
        raise ValueError(
            f"agents names {counted(len(specs), 'seat')}; it must name 1 agent for all or {players}, one a seat"
        )
    return specs * players if len(specs) == 1 else specs


def _player(spec: str, seed: int, seat: int) -> Opponent | None:
    """Who plays a seat; nobody for ``random``, so that the moves come from the games' own streams."""
    if seed < 0:
        raise ValueError(f"seed is {seed}; it must be at least 0")
    return None if spec == "random" else make_agent(spec, np.random.default_rng([seed, seat]))
