"""The tables at which critics are measured and fitted, and games at them."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import Agent, make_agent
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games
from ursuppe_env.teams import Teams

POLICY, LIKELIEST = "the policy", "its likeliest actions"
_OTHERS = ("breeder", "breeder", "hunter", "hoarder", "collector")


def tables(sides: int) -> list[tuple[str, ...]]:
    """Who plays each side, a seat or a team: the policy alone, beside scripted agents, and four that it never met."""
    return [
        (POLICY,) * sides,
        (LIKELIEST,) * sides,
        (POLICY, *("greedy",) * (sides - 1)),
        (POLICY, *_OTHERS[: sides - 1]),
        ("greedy",) * sides,
    ]


def in_words(table: tuple[str, ...]) -> str:
    """Such as ``the policy, breeder ×2, hunter``."""
    return ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in Counter(table).items())


def played(
    games: Games, table: tuple[str, ...], policy: str, teams: Teams | None, part: float, seed: int
) -> Iterator[tuple[NDArray[np.int64], Games]]:
    """Play games to their end, and stop at some positions on the way.

    Args:
        games: N of them.
        table: one of ``tables``; sides are rotated from game to game.
        policy: a file, ``default`` or ``duel``.
        teams: that are the sides; None: each seat for itself.
        part: of the decisions, chosen at random, that are looked at.
        seed: of the agents and of that choice.

    Yields:
        (n,) rows of games, and their positions.
    """
    names = list(dict.fromkeys(table))
    agents = [_made(name, policy, teams, seed) for name in names]
    side_of = np.arange(games.num_players) if teams is None else teams.team_of
    turned = (side_of + np.arange(len(games))[:, np.newaxis]) % len(table)
    sits = np.array([names.index(name) for name in table])[turned]
    generator = np.random.default_rng(seed)
    while len(rows := np.flatnonzero(~games.finished)):
        looked_at = rows[generator.random(len(rows)) < part]
        if len(looked_at):
            yield looked_at, games.copy(looked_at)
        playing = sits[rows, games.player[rows]]
        actions = np.empty(len(rows), np.int64)
        for number, agent in enumerate(agents):
            mine = np.flatnonzero(playing == number)
            if len(mine):
                actions[mine] = agent.act(games, rows[mine])
        games.step(actions, rows)


def _made(name: str, policy: str, teams: Teams | None, seed: int) -> Agent:
    if name in (POLICY, LIKELIEST):
        name = agent_spec("policy", model=policy, deterministic=name == LIKELIEST)
    agent = make_agent(name, seed)
    agent.teams = teams
    return agent
