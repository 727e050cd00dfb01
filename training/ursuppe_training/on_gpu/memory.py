"""Memory on a GPU that its own kernels and torch share, and numbers that are read from it late."""

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.cuda.arrays import Array, Device
from ursuppe_env.extras import extra

with extra("train"):
    import torch


class Shared(NamedTuple):
    """The same memory as both sides want it.

    Attributes:
        array: for kernels.
        tensor: for torch.
    """

    array: Array
    tensor: torch.Tensor


class Memory:
    """Of a GPU.

    Args:
        gpu: for kernels.
        device: the same for torch.
    """

    def __init__(self, gpu: Device, device: torch.device) -> None:
        self.gpu = gpu
        self.device = device

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Shared:
        """With anything in it."""
        return self._shared(self.gpu.empty(shape, dtype))

    def filled(self, shape: tuple[int, ...], dtype: DTypeLike, value: Any) -> Shared:
        """With this value everywhere."""
        return self.holding(np.full(shape, value, dtype))

    def holding(self, array: NDArray[Any]) -> Shared:
        """A copy of an array of the processor."""
        return self._shared(self.gpu.from_host(array))

    def viewed(self, array: Array, dtype: DTypeLike) -> Shared:
        """An array of kernels, as numbers of another type."""
        return self._shared(array.view(dtype))

    def _shared(self, array: Array) -> Shared:
        return Shared(array, torch.as_tensor(array, device=self.device))


class OnProcessor:
    """A copy of a tensor in the processor's memory, which the GPU writes while the processor goes on.

    Args:
        tensor: on the GPU, or another one.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor
        self._is_on_gpu = tensor.device.type == "cuda"
        self._copy = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=self._is_on_gpu)
        self._is_done = torch.cuda.Event() if self._is_on_gpu else None

    def begin(self) -> None:
        """Copy the tensor as it will be when the GPU has done all that it was asked for until now."""
        self._copy.copy_(self._tensor, non_blocking=True)
        if self._is_done is not None:
            self._is_done.record()

    def read(self) -> NDArray[Any]:
        """What was copied, once it is there; it stays the same until the next ``begin``."""
        if self._is_done is not None:
            self._is_done.synchronize()
        return self._copy.numpy()


class ReadLate:
    """A tensor as it was some steps ago: who reads that need not wait for the steps that were asked for since.

    Args:
        tensor: on the GPU.
        steps: how many. So many are at most asked for before they are done.
    """

    def __init__(self, tensor: torch.Tensor, steps: int) -> None:
        self._copies = deque(OnProcessor(tensor) for _ in range(steps))
        self._noted = 0

    def forget(self) -> None:
        """Read nothing of what was noted until now."""
        self._noted = 0

    def note(self) -> NDArray[Any] | None:
        """Note the tensor as it is after all that was asked for; returns what it was so many steps ago, if there were
        as many.
        """
        oldest = self._copies[0]
        found = oldest.read().copy() if self._noted >= len(self._copies) else None
        oldest.begin()
        self._copies.rotate(-1)
        self._noted += 1
        return found
