"""Behaviour cloning: the policy learns to take the decisions of its teachers, opponents of the pool, as well.

From final rewards alone, a beginner needs many thousands of games to find out what to buy and where to feed. Teachers
at the table show it. Later the policy should become better than they are, so cloning fades out.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.ppo.buffer import Decisions
from ursuppe_training.ppo.learner import Learner
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

_BATCH_SIZE = 512  # a teacher's action has little noise, unlike a return: many small steps learn it fastest


class Demonstrations(NamedTuple):
    """What was decided in a step, in m games, and by whom.

    Attributes:
        is_kept: (m,) bool: by a teacher?
        seen: what the policy would see there (``FrozenPolicy.observe``).
        actions: (m,) int64 that were taken.
    """

    is_kept: torch.Tensor
    seen: dict[str, torch.Tensor]
    actions: torch.Tensor


class DemonstrationBuffer:
    """The decisions of teachers in one rollout of a group of games.

    Args:
        decisions: room for the most that are kept, and one more, where those go that are not.
        memory: where the games are, and are counted.

    Attributes:
        used: how many there are, once the rollout is over.
    """

    def __init__(self, decisions: Decisions, memory: Memory) -> None:
        self._decisions = decisions
        self._room = max(len(decisions.actions) - 1, 0)
        self._count = torch.zeros((), dtype=torch.int64, device=memory.device)
        self.used = 0

    def reset(self) -> None:
        """Drop the decisions of the last rollout."""
        self._count.zero_()
        self.used = 0

    def add(self, made: Demonstrations) -> None:
        """Add what teachers did in a step, as far as there is room."""
        is_kept = made.is_kept
        places = self._count + is_kept.cumsum(0) - 1
        shown = {**made.seen, "actions": made.actions}
        self._decisions.write(places.masked_fill(~is_kept | (places > self._room), self._room), shown)
        self._count += is_kept.sum()

    def end_rollout(self) -> None:
        """See how many there are. Waits for a GPU."""
        self.used = min(int(self._count), self._room)


class BehaviourCloning:
    """The decisions of teachers in one rollout of all games.

    Args:
        decisions: room for the most that are kept.
        sizes: the part of it that each group of games has, in their order.
        processes: that train together, each with groups of its own.
        memory: where the games are.
    """

    def __init__(
        self,
        decisions: Decisions,
        sizes: Sequence[int],
        processes: Processes,
        memory: Memory,
    ) -> None:
        self._processes = processes
        self._decisions = decisions
        self._starts = [sum(sizes[:number]) for number in range(len(sizes))]
        self.groups = [
            DemonstrationBuffer(decisions.at(slice(start, start + size)), memory)
            for start, size in zip(self._starts, sizes, strict=True)
        ]

    def train(
        self,
        learner: Learner,
        optimizer: torch.optim.Optimizer,
        step: Callable[[], None],
        weight: float,
        generator: torch.Generator,
    ) -> None:
        """One epoch on the teachers' decisions (cross-entropy), at the optimiser's learning rate times ``weight``.

        Args:
            learner: of the policy.
            optimizer: of the policy.
            step: changes the policy's weights by their gradients.
            weight: from 0 to 1.
            generator: of the order of the decisions.
        """
        rates = [group["lr"] for group in optimizer.param_groups]
        for group in optimizer.param_groups:
            group["lr"] *= weight
        device, groups = self._decisions.actions.device, zip(self._starts, self.groups, strict=True)
        rows = torch.cat([torch.arange(start, start + group.used, device=device) for start, group in groups])
        [total] = self._processes.sums(np.array([float(len(rows))]))
        order = torch.randperm(len(rows), generator=generator).to(device)
        batches = order.tensor_split(max(int(total) // _BATCH_SIZE, 1))
        for batch, count in zip(batches, self._processes.sums(np.array([*map(len, batches)], float)), strict=True):
            if count > 0:
                learner.cloning_gradients(self._decisions, rows[batch], int(count))
                step()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
