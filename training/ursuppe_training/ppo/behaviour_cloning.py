"""Behaviour cloning: the policy learns to take the decisions of its teachers, opponents of the pool, as well.

From final rewards alone, a beginner needs many thousands of games to find out what to buy and where to feed. Teachers
at the table show it. Later the policy should become better than they are, so cloning fades out.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_training.ppo.buffer import Decisions
from ursuppe_training.ppo.gradients import Gradients
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

_BATCH_SIZE = 512  # a teacher's action has little noise, unlike a return: many small steps learn it fastest


class TaughtDecisions:
    """The decisions of teachers in one rollout of a group of games.

    Args:
        decisions: room for the most that are kept.
    """

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions
        self.used = 0

    @staticmethod
    def capacity(most: int) -> int:
        """How much room there must be to keep so many."""
        return most

    def reset(self) -> None:
        """Drop the decisions of the last rollout."""
        self.used = 0

    def add(self, inputs: torch.Tensor, action_masks: torch.Tensor, actions: torch.Tensor) -> None:
        """Add what teachers did in these n positions, as far as there is room."""
        start, stop = self.used, min(self.used + len(actions), len(self._decisions.actions))
        for mine, theirs in zip(self._decisions, (inputs, action_masks, actions), strict=False):
            mine[start:stop] = theirs[: stop - start]
        self.used = stop


class BehaviourCloning:
    """The decisions of teachers in one rollout of all games.

    Args:
        decisions: room for the most that are kept.
        sizes: of each group of games, in their order.
        processes: that train together, each with groups of its own.
        new_group: makes the decisions of a group, of the room for them.
    """

    def __init__(
        self,
        decisions: Decisions,
        sizes: Sequence[int],
        processes: Processes,
        new_group: Callable[[Decisions], Any] = TaughtDecisions,
    ) -> None:
        self._processes = processes
        self._decisions = decisions
        self._starts = [sum(sizes[:number]) for number in range(len(sizes))]
        self.groups = [
            new_group(decisions.at(slice(start, start + size))) for start, size in zip(self._starts, sizes, strict=True)
        ]

    def train(
        self,
        gradients: Gradients,
        optimizer: torch.optim.Optimizer,
        step: Callable[[], None],
        weight: float,
        generator: torch.Generator,
    ) -> None:
        """One epoch on the teachers' decisions (cross-entropy), at the optimiser's learning rate times ``weight``.

        Args:
            gradients: of the policy.
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
                gradients.of_cloning(self._decisions, rows[batch], int(count))
                step()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
