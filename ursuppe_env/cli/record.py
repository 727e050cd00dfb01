"""``ursuppe record``: play games and write their records."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.cli.options import Edition, Players, RulesetFile, Seed, make_ruleset
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.records import Record, record_games, write_records

_AGENTS = ("random",)


def record(
    out: Annotated[Path, typer.Argument(help="File to write: .jsonl or .jsonl.gz.", show_default=False)],
    games: Annotated[int, typer.Option(help="How many games.", min=1)] = 100,
    players: Players = None,
    edition: Edition = None,
    agents: Annotated[
        str, typer.Option(help="Who plays: one name for all seats, or one a seat with commas between. Known: random.")
    ] = "random",
    seed: Seed = 1,
    legal: Annotated[bool, typer.Option("--legal", help="Record the legal actions of each decision.")] = False,
    rounds: Annotated[bool, typer.Option("--rounds", help="Record the state after each round.")] = False,
    ruleset: RulesetFile = None,
) -> None:
    """Play games and write their records; game k (from 0) is played with the seed SEED + k."""
    rules = make_ruleset(players, edition, ruleset)
    names = _names(agents, rules.players)
    played = record_games(games, rules, seed=seed, agents=names, legal=legal, rounds=rounds)
    count = write_records(out, _with_progress(played, games))
    typer.echo(f"{out}: {count} games")


def _names(agents: str, players: int) -> list[str]:
    names = agents.split(",")
    for name in names:
        if name not in _AGENTS:
            raise ValueError(f"there is no agent {name!r}; known are {', '.join(_AGENTS)}")
    if len(names) not in (1, players):
        raise ValueError(f"agents names {len(names)} seats; it must name 1 agent for all or {players}, one a seat")
    return names * players if len(names) == 1 else names


def _with_progress(records: Iterable[Record], total: int) -> Iterator[Record]:
    with progress_bar() as progress:
        yield from progress.track(records, total=total, description="games")
