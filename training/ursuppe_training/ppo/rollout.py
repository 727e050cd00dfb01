"""What a rollout keeps: a buffer for each group of games, in which each seat of each game has its own trajectory.

A decision's successor is the same seat's next one in that game, regardless of who acts in between; a game's last
decision of a seat is followed by the outcome, even if the game ends on another player's turn. A decision whose
successor is not yet known when a rollout ends is carried over to the next one. A decision knows the place of the same
seat's one before, and advantages are computed along these chains, one for each seat of each game.

Returns are outcomes of the whole table (``networks.critic``), as the critic predicts them: TD(lambda) is linear, so
each number has its own. Rewards come at the end of a game alone, and nothing is discounted.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.weights import KINDS
from ursuppe_env import Games, Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.rules.state import STATE
from ursuppe_training.devices import Processes

with extra("train"):
    import torch

_NONE = -1  # no decision
_NO_ZERO = 1e-8  # where all advantages are the same


def as_tensor(games: Games) -> torch.Tensor:
    """(N, size of a state) uint8: the games as they stand, with their random streams; a checkpoint needs no pickle."""
    return torch.from_numpy(games.state.copy().view(np.uint8).reshape(len(games), STATE.itemsize))


def as_games(states: torch.Tensor, ruleset: Ruleset | Sequence[Ruleset], threads: int | None = None) -> Games:
    """The games in a tensor of ``as_tensor``; the others are as for ``Games``.

    Raises:
        ValueError: it is of another version of the package, or impossible with this ruleset.
    """
    if states.dtype != torch.uint8 or states.ndim != 2 or states.shape[1] != STATE.itemsize:
        raise ValueError(f"states is a tensor of shape {tuple(states.shape)}; it must be (N, {STATE.itemsize}) bytes")
    return Games.from_state(np.ascontiguousarray(states.numpy()).view(STATE)[:, 0], ruleset, threads)


@dataclass(frozen=True)
class Decisions:
    """M decisions that were made while games were played."""

    actions: torch.Tensor  # (M,) int64 that were taken
    log_probs: torch.Tensor  # (M,) float32 of these actions when they were drawn
    is_learned: torch.Tensor  # (M,) bool, whether updates learn from them; advantages are computed with all
    states: torch.Tensor  # (M, size of a state) uint8, the games in which they were made
    values: torch.Tensor  # (M, P, 3) float32 outcomes that the critic predicted then

    @classmethod
    def empty(cls, count: int, players: int) -> Self:
        """Room for so many, at tables of so many players."""
        return cls(
            torch.empty(count, dtype=torch.int64),
            torch.empty(count),
            torch.ones(count, dtype=torch.bool),
            torch.empty((count, STATE.itemsize), dtype=torch.uint8),
            torch.zeros((count, players, len(KINDS))),
        )

    def tensors(self) -> dict[str, torch.Tensor]:
        """All tensors by their names."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def at(self, rows: slice | torch.Tensor) -> Self:
        """These of them: a view for a slice, a copy for (n,) numbers."""
        tensors = self.tensors().items()
        if isinstance(rows, slice):
            return type(self)(**{name: tensor[rows] for name, tensor in tensors})
        # five times as fast as tensor[rows]
        return type(self)(**{name: tensor.index_select(0, rows) for name, tensor in tensors})

    def write(self, start: int, tensors: Mapping[str, torch.Tensor]) -> None:
        """Put n decisions, by the names of their tensors, into the places from this one on."""
        for name, theirs in tensors.items():
            getattr(self, name)[start : start + len(theirs)] = theirs


