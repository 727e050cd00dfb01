"""Positions that a critic of its own learns from: of games by a finished policy, with how those ended.

In most games the policy has all seats and plays as its file says, in some its likeliest actions; in others scripted
agents of one kind sit beside it. A search asks the critic at the beginning of rounds, so all of these are kept, and of
the decisions between them one here and there.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.draws import uniform_of
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_env.teams import Teams
from ursuppe_training.networks.critic import outcomes_of

#: Games that are played side by side.
GAMES_AT_ONCE = 1024
#: Who sits beside the policy in games that it does not have to itself.
OTHERS = ("greedy", "breeder", "hunter", "hoarder")
_MIXED, _LIKELIEST = 0.3, 0.1  # of the games: with others, with its likeliest actions alone
_BETWEEN = 1 / 40  # of the decisions that begin no round
_KEY = 0x5EED  # by which those are drawn
_FIRST = 0.5  # of the games: played with the first ruleset, whatever the others are


class Positions(NamedTuple):
    """Of n decisions."""

    states: NDArray[np.uint8]  # (n, size of a state)
    outcomes: NDArray[np.float32]  # (n, P, 3) as critics predict them, of the seats from the one on that decides


def play_positions(agents: list[Agent], rulesets: Sequence[Ruleset], teams: Teams | None, seed: int) -> Positions:
    """Play ``GAMES_AT_ONCE`` games: each draws one of the rulesets, half of them the first.

    The agents are the policy, the policy by its likeliest actions, and ``OTHERS``; ``seed`` also says who plays.
    """
    generator = np.random.default_rng(seed)
    played = generator.integers(len(rulesets), size=GAMES_AT_ONCE)
    played[generator.random(GAMES_AT_ONCE) < _FIRST] = 0
    games = Games(GAMES_AT_ONCE, list(rulesets), seed, threads=1, ruleset_index=played)
    seating = _seating(games.num_players, generator)
    last_round, kept, rows = np.zeros(GAMES_AT_ONCE), [], []
    while len(live := np.flatnonzero(games.player >= 0)):
        begins = games.rounds[live] > last_round[live]
        last_round[live] = games.rounds[live]
        rows.append(live[begins | (uniform_of(games, live, _KEY) < _BETWEEN)])
        kept.append(plain_memory(games.state)[rows[-1]])
        actions, players = np.empty(len(live), np.int64), seating[live, games.player[live]]
        for player in np.unique(players):
            actions[players == player] = agents[player].act(games, live[players == player])
        games.step(actions, live)
    states = np.concatenate(kept).view(STATE)
    outcomes = outcomes_of(games, teams)[np.concatenate(rows), states["player"]]
    return Positions(states.view(np.uint8).reshape(len(states), STATE.itemsize), outcomes)


def _seating(players: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """(N, P) the number of the agent in each seat."""
    seating = np.zeros((GAMES_AT_ONCE, players), np.int64)
    kind = generator.random(GAMES_AT_ONCE)
    seating[kind < _LIKELIEST] = 1
    for row in np.flatnonzero(kind > 1 - _MIXED):
        others = generator.permutation(players)[: generator.integers(1, players)]
        seating[row, others] = 2 + generator.integers(len(OTHERS))
    return seating
