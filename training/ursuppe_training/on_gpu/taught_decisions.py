"""The decisions of teachers in one rollout of a group of games on a GPU."""

from ursuppe_env.extras import extra
from ursuppe_training.ppo.buffer import Decisions

with extra("train"):
    import torch


class TaughtDecisionsOnGpu:
    """``TaughtDecisions`` of which the GPU counts how many there are.

    Args:
        decisions: room for the most that are kept, and one more.

    Attributes:
        used: how many there are, once the rollout is over.
    """

    def __init__(self, decisions: Decisions) -> None:
        self._decisions = decisions
        self._room = max(len(decisions.actions) - 1, 0)
        self._count = torch.zeros((), dtype=torch.int64, device=decisions.actions.device)
        self.used = 0

    @staticmethod
    def capacity(most: int) -> int:
        """How much room there must be to keep so many."""
        return most + 1

    def reset(self) -> None:
        """Drop the decisions of the last rollout."""
        self._count.zero_()
        self.used = 0

    def add(
        self, teaches: torch.Tensor, inputs: torch.Tensor, action_masks: torch.Tensor, actions: torch.Tensor
    ) -> None:
        """Add what was done in these of N positions, (N,) bool, as far as there is room."""
        places = self._count + teaches.cumsum(0) - 1
        places = places.masked_fill(~teaches | (places > self._room), self._room)
        for mine, theirs in zip(self._decisions, (inputs, action_masks, actions), strict=False):
            mine.index_copy_(0, places, theirs)
        self._count += teaches.sum()

    def end_rollout(self) -> None:
        """See how many there are. Waits for the GPU."""
        self.used = min(int(self._count), self._room)
