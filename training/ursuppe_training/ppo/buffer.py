"""A rollout buffer for many games and seats: each seat has its own trajectory, with returns and advantages.

A decision's successor is the same seat's next one in that game, regardless of who acts in between; a game's last
decision of a seat is followed by the outcome, even if the game ends on another player's turn. A decision whose
successor is not yet known when a rollout ends is carried over to the next one.

Returns are outcomes of the whole table (``networks.outcomes``), as the critic predicts them: TD(lambda) is linear, so
each number has its own. Rewards come at the end of a game alone, and nothing is discounted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra

with extra("train"):
    import torch

_ARRAYS = ("_games", "_seats")
_SLICE = 1024  # decisions that a critic is asked about at once


class Decisions(NamedTuple):
    """What a network is told of M decisions.

    Attributes:
        inputs: (M, I) what its layers get, in the precision of their products.
        action_masks: (M, A) bool.
        actions: (M,) int64 that were taken.
        log_probs: (M,) float32 of these actions when they were drawn.
        who_plays: (M, P) int64 what the critic is told of who plays in each seat, the own one first; 0: nothing.
    """

    inputs: torch.Tensor
    action_masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    who_plays: torch.Tensor

    @classmethod
    def empty(
        cls, size: int, players: int, num_inputs: int, num_actions: int, precision: torch.dtype, device: torch.device
    ) -> "Decisions":
        """Room for so many."""
        return cls(
            torch.empty((size, num_inputs), dtype=precision, device=device),
            torch.empty((size, num_actions), dtype=torch.bool, device=device),
            torch.empty(size, dtype=torch.int64, device=device),
            torch.empty(size, device=device),
            torch.empty((size, players), dtype=torch.int64, device=device),
        )

    def at(self, rows: slice | torch.Tensor) -> "Decisions":
        """These of them: a view for a slice, a copy for (n,) numbers."""
        if isinstance(rows, slice):
            return Decisions(*(tensor[rows] for tensor in self))
        return Decisions(*(tensor.index_select(0, rows) for tensor in self))  # five times as fast as tensor[rows]

    def write(self, rows: slice, decisions: "Decisions") -> None:
        """Put decisions into these places."""
        for mine, theirs in zip(self, decisions, strict=True):
            mine[rows] = theirs


class _GameEnds(NamedTuple):
    """Games, (n,), that ended with these outcomes, (n, P, P, 3), seen from each seat."""

    games: NDArray[np.int64]
    outcomes: NDArray[np.float32]


class SeatRolloutBuffer:
    """The decisions of a rollout, of all seats that learn.

    Args:
        decisions: room for ``capacity`` of them.
        size: new decisions of a rollout; its last step may exceed it.
        num_games: N.
        players: P.
        gae_lambda: of generalised advantage estimation (GAE).

    Attributes:
        complete: (M,) the places of the decisions with a successor.
        values: (M, P, 3) the outcomes that the critic predicted there.
        returns: (M, P, 3) their TD(lambda) returns, which the critic learns.
        advantages: (M,) how much more reward than predicted the actions brought that were taken.
    """

    complete: NDArray[np.int64]
    values: NDArray[np.float32]
    returns: NDArray[np.float32]
    advantages: NDArray[np.float32]

    def __init__(self, decisions: Decisions, size: int, num_games: int, players: int, gae_lambda: float) -> None:
        self._decisions = decisions
        self._size = size
        self._shape = (num_games, players)
        self._gae_lambda = gae_lambda
        capacity = self.capacity(size, num_games, players)
        self._games = np.empty(capacity, np.int64)
        self._seats = np.empty(capacity, np.int64)
        self._used = 0
        self._pending = np.empty(0, np.int64)  # places of the decisions without a successor
        self.reset()

    @staticmethod
    def capacity(size: int, num_games: int, players: int) -> int:
        """How many decisions there may be: with the last step, and those carried over."""
        return size + num_games + num_games * players

    def reset(self) -> None:
        """Begin a rollout with the decisions that have no successor yet."""
        count = len(self._pending)
        self._decisions.write(slice(0, count), self._decisions.at(torch.from_numpy(self._pending)))
        for array in (self._games, self._seats):
            array[:count] = array[self._pending]
        self._used = count
        self._full = count + self._size
        self._pending = np.arange(count)
        self._history: list[slice | _GameEnds] = [slice(0, count)]  # decisions of a step, or games that ended after it

    @property
    def is_full(self) -> bool:
        """Whether the rollout has all its new decisions."""
        return self._used >= self._full

    def add(self, games: NDArray[np.int64], seats: NDArray[np.int64], decisions: Decisions) -> None:
        """Add one decision in each of these n games, which are all different."""
        step = slice(self._used, self._used + len(games))
        self._used = step.stop
        self._history.append(step)
        self._games[step], self._seats[step] = games, seats
        self._decisions.write(step, decisions)

    def end_games(self, games: NDArray[np.int64], outcomes: NDArray[np.float32]) -> None:
        """Note that these n games ended after the last step, with these outcomes, (n, P, P, 3), seen from each seat."""
        self._history.append(_GameEnds(games, outcomes))

    @property
    def slices(self) -> list[Decisions]:
        """All decisions, in slices about which a critic is asked at once."""
        ends = [*range(_SLICE, self._used, _SLICE), self._used]
        return [self._decisions.at(slice(start, end)) for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    def compute_returns_and_advantages(self, values: NDArray[np.float32], reward_weights: NDArray[np.float32]) -> None:
        """Generalised advantage estimation, backwards through the rollout, for all decisions with a successor.

        Args:
            values: (M, P, 3) the outcomes that the critic predicts at all decisions.
            reward_weights: (3,) by which the reward is a sum of what becomes of a seat.
        """
        shape = (*self._shape, *values.shape[1:])
        next_value, next_surplus = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        is_known = np.zeros(self._shape, np.bool_)
        surplus = np.zeros_like(values)  # how much more than predicted
        has_successor = np.zeros(self._used, np.bool_)
        for step in reversed(self._history):
            if isinstance(step, _GameEnds):
                is_known[step.games] = True
                next_value[step.games], next_surplus[step.games] = step.outcomes, 0
                continue
            at = self._games[step], self._seats[step]
            known = is_known[at]
            found = next_value[at] - values[step] + self._gae_lambda * next_surplus[at]
            surplus[step] = np.where(known[:, np.newaxis, np.newaxis], found, 0)
            has_successor[step] = known
            is_known[at] = True
            next_value[at], next_surplus[at] = values[step], surplus[step]
        self.complete = np.flatnonzero(has_successor)
        self._pending = np.flatnonzero(~has_successor)
        self.values = values[self.complete]
        self.returns = self.values + surplus[self.complete]
        self.advantages = surplus[self.complete, 0] @ reward_weights

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The decisions that have no successor yet."""
        saved = self._decisions.at(torch.from_numpy(self._pending))._asdict()
        for name in _ARRAYS:
            saved[name] = torch.from_numpy(getattr(self, name)[self._pending])
        return saved

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these decisions."""
        count = len(saved["actions"])
        self._decisions.write(slice(0, count), Decisions(*(saved[name] for name in Decisions._fields)))
        for name in _ARRAYS:
            getattr(self, name)[:count] = saved[name].numpy()
        self._pending = np.arange(count)
        self.reset()
