"""The rollout buffer of a group of games on a GPU: that of ``ursuppe_training.ppo.buffer``, in arrays of fixed
shapes, because the processor does not know how many decisions of a step are learned from.

The GPU counts them, and gives each its place; what is not to be kept goes into one place behind all others. A decision
knows the place of the same seat's one before, so that advantages are computed along these chains, a thread for each.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_training.on_gpu import bodies
from ursuppe_training.on_gpu.memory import Memory, Shared
from ursuppe_training.ppo.buffer import Decisions, SeatRolloutBuffer
from ursuppe_training.ppo.rollout import Rollout

with extra("train"):
    import torch

_SLICE = 16_384  # decisions that a critic is asked about at once


class Chains(NamedTuple):
    """What follows what, for kernels.

    Attributes:
        last: (N, P) int64 the place of the last decision of each seat of each game, or NONE.
        before: (M,) int64 the place of the same seat's decision before, or NONE.
        is_final: (M,) bool, has a game ended after this decision of a seat?
        finals: (M, P, 3) float32 with which outcome, seen from that seat.
    """

    last: Shared
    before: Shared
    is_final: Shared
    finals: Shared


class SeatRolloutBufferOnGpu:
    """The decisions of a rollout, of all seats that learn.

    Args:
        decisions: room for ``capacity`` of them.
        size: new decisions of a rollout; its last step may exceed it.
        num_games: N.
        players: P.
        gae_lambda: of generalised advantage estimation (GAE).
        memory: of the GPU.

    Attributes:
        counts: (2,) int64, shared: decisions so far, and as many as a rollout has.
        chains: of the decisions of each seat.
        complete: (M,) the places of the decisions with a successor; this and all that follow are tensors.
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
        self._surplus = memory.filled(outcomes, np.float32, 0)
        self._is_complete = memory.filled((capacity,), np.bool_, False)
        self._gae_lambda = memory.holding(np.array([gae_lambda], np.float32))

    @staticmethod
    def capacity(size: int, num_games: int, players: int) -> int:
        """How many decisions there may be, and the place of those that are not kept."""
        return SeatRolloutBuffer.capacity(size, num_games, players) + 1

    def reset(self) -> None:
        """Begin a rollout with the decisions that have no successor yet."""
        last, _, is_final, _ = (shared.tensor for shared in self.chains)
        places = last.flatten()
        waits = (places >= 0) & ~is_final[places.clamp_min(0)]
        ranks = waits.cumsum(0)
        moved = self._decisions.at(places.masked_fill(~waits, self._nowhere))
        self._write((ranks - 1).masked_fill(~waits, self._nowhere), moved)
        last.copy_((ranks - 1).masked_fill(~waits, bodies.NONE).view(self._shape))
        self._begin_with(ranks[-1])

    def _begin_with(self, count: torch.Tensor | int) -> None:
        """Begin a rollout with so many decisions, in the first places."""
        self.chains.before.tensor.fill_(bodies.NONE)
        self.chains.is_final.tensor.fill_(False)
        self.counts.tensor[bodies.USED] = count
        self.counts.tensor[bodies.FULL] = count + self._size

    def learned(self, counts: NDArray[np.int64]) -> int:
        """How many decisions of this rollout there were when it had these (2,) counts."""
        return int(counts[bodies.USED] - counts[bodies.FULL]) + self._size

    def add(self, learns: torch.Tensor, seats: Shared, decisions: Decisions) -> None:
        """Add the decisions of a step in those of N games in which the policy learns.

        Args:
            learns: (N,) bool.
            seats: (N,) int8 who decides.
            decisions: N of them.
        """
        used = self.counts.tensor[bodies.USED]
        ranks = learns.cumsum(0)
        places = used + ranks - 1
        self._write(places.masked_fill(~learns, self._nowhere), decisions)
        self._places.tensor.copy_(places.masked_fill(~learns, bodies.NONE))
        used += ranks[-1]
        last, before, is_final, _ = (shared.array for shared in self.chains)
        arguments = self._places.array, seats.array, last, before, is_final
        self._memory.gpu.launch(bodies.note_decision, len(learns), *arguments)

    def _write(self, places: torch.Tensor, decisions: Decisions) -> None:
        for mine, theirs in zip(self._decisions, decisions, strict=True):
            mine.index_copy_(0, places, theirs)

    def compute_returns_and_advantages(
        self, predict: Callable[[Decisions], torch.Tensor], reward_weights: torch.Tensor
    ) -> None:
        """Generalised advantage estimation, for all decisions with a successor. Waits for the GPU.

        Args:
            predict: gives the (n, P, 3) outcomes that a critic predicts at n decisions.
            reward_weights: (3,) by which the reward is a sum of what becomes of a seat.
        """
        used = int(self.counts.tensor[bodies.USED])
        for start in range(0, used, _SLICE):
            places = slice(start, min(start + _SLICE, used))
            self._values.tensor[places] = predict(self._decisions.at(places))
        self._is_complete.tensor.fill_(False)
        chains = [shared.array for shared in self.chains]
        arguments = *chains, self._values.array, self._gae_lambda.array, self._surplus.array, self._is_complete.array
        num_games, players = self._shape
        self._memory.gpu.launch(bodies.compute_advantages, num_games * players, *arguments)
        self.complete = self._is_complete.tensor.nonzero()[:, 0]
        surplus = self._surplus.tensor[self.complete]
        self.values = self._values.tensor[self.complete]
        self.returns = self.values + surplus
        self.advantages = surplus[:, 0] @ reward_weights

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The decisions that have no successor yet, as ``SeatRolloutBuffer`` has them."""
        last, _, is_final, _ = (shared.tensor for shared in self.chains)
        games, seats = ((last >= 0) & ~is_final[last.clamp_min(0)]).nonzero(as_tuple=True)
        saved = {**self._decisions.at(last[games, seats])._asdict(), "_games": games, "_seats": seats}
        return {name: tensor.cpu() for name, tensor in saved.items()}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these decisions."""
        device, count = self._memory.device, len(saved["actions"])
        places = torch.arange(count, device=device)
        self._write(places, Decisions(*(saved[name].to(device) for name in Decisions._fields)))
        last = self.chains.last.tensor
        last.fill_(bodies.NONE)
        last[saved["_games"].to(device), saved["_seats"].to(device)] = places
        self._begin_with(count)


class RolloutOnGpu(Rollout):
    """The rollout of groups on a GPU.

    Args:
        memory: of the GPU.
        settings: as for ``Rollout``.
    """

    buffers: list[SeatRolloutBufferOnGpu]  # type: ignore[assignment]
    _capacity = staticmethod(SeatRolloutBufferOnGpu.capacity)

    def __init__(self, memory: Memory, **settings: Any) -> None:
        self._memory = memory
        super().__init__(**settings)

    def _new_buffer(  # type: ignore[override]
        self, decisions: Decisions, size: int, num_games: int, players: int, gae_lambda: float
    ) -> SeatRolloutBufferOnGpu:
        return SeatRolloutBufferOnGpu(decisions, size, num_games, players, gae_lambda, self._memory)

    def compute_returns_and_advantages(
        self,
        predict: Callable[[Decisions], torch.Tensor],
        workers: Executor,
        reward_weights: NDArray[np.float32],
    ) -> None:
        """As on the processor; the workers have nothing to do."""
        for buffer in self.buffers:
            buffer.compute_returns_and_advantages(predict, torch.from_numpy(reward_weights).to(self._memory.device))
