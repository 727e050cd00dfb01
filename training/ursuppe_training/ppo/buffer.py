"""A rollout buffer for many games and seats: each seat has its own trajectory, with returns and advantages.

A decision's successor is the same seat's next one in that game, regardless of who acts in between; a game's last
decision of a seat is followed by the outcome, even if the game ends on another player's turn. A decision whose
successor is not yet known when a rollout ends is carried over to the next one.

The places of decisions are counted where the games are: a GPU knows how many of a step are learned from, and the
processor need not wait to hear of it. What is not to be kept goes into one place behind all others. A decision knows
the place of the same seat's one before, and advantages are computed along these chains, one for each seat of each game.

Returns are outcomes of the whole table (``networks.outcomes``), as the critic predicts them: TD(lambda) is linear, so
each number has its own. Rewards come at the end of a game alone, and nothing is discounted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.cuda.arrays import Array
from ursuppe_env.extras import extra
from ursuppe_training.kernels import bodies
from ursuppe_training.kernels.memory import Chains, Memory

with extra("train"):
    import torch

#: Decisions that a critic is asked about at once: few enough for the processor's caches, enough to fill a GPU.
_SLICE, _SLICE_ON_GPU = 1024, 16_384


@dataclass(frozen=True)
class Decisions:
    """M decisions that were made while games were played; learners add what their networks see (``ppo.learner``).

    Attributes:
        actions: (M,) int64 that were taken.
        log_probs: (M,) float32 of these actions when they were drawn.
        is_learned: (M,) bool, whether updates learn from them. The others are what advantages are computed with.
    """

    actions: torch.Tensor
    log_probs: torch.Tensor
    is_learned: torch.Tensor

    def tensors(self) -> dict[str, torch.Tensor]:
        """All tensors by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def at(self, rows: slice | torch.Tensor) -> Self:
        """These of them: a view for a slice, a copy for (n,) numbers."""
        tensors = self.tensors().items()
        if isinstance(rows, slice):
            return type(self)(**{name: tensor[rows] for name, tensor in tensors})
        # five times as fast as tensor[rows]
        return type(self)(**{name: tensor.index_select(0, rows) for name, tensor in tensors})

    def write(self, places: torch.Tensor, tensors: Mapping[str, torch.Tensor]) -> None:
        """Put n decisions, or what is given of them, into these places, (n,)."""
        for name, theirs in tensors.items():
            mine = getattr(self, name)
            mine.index_copy_(0, places.to(mine.device), theirs.to(mine.device))


class SeatDecisions(NamedTuple):
    """What was decided in a step, in m games.

    Attributes:
        is_kept: (m,) bool tensor: is it learned from?
        games: (m,) int64, for kernels: the rows of the games.
        seats: (m,) int8, for kernels: who decided.
        decisions: m of them.
    """

    is_kept: torch.Tensor
    games: Array
    seats: Array
    decisions: Decisions


