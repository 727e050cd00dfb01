"""The pool of opponents for self-play: one is drawn for each seat of each game, or for a whole table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents import Agent, make_agent
from ursuppe_env import Games
from ursuppe_training.config import SELF, SNAPSHOTS, TrainingConfig
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.policy_agent import PolicyAgent
from ursuppe_training.snapshots import Snapshots

_SEATS = np.uint64(0xD1B54A32D192ED03)  # tells the seats' draws apart; odd
_LEARNERS_SEAT = np.uint64(7)  # in place of a seat: which one the learner has
_SNAPSHOTS = np.uint64(8)  # beside a seat: which one plays there
_WHOLE_TABLE = np.uint64(14)  # in place of a seat: who plays all of them
_IS_WHOLE = np.uint64(15)  # in place of a seat: is there one draw for all of them?


class _Opponents(NamedTuple):
    """Those of a group of games: agents by the numbers of their names, and what snapshots draw by."""

    agents: list[Agent]
    generator: np.random.Generator


class OpponentPool:
    """Draws the opponent for each seat, and has each opponent act in all its games at once.

    The draw depends only on the key of the game and the seat: nothing needs to be stored, and a game has the same
    opponents regardless of the games beside it. A snapshot that is replaced by a newer one leaves it its seats.

    Args:
        config: with the weights of the opponents.
        policy: the one that learns.
        groups: numbers of groups of games, each of which has agents of its own, so that threads can play them side by
            side.
    """

    def __init__(self, config: TrainingConfig, policy: MaskedCategoricalPolicy, groups: Sequence[int] = (0,)) -> None:
        self._config = config
        self._policy = policy
        self._group_numbers = groups
        self._names = list(dict.fromkeys([*config.opponents, SELF]))
        weights = np.array([config.opponents.get(name, 0.0) for name in self._names])
        self._learner = self._names.index(SELF)
        self._borders = np.cumsum(weights) / weights.sum()
        self._snapshots = Snapshots(config, policy)
        self.begin_rollout(0)

    def begin_rollout(self, number: int) -> None:
        """Make the agents anew, seeded with the rollout's number, so that they draw the same after a resumption."""
        self._groups = {group: self._new_opponents(number, group) for group in self._group_numbers}

    def _new_opponents(self, rollout: int, group: int) -> _Opponents:
        generator = np.random.default_rng([self._config.seed, rollout, group])
        present = PolicyAgent(generator, policy=self._policy)
        agents: list[Agent] = [
            present if name in (SELF, SNAPSHOTS) else make_agent(name, generator) for name in self._names
        ]
        return _Opponents(agents, generator)

    # ------------------------------------------------------------------ seats

    def players(self, games: Games) -> NDArray[np.int64]:
        """(N,) the number of who is about to act: the learning policy, in its own seat of the game or in one drawn for
        it, an agent, or a snapshot.
        """
        keys, seats = games.state["key"], games.state["player"]
        own = _uniform(keys, _LEARNERS_SEAT) * games.num_players
        return np.where(seats == own.astype(np.int64), self._learner, self._drawn(keys, seats))

    def is_learner(self, players: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) whether these, (n,), are the learning policy."""
        return players == self._learner

    def is_teacher(self, players: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n,) whether these, (n,), are teachers."""
        return np.isin(players, [self._names.index(name) for name in self._config.teachers])

    def act(
        self, games: Games, rows: NDArray[np.int64], players: NDArray[np.int64], group: int = 0
    ) -> NDArray[np.int64]:
        """The actions, (n,), of these players, (n,), in these rows, (n,), of the games, which are of this group."""
        agents, generator = self._groups[group]
        actions = np.empty(len(rows), np.int64)
        for number in np.unique(players[players < len(agents)]):
            asked = np.flatnonzero(players == number)
            actions[asked] = agents[number].act(games, rows[asked])
        past = np.flatnonzero(players >= len(agents))
        if len(past):
            actions[past] = self._snapshots.act(games, rows[past], players[past] - len(agents), generator)
        return actions

    def __call__(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in the seats for which opponents are drawn, in these rows, (n,); also the policy's own."""
        keys, seats = games.state["key"][rows], games.state["player"][rows]
        return self.act(games, rows, self._drawn(keys, seats))

    def _drawn(self, keys: NDArray[np.uint64], seats: NDArray[np.int8]) -> NDArray[np.int64]:
        """(n,) the number of the agent in these seats of the games with these keys."""
        is_whole = _uniform(keys, _IS_WHOLE) < self._config.whole_tables
        salts = np.where(is_whole, _WHOLE_TABLE, seats.astype(np.uint64))
        drawn = np.searchsorted(self._borders, _uniform(keys, salts), side="right")
        if SNAPSHOTS in self._names:
            rows = np.flatnonzero(drawn == self._names.index(SNAPSHOTS))
            if len(self._snapshots) > 0:
                which = _uniform(keys[rows], salts[rows] + _SNAPSHOTS) * len(self._snapshots)
                drawn[rows] = len(self._names) + which.astype(np.int64)
            else:  # the present policy stands in for its past
                drawn[rows] = self._learner
        return drawn

    # ------------------------------------------------------------------ snapshots

    def take_snapshot(self) -> None:
        """Keep a copy of the policy as it is; if there are too many snapshots, the oldest one goes."""
        if SNAPSHOTS in self._names:
            self.load_state_dicts([*self.state_dicts(), self._policy.state_dict()][-self._config.snapshots :])

    def state_dicts(self) -> list[dict[str, Any]]:
        """The weights of the snapshots."""
        return self._snapshots.state_dicts()

    def load_state_dicts(self, snapshots: list[dict[str, Any]]) -> None:
        """Replace the snapshots by ones with these weights, which are copied."""
        self._snapshots.load_state_dicts(snapshots)


def _uniform(keys: NDArray[np.uint64], salt: NDArray[np.uint64] | np.uint64) -> NDArray[np.float64]:
    """(n,) pseudo-random numbers in [0, 1): a hash (SplitMix64) of the keys."""
    with np.errstate(over="ignore"):
        bits = keys + (salt + np.uint64(1)) * _SEATS
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)) * 2.0**-53
