"""Whom the learner plays in self-play: one is drawn for each side of each game, or for a whole table.

A *side* is a team where there are teams, and else a seat: whoever is drawn for a side plays all its seats. One side of
each game is the learner's.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import Agent, make_agent
from ursuppe_agents.draws import drawn_actions
from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_env.threads import lent
from ursuppe_training.config import OF_THE_RUN, SELF, SNAPSHOTS, TrainingConfig
from ursuppe_training.networks.board import BoardPolicy

with extra("train"):
    import torch

_SALT = np.uint64(0xD1B54A32D192ED03)  # tells draws of the same game apart; odd
_LEARNERS_SIDE = 7  # in place of a side: which one the learner has
_WHOLE_TABLE = 14  # in place of a side: who plays all of them
_IS_WHOLE = 15  # in place of a side: is there one draw for all of them, or one for each?


@dataclass(eq=False)
class OpponentPool:
    """Draws the opponents of each game, and has each of them act in all its games at once.

    A game keeps its opponents from its beginning to its end, however the weights change and whoever joins meanwhile;
    the games of a snapshot that makes room for a newer one go on with the oldest that is left. The draw depends only on
    the key of the game, the seat or team, and the weights when the game begins: a game has the same opponents
    regardless of the games beside it.

    Opponents have numbers: first the names among ``opponents`` and "self", then all snapshots that were ever taken.
    """

    config: TrainingConfig  # of the run
    policy: BoardPolicy  # the one that learns
    groups: Sequence[int] = (0,)  # of games, each of which has agents of its own, so that threads can play side by side

    def __post_init__(self) -> None:
        self.sides, self.partition = self.config.sides, self.config.partition
        self.names = list(dict.fromkeys([*self.config.opponents, SELF]))  # those of the first numbers
        self.learner = self.names.index(SELF)  # the number of the policy
        self._first_snapshot = len(self.names)
        self._hold([])
        self._snapshots_taken = 0
        self.begin_rollout(0)

    def begin_rollout(self, number: int) -> None:
        """Set what a rollout needs: weights as they are now, and agents anew.

        These are seeded with the rollout's number, so that they draw the same after a resumption.
        """
        config = self.config
        weights = np.zeros(self._first_snapshot + self._snapshots_taken)  # (O,)
        for place, name in enumerate(self.names):
            members = [self.learner if name in OF_THE_RUN else place]  # the learner stands in for the first snapshot
            if name == SNAPSHOTS and self._snapshots_taken > 0:
                members = [*range(len(weights) - len(self._snapshots), len(weights))]
            weights[members] += config.opponents.get(name, 0.0) / len(members)
        self.borders = np.cumsum(weights) / weights.sum()  # (O,) where the parts of [0, 1) end that belong to each
        names = [*self.names, *[SNAPSHOTS] * self._snapshots_taken]
        self.teaches = np.array([name in config.teachers for name in names])  # (O,)
        # By group, agents by the numbers of their names, and what snapshots draw by.
        self._agents: dict[int, tuple[dict[int, Agent], np.random.Generator]] = {}
        for group in self.groups:
            generator = np.random.default_rng([config.seed, number, group])
            named = enumerate(self.names)
            agents = {place: make_agent(name, generator) for place, name in named if name not in OF_THE_RUN}
            for agent in agents.values():
                agent.teams = self.partition
            self._agents[group] = agents, generator

    def act(
        self, games: Games, rows: NDArray[np.int64], players: NDArray[np.int64], group: int = 0
    ) -> NDArray[np.int64]:
        """The actions, (n,), of these players, (n,), in these rows, (n,), of the games, which are of this group."""
        agents, generator = self._agents[group]
        actions = np.empty(len(rows), np.int64)
        for number in np.unique(players[players < self._first_snapshot]).tolist():
            asked = np.flatnonzero(players == number)
            with lent(games):
                actions[asked] = agents[number].act(games, rows[asked])
        past = np.flatnonzero(players >= self._first_snapshot)
        uniforms = generator.random(len(past))
        oldest = self._first_snapshot + self._snapshots_taken - len(self._snapshots)
        which = np.maximum(players[past] - oldest, 0)
        for number in np.unique(which):
            asked = past[which == number]
            probabilities = self._networks[number].action_probabilities(games, rows[asked])
            actions[asked] = drawn_actions(probabilities, uniforms[which == number])
        return actions

    def take_snapshot(self) -> None:
        """Keep a copy of the policy as it is; if there are too many snapshots, the oldest goes."""
        if SNAPSHOTS not in self.names:
            return
        copies = [*self.state_dict()[SNAPSHOTS], self.policy.state_dict()]
        self._hold(copies[-self.config.snapshots :])
        self._snapshots_taken += 1

    def _hold(self, snapshots: Sequence[dict[str, Any]]) -> None:
        """Keep copies of these weights in place of all snapshots, the oldest first."""
        self._snapshots = [copy.deepcopy(self.policy).cpu() for _ in snapshots]
        for policy, weights in zip(self._snapshots, snapshots, strict=True):
            policy.load_state_dict(weights)
        self._networks = [BoardNetwork(policy.weights()) for policy in self._snapshots]

    def state_dict(self) -> dict[str, Any]:
        """The snapshots."""
        weights = [policy.state_dict() for policy in self._snapshots]
        return {SNAPSHOTS: weights, "snapshots_taken": self._snapshots_taken}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these, from the next rollout on."""
        self._hold(saved[SNAPSHOTS])
        self._snapshots_taken = saved["snapshots_taken"]


@dataclass(eq=False)
class SeatedOpponents:
    """Who plays in the games of a group: drawn from a game's key when it begins, and kept to its end."""

    num_games: int  # N
    pool: OpponentPool  # whose weights and names count

    def __post_init__(self) -> None:
        self._keys = np.zeros(self.num_games, np.uint64)
        self._seated = np.zeros((self.num_games, self.pool.sides.players), np.int64)  # the opponent in each seat

    def see_who_acts(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        """Draw the opponents of new games; the (N,) numbers of who is about to act in the games in these states."""
        pool, side_of = self.pool, self.pool.sides.team_of
        keys, players = states["key"], states["player"]
        new = np.flatnonzero(keys != self._keys)
        if len(new):
            self._keys[new] = keys[new]
            is_whole, whole, *of_seats = _uniform(keys[new], [_IS_WHOLE, _WHOLE_TABLE, *side_of])
            drawn = np.where(is_whole < pool.config.whole_tables, whole, of_seats)
            self._seated[new] = np.searchsorted(pool.borders, drawn.T, side="right")
        [drawn] = _uniform(keys, [_LEARNERS_SIDE])
        learns = side_of[players] == (drawn * len(pool.sides)).astype(np.int64)
        return np.where(learns, pool.learner, self._seated[np.arange(len(keys)), players])

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The games, and who is in their seats."""
        keys, seats = self._keys.view(np.int64).copy(), self._seated.copy()
        return {"keys": torch.from_numpy(keys), "seats": torch.from_numpy(seats)}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these."""
        self._keys.view(np.int64)[:] = saved["keys"]
        self._seated[:] = saved["seats"]


def _uniform(keys: NDArray[np.uint64], salts: Sequence[int]) -> NDArray[np.float64]:
    """(k, n) pseudo-random numbers in [0, 1): for each of k salts a hash (SplitMix64) of each of n keys."""
    bits = keys + (np.array(salts, np.uint64)[:, np.newaxis] + np.uint64(1)) * _SALT
    for shift, multiplier in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(multiplier)
    return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53
