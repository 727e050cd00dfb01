"""``ursuppe play``: a person at the terminal against agents."""

import secrets
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import foreign_code, make_agent, split_specs
from ursuppe_env import Games
from ursuppe_env.cli.options import Edition, Players, RulesetFile, ScoreOption, TeamsOption, make_ruleset, make_teams
from ursuppe_env.parsing import parse_json
from ursuppe_env.records import RecordError, read_records
from ursuppe_env.records.format import LONGEST_LINE
from ursuppe_env.teams import Teams
from ursuppe_play.session import OPPONENT, PERSON, Session, game_at, new_game, own_seats, replayed
from ursuppe_play.terminal import Terminal


def play(
    players: Players = None,
    edition: Edition = None,
    ruleset: RulesetFile = None,
    seat: Annotated[
        int | None, typer.Option(help="Your seat, from 0; with teams, one of yours.", show_default="0")
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(
            help="Who plays the other seats: one agent for all, or one for each seat (each team with --teams), "
            "separated by commas.",
            show_default="hunter",
        ),
    ] = None,
    teams: TeamsOption = None,
    score: ScoreOption = None,
    seed: Annotated[int | None, typer.Option(help="Seed of dice, cards and agents.", show_default="random")] = None,
    position: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Begin from the position in a JSON file.", show_default=False)
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the game to this new .jsonl or .jsonl.gz file as it goes.", show_default=False
        ),
    ] = None,
    continue_: Annotated[
        Path | None,
        typer.Option("--continue", metavar="FILE", help="Resume the game in this file.", show_default=False),
    ] = None,
) -> None:
    """Play against agents at the terminal.

    Example: ursuppe play --agents hunter,collector,random --record game.jsonl
    """
    given = {"players": players, "edition": edition, "ruleset": ruleset, "seed": seed}
    specs = None if agents is None else split_specs(agents)
    if continue_ is not None:
        _refuse("continue", given | {"position": position, "teams": teams, "score": score})
        session = _continued(continue_, seat, specs)
    else:
        if position is not None:
            _refuse("position", given)
            games = _game_in(position)
        else:
            games = new_game(make_ruleset(players, edition, ruleset), secrets.randbits(32) if seed is None else seed)
        sides = make_teams(teams, score, games.num_players)
        begun_at = None if position is None else games.to_dict(0)
        session = Session(games, *_seats(games, seat, specs, sides), position=begun_at, teams=sides)
    if record is not None and record.exists():
        raise ValueError(f"{record} exists already; give another name, or resume it with --continue {record}")
    Terminal(session, record or continue_).play()


def _refuse(option: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"--{name} cannot be given with --{option}: the file says it")


def _game_in(file: Path) -> Games:
    with file.open("rb") as opened:
        text = opened.read(LONGEST_LINE + 1)
    if len(text) > LONGEST_LINE:
        raise ValueError(f"{file}: longer than {LONGEST_LINE:,} bytes; no position is so long")
    try:
        games = game_at(parse_json(text))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if games.finished[0]:
        raise ValueError(f"{file}: the game is over")
    return games


def _continued(file: Path, seat: int | None, agents: list[str] | None) -> Session:
    records = list(islice(read_records(file), 2))
    if len(records) != 1:
        raise ValueError(f"{file} has {'several games' if records else 'no game'}; to go on it must have one")
    (record,) = records
    if record.is_finished:
        raise ValueError(f"{file}: the game is over")
    try:
        games, happenings = replayed(record)
    except RecordError as error:
        raise ValueError(f"{file}: {error}") from None
    names = record.agents or []
    if seat is None and PERSON in names:
        seat = names.index(PERSON)
    if agents is None and PERSON in names:
        agents = [names[seats[0]] for seats in _others(seat, record.teams, games.num_players)]
        if PERSON in agents:
            raise ValueError(f"{file}: another seat is a person's, too; say with --agents who plays there")
        for spec in agents:
            if foreign_code(spec) is not None:
                raise ValueError(f"{file}: agent {spec!r} runs code of its own; name the agents with --agents")
    # Not the choices that the agents made before: they begin a new stream.
    seats = _seats(games, seat, agents, record.teams, len(record.events))
    return Session(games, *seats, happenings=happenings, position=record.position, teams=record.teams)


def _seats(
    games: Games, seat: int | None, agents: list[str] | None, teams: Teams | None, *stream: int
) -> tuple[list[Agent | None], list[str]]:
    """The agents by seat, none where the person plays, and the names in all of them."""
    players, seed = games.num_players, int(games.state["seed"][0])
    others = _others(seat, teams, players)
    specs = [OPPONENT] if agents is None else agents
    if len(specs) not in (1, len(others)):
        raise ValueError(
            f"agents names {len(specs)} agents; it must name 1 for all other {'seats' if teams is None else 'teams'}, "
            f"or {len(others)}, one for each"
        )
    made: list[Agent | None] = [None] * players
    names = [PERSON] * players
    for seats, spec in zip(others, specs * len(others) if len(specs) == 1 else specs, strict=True):
        agent = make_agent(spec, np.random.default_rng([seats[0], seed, *stream]))
        agent.teams = teams
        for player in seats:
            made[player], names[player] = agent, spec
    return made, names


def _others(seat: int | None, teams: Teams | None, players: int) -> list[tuple[int, ...]]:
    """The seats of each player, or of each team, but the person in this seat; None: the first one."""
    if seat is not None and not 0 <= seat < players:
        raise ValueError(f"seat is {seat}; it must be 0 ... {players - 1}")
    own = own_seats(seat or 0, teams)
    everyone = [(player,) for player in range(players)] if teams is None else teams.seats
    return [seats for seats in everyone if seats != own]