@dataclass(eq=False)
class SeatRolloutBuffer:
    """The decisions of a rollout, of all seats that learn."""

    decisions: Decisions  # room for ``capacity`` of them
    size: int  # new decisions of a rollout; its last step may exceed it
    num_games: int  # N
    players: int  # P
    gae_lambda: float  # of generalised advantage estimation (GAE)

    complete: torch.Tensor = field(init=False)  # (M,) the places of the decisions with a successor
    values: torch.Tensor = field(init=False)  # (M, P, 3) the outcomes that the critic predicted there
    returns: torch.Tensor = field(init=False)  # (M, P, 3) their TD(lambda) returns, which the critic learns
    advantages: torch.Tensor = field(init=False)  # (M,) how much more reward than predicted the actions taken brought

    def __post_init__(self) -> None:
        capacity = self.capacity(self.size, self.num_games, self.players)
        self.last = np.full((self.num_games, self.players), _NONE)  # the place of each seat's last decision
        self.before = np.full(capacity, _NONE)  # that of the same seat's one before each
        self.is_final = np.zeros(capacity, np.bool_)  # whether the game ended after it
        self.finals = np.zeros((capacity, self.players, len(KINDS)), np.float32)  # with which outcome for that seat
        self._used = self._carried_over = 0

    @staticmethod
    def capacity(size: int, num_games: int, players: int) -> int:
        """How many decisions there may be: with those of the last step, and those carried over."""
        return size + num_games + num_games * players

    @property
    def learned(self) -> int:
        """How many decisions of this rollout there are."""
        return self._used - self._carried_over

    @property
    def is_full(self) -> bool:
        """Whether the rollout has all its decisions."""
        return self.learned >= self.size

    def reset(self) -> None:
        """Begin a rollout with the decisions that have no successor yet, in their order."""
        self.load_state_dict(self.state_dict())

    def add(self, games: NDArray[np.int64], seats: NDArray[np.int8], decisions: Decisions) -> None:
        """Add those of a step, made in these games, (m,), which are all different, by these seats, (m,)."""
        self.decisions.write(self._used, decisions.tensors())
        places = np.arange(self._used, self._used + len(games))
        self.before[places] = self.last[games, seats]
        self.last[games, seats] = places
        self._used += len(games)

    def end_games(self, games: NDArray[np.int64], outcomes: NDArray[np.float32]) -> None:
        """Let these games, (n,), end for each seat after its last decision, with these outcomes, (n, P, P, 3)."""
        places = self.last[games]
        games_of, seats = np.nonzero((places != _NONE) & ~self.is_final[places])
        final = places[games_of, seats]
        self.is_final[final] = True
        self.finals[final] = outcomes[games_of, seats]

    def compute_returns_and_advantages(self, reward_weights: NDArray[np.float32]) -> None:
        """Generalised advantage estimation backwards through the decisions of each seat, for all with a successor.

        Args:
            reward_weights: (3,) by which the reward is a sum of what becomes of a seat.
        """
        predicted, lambda_ = self.decisions.values.numpy(), np.float32(self.gae_lambda)
        surplus, is_complete = np.zeros_like(predicted), self.is_final.copy()
        final = np.flatnonzero(self.is_final)
        surplus[final] = self.finals[final] - predicted[final]
        after = self.last[self.last != _NONE]
        while len(after):
            place = self.before[after]
            place, after = place[place != _NONE], after[place != _NONE]
            is_complete[place] = True
            goes_on = ~self.is_final[place]  # else its game ended before the next decision
            now, later = place[goes_on], after[goes_on]
            surplus[now] = (predicted[later] - predicted[now]) + lambda_ * surplus[later]
            after = place
        complete = np.flatnonzero(is_complete)
        gained = torch.from_numpy(surplus[complete])
        self.complete = torch.from_numpy(complete)
        self.values = torch.from_numpy(predicted[complete])
        self.returns = self.values + gained
        self.advantages = gained[:, 0] @ torch.from_numpy(reward_weights)

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The decisions that have no successor yet, by place."""
        games, seats = np.nonzero((self.last != _NONE) & ~self.is_final[self.last])
        places = self.last[games, seats]
        order = places.argsort()
        saved = self.decisions.at(torch.from_numpy(places[order])).tensors()
        return saved | {"_games": torch.from_numpy(games[order]), "_seats": torch.from_numpy(seats[order])}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Begin a rollout with these decisions in the first places."""
        self.decisions.write(0, {name: saved[name] for name in self.decisions.tensors()})
        count = len(saved["_games"])
        self.last.fill(_NONE)
        self.last[saved["_games"].numpy(), saved["_seats"].numpy()] = np.arange(count)
        self.before.fill(_NONE)
        self.is_final.fill(False)
        self._used = self._carried_over = count