class SeatRolloutBuffer:
    """The decisions of a rollout, of all seats that learn.

    Args:
        decisions: room for ``capacity`` of them.
        size: new decisions of a rollout; its last step may exceed it.
        num_games: N.
        players: P.
        gae_lambda: of generalised advantage estimation (GAE).
        memory: where the games are.

    Attributes:
        counts: (2,) int64, shared: decisions so far, and as many as a rollout has.
        chains: of the decisions of each seat.
        complete: (M,) the places of the decisions with a successor.
        values: (M, P, 3) the outcomes that the critic predicted there.
        returns: (M, P, 3) their TD(lambda) returns, which the critic learns.
        advantages: (M,) how much more reward than predicted the actions brought that were taken.
    """

    complete: torch.Tensor
    values: torch.Tensor
    returns: torch.Tensor
    advantages: torch.Tensor

    def __init__(
        self, decisions: Decisions, size: int, num_games: int, players: int, gae_lambda: float, memory: Memory
    ) -> None:
        self._decisions = decisions
        self._size = size
        self._shape = num_games, players
        self._memory = memory
        capacity = self.capacity(size, num_games, players)
        self._nowhere = capacity - 1  # where decisions go that are not kept
        outcomes = capacity, players, 3
        self.counts = memory.filled((2,), np.int64, 0)
        self.chains = Chains(
            last=memory.filled((num_games, players), np.int64, bodies.NONE),
            before=memory.filled((capacity,), np.int64, bodies.NONE),
            is_final=memory.filled((capacity,), np.bool_, False),
            finals=memory.filled(outcomes, np.float32, 0),
        )
        self._places = memory.filled((num_games,), np.int64, bodies.NONE)
        self._values = memory.filled(outcomes, np.float32, 0)
        self._surplus = memory.filled(outcomes, np.float32, 0)  # how much more than predicted
        self._is_complete = memory.filled((capacity,), np.bool_, False)
        self._gae_lambda = memory.holding(np.array([gae_lambda], np.float32))
        self._begin_with(0)

    @staticmethod
    def capacity(size: int, num_games: int, players: int) -> int:
        """How many decisions there may be: with the last step, those carried over, and the place of those not kept."""
        return size + num_games + num_games * players + 1

    def reset(self) -> None:
        """Begin a rollout with the decisions that have no successor yet, in their order."""
        last = self.chains.last.tensor
        waiting = self._waiting.flatten()
        places, order = last.flatten().masked_fill(~waiting, self._nowhere).sort(stable=True)
        ordered = torch.arange(len(order), device=order.device)
        ranks = torch.empty_like(order)
        ranks[order] = ordered
        moved = self._decisions.at(places.to(self._decisions.actions.device))
        self._decisions.write(ordered.masked_fill(places == self._nowhere, self._nowhere), moved.tensors())
        last.copy_(ranks.masked_fill(~waiting, bodies.NONE).view(self._shape))
        self._begin_with(waiting.sum())

    @property
    def _waiting(self) -> torch.Tensor:
        """(N, P) whether the last decision of each seat has no successor yet."""
        last, _, is_final, _ = (shared.tensor for shared in self.chains)
        return (last >= 0) & ~is_final[last.clamp_min(0)]

    def _begin_with(self, count: torch.Tensor | int) -> None:
        """Begin a rollout with so many decisions, in the first places."""
        self.chains.before.tensor.fill_(bodies.NONE)
        self.chains.is_final.tensor.fill_(False)
        self.counts.tensor[bodies.USED] = count
        self.counts.tensor[bodies.FULL] = count + self._size

    def learned(self, counts: NDArray[np.int64]) -> int:
        """How many decisions of this rollout there were when it had these (2,) counts."""
        return int(counts[bodies.USED] - counts[bodies.FULL]) + self._size

    def add(self, made: SeatDecisions) -> None:
        """Add those decisions of a step that are learned from; all games are different."""
        used, count = self.counts.tensor[bodies.USED], len(made.is_kept)
        ranks = made.is_kept.cumsum(0)
        places = used + ranks - 1
        self._decisions.write(places.masked_fill(~made.is_kept, self._nowhere), made.decisions.tensors())
        self._places.tensor[:count] = places.masked_fill(~made.is_kept, bodies.NONE)
        used += ranks[-1]
        last, before, is_final, _ = (shared.array for shared in self.chains)
        arguments = made.games, self._places.array, made.seats, last, before, is_final
        self._memory.kernels.launch(bodies.note_decision, count, *arguments)

    @property
    def slices(self) -> list[Decisions]:
        """All decisions, in slices about which a critic is asked at once. Waits for a GPU."""
        size = _SLICE if self._decisions.actions.device.type == "cpu" else _SLICE_ON_GPU
        used = int(self.counts.tensor[bodies.USED])
        return [self._decisions.at(slice(start, min(start + size, used))) for start in range(0, used, size)]

    def compute_returns_and_advantages(self, values: torch.Tensor, reward_weights: NDArray[np.float32]) -> None:
        """Generalised advantage estimation, for all decisions with a successor. Waits for a GPU.

        Args:
            values: (M, P, 3) the outcomes that the critic predicts at all decisions.
            reward_weights: (3,) by which the reward is a sum of what becomes of a seat.
        """
        self._values.tensor[: len(values)] = values
        self._is_complete.tensor.fill_(False)
        chains = [shared.array for shared in self.chains]
        arguments = *chains, self._values.array, self._gae_lambda.array, self._surplus.array, self._is_complete.array
        num_games, players = self._shape
        self._memory.kernels.launch(bodies.compute_advantages, num_games * players, *arguments)
        self.complete = self._is_complete.tensor.nonzero()[:, 0]
        surplus = self._surplus.tensor[self.complete]
        self.values = self._values.tensor[self.complete]
        self.returns = self.values + surplus
        self.advantages = surplus[:, 0] @ torch.from_numpy(reward_weights).to(surplus.device)

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The decisions that have no successor yet."""
        games, seats = self._waiting.nonzero(as_tuple=True)
        places, order = self.chains.last.tensor[games, seats].sort()
        saved = self._decisions.at(places.to(self._decisions.actions.device)).tensors()
        saved |= {"_games": games[order], "_seats": seats[order]}
        return {name: tensor.cpu() for name, tensor in saved.items()}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these decisions."""
        device = self._memory.device
        places = torch.arange(len(saved["actions"]), device=device)
        self._decisions.write(places, {name: saved[name] for name in self._decisions.tensors()})
        last = self.chains.last.tensor
        last.fill_(bodies.NONE)
        last[saved["_games"].to(device), saved["_seats"].to(device)] = places
        self._begin_with(len(places))
