"""Behaviour cloning: the policy learns to take the decisions of its teachers, opponents of the pool, as well.

From final rewards alone, a beginner needs many thousands of games to find out what to buy and where to feed. Teachers
at the table show it. Later the policy should become better than they are, so cloning fades out.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_env.rules.state import STATE
from ursuppe_training.ppo.learner import Learner
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

_BATCH_SIZE = 512  # a teacher's action has little noise, unlike a return: many small steps learn it fastest


class DemonstrationBuffer:
    """The decisions of teachers in one rollout of a group of games, as many as there is room for."""

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


class BehaviourCloning:
    """The decisions of teachers in one rollout of all games.

    Args:
        room: the most that are kept of each group of games, in their order.
        processes: that train together, each with groups of its own.

    Attributes:
        groups: the buffers.
    """

    def __init__(self, room: Sequence[int], processes: Processes) -> None:
        self._processes = processes
        self.groups = [DemonstrationBuffer(most) for most in room]

    def train(
        self,
        learner: Learner,
        optimizer: torch.optim.Optimizer,
        step: Callable[[], None],
        weight: float,
        generator: torch.Generator,
    ) -> None:
        """One epoch on the teachers' decisions (cross-entropy), at the optimiser's learning rate times ``weight``.

        ``step`` changes the policy's weights by their gradients, ``generator`` orders the decisions.
        """
        rates = [group["lr"] for group in optimizer.param_groups]
        for group in optimizer.param_groups:
            group["lr"] *= weight
        states, actions = (torch.cat(parts) for parts in zip(*(group.shown for group in self.groups), strict=True))
        [total] = self._processes.sums(np.array([float(len(actions))]))
        order = torch.randperm(len(actions), generator=generator)
        batches = order.tensor_split(max(int(total) // _BATCH_SIZE, 1))
        for batch, count in zip(batches, self._processes.sums(np.array([*map(len, batches)], float)), strict=True):
            if count > 0:
                learner.cloning_gradients(states[batch], actions[batch], int(count))
                step()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
