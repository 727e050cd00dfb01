"""Several processes that train one policy together, as ``torchrun`` starts them.

Each plays some of the groups of games; before each step of the optimiser their gradients are added up, so that all have
the same weights at any time. The first one alone writes files and speaks.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra

with extra("train"):
    import torch
    from torch import distributed


@dataclass
class Processes:
    """This process among those that train together; by default it is alone."""

    rank: int = 0  # its number
    count: int = 1  # how many there are
    on_this_machine: int = 1  # how many of them share its cores

    @property
    def is_first(self) -> bool:
        """Whether it is the one that writes files and speaks."""
        return self.rank == 0

    def add_up(self, tensors: Sequence[torch.Tensor]) -> None:
        """Replace tensors by their sums over all processes, in one message."""
        if self.count == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        distributed.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def sums(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums of such an array over all processes."""
        if self.count == 1:
            return numbers
        total = torch.from_numpy(numbers.copy())
        distributed.all_reduce(total)
        return total.numpy()

    def gathered(self, value: Any) -> list[Any]:
        """The values of all processes, in their order: tensors and plain values."""
        values = [value] * self.count
        if self.count > 1:
            distributed.all_gather_object(values, value)
        return values


def started_together() -> Processes:
    """The processes that ``torchrun`` started this one with; there is one if it did not."""
    if not distributed.is_available() or not distributed.is_torchelastic_launched():
        return Processes()
    if not distributed.is_initialized():
        distributed.init_process_group("cpu:gloo,cuda:nccl" if distributed.is_nccl_available() else "gloo")
    count, on_this_machine = (int(os.environ[name]) for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"))
    return Processes(distributed.get_rank(), count, on_this_machine)