class DemonstrationBuffer:
    """The decisions of teachers in one rollout of a group of games, as many as there is room for.

    From final rewards alone, a beginner needs many thousands of games to find out what to buy and where to feed.
    Teachers, opponents of the pool, show it. Later the policy should become better than they are, so cloning fades out.
    """

    def __init__(self, room: int) -> None:
        self._states = torch.empty((room, STATE.itemsize), dtype=torch.uint8)
        self._actions = torch.empty(room, dtype=torch.int64)
        self._used = 0

    def reset(self) -> None:
        """Drop the decisions of the last rollout."""
        self._used = 0

    def add(self, states: torch.Tensor, actions: NDArray[np.int64]) -> None:
        """Add what teachers did in a step, (m,), in games in these states, (m, size), as far as there is room."""
        count = min(len(actions), len(self._actions) - self._used)
        kept = slice(self._used, self._used + count)
        self._states[kept] = states[:count]
        self._actions[kept] = torch.from_numpy(actions[:count])
        self._used += count

    @property
    def shown(self) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, size) states of the games, and (n,) the actions that were taken there."""
        return self._states[: self._used], self._actions[: self._used]


class Minibatch(NamedTuple):
    """Decisions of a rollout, and what is learned from them."""

    rows: torch.Tensor  # (n,) int64 places among ``Rollout.decisions``
    advantages: torch.Tensor  # (n,) float32; the minibatch has mean 0 and standard deviation 1
    returns: torch.Tensor  # (n, P, 3) float32 outcomes
    total: int  # n, with those of the other processes that train together

    def split(self, size: int) -> list["Minibatch"]:
        """The same in slices of at most so many decisions."""
        parts = zip(self.rows.split(size), self.advantages.split(size), self.returns.split(size), strict=True)
        return [Minibatch(rows, advantages, returns, self.total) for rows, advantages, returns in parts]


@dataclass(eq=False)
class Rollout:
    """The decisions of a rollout, of all groups of games side by side."""

    decisions_a_game: int  # new decisions of a rollout in each game, on average
    group_sizes: Sequence[int]  # games of each group of this process
    players: int  # P
    gae_lambda: float  # as for ``SeatRolloutBuffer``
    processes: Processes  # that train together, each with groups of its own

    def __post_init__(self) -> None:
        players, lambda_ = self.players, self.gae_lambda
        sizes = [(self.decisions_a_game * games, games) for games in self.group_sizes]
        self._starts = np.cumsum([0, *(SeatRolloutBuffer.capacity(size, games, players) for size, games in sizes)])
        self.decisions = Decisions.empty(int(self._starts[-1]), players)  # of each group a range of places
        ranges = map(slice, self._starts[:-1], self._starts[1:])
        self.buffers = [
            SeatRolloutBuffer(self.decisions.at(places), size, games, players, lambda_)
            for places, (size, games) in zip(ranges, sizes, strict=True)
        ]

    def compute_returns_and_advantages(self, reward_weights: NDArray[np.float32]) -> None:
        """Of all decisions with a successor; see ``SeatRolloutBuffer``."""
        for buffer in self.buffers:
            buffer.compute_returns_and_advantages(reward_weights)

    def of_all(self, name: str) -> torch.Tensor:
        """What all buffers have under this name (``SeatRolloutBuffer``), one behind the other."""
        return torch.cat([getattr(buffer, name) for buffer in self.buffers])

    def minibatches(self, batch_size: int, generator: torch.Generator) -> Iterator[Minibatch]:
        """All decisions to learn from that have a successor, in random order and minibatches of about this size.

        Processes that train together have as many minibatches, of which each is this size with theirs.

        Raises:
            ValueError: there is none.
        """
        starts = zip(self._starts[:-1].tolist(), self.buffers, strict=True)
        rows = torch.cat([start + buffer.complete for start, buffer in starts])
        advantages, returns = self.of_all("advantages"), self.of_all("returns")
        learned = self.decisions.is_learned[rows]
        rows, advantages, returns = rows[learned], advantages[learned], returns[learned]
        [total] = self.processes.sums(np.array([float(len(rows))]))
        if total == 0:
            raise ValueError(
                "in a rollout no player came to its next decision, or all were sure of theirs, so nothing can be "
                "learned; raise rollout or envs"
            )
        batches = torch.randperm(len(rows), generator=generator).tensor_split(max(int(total) // batch_size, 1))
        parts = [advantages[batch].double() for batch in batches]
        sums = torch.stack([torch.stack([part.sum(), part.square().sum()]) for part in parts]).numpy()
        moments = np.column_stack([[float(len(part)) for part in parts], sums])
        for batch, (count, first, second) in zip(batches, self.processes.sums(moments), strict=True):
            mean = first / count
            deviation = math.sqrt(max(second - count * mean**2, 0.0) / max(count - 1, 1))
            normalised = (advantages[batch] - mean) / (deviation + _NO_ZERO)
            yield Minibatch(rows[batch], normalised, returns[batch], int(count))
