"""The rollout of all games: a buffer for each group of them, and what an update learns from."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_training.ppo.buffer import Decisions, SeatRolloutBuffer
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

_NO_ZERO = 1e-8  # where all advantages are the same


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
                "in a rollout no player came to its next decision, so nothing can be learned; raise rollout or envs"
            )
        order = torch.randperm(len(rows), generator=generator)
        batches = order.tensor_split(max(int(total) // batch_size, 1))
        parts = [advantages[batch].double() for batch in batches]
        sums = torch.stack([torch.stack([part.sum(), part.square().sum()]) for part in parts]).numpy()
        moments = np.column_stack([[float(len(part)) for part in parts], sums])
        for batch, (count, first, second) in zip(batches, self.processes.sums(moments), strict=True):
            mean = first / count
            deviation = math.sqrt(max(second - count * mean**2, 0.0) / max(count - 1, 1))
            normalised = (advantages[batch] - mean) / (deviation + _NO_ZERO)
            yield Minibatch(rows[batch], normalised, returns[batch], int(count))
