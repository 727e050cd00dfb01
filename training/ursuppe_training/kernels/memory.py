"""Memory that kernels and torch share, on processor or GPU, and numbers that are read from a GPU late."""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.cuda.arrays import Array, Device
from ursuppe_env.extras import extra
from ursuppe_training.kernels.bodies import LOOPS

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


class Chains(NamedTuple):
    """Which decision of a seat follows which, for kernels.

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


class Processor:
    """A ``Device`` of the processor's memory: a launch is a compiled loop over the rows."""

    name = "the processor"

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """With anything in it."""
        return np.empty(shape, dtype)

    def from_host(self, array: NDArray[Any]) -> NDArray[Any]:
        """A copy."""
        return array.copy()

    def to_host(self, array: NDArray[Any]) -> NDArray[Any]:
        """The array itself."""
        return array

    def taken(self, array: NDArray[Any]) -> NDArray[Any]:
        """The array itself."""
        return array

    def launch(self, body: Callable[..., None], rows: int, *arguments: Any) -> None:
        """Do ``body(row, *arguments)`` for each row."""
        LOOPS[body](rows, *arguments)

    def synchronize(self) -> None:
        """Nothing is left to do."""


class Memory:
    """Of the processor, or of a GPU.

    Args:
        kernels: what launches them there.
        device: the same for torch.
    """

    def __init__(self, kernels: Device, device: torch.device) -> None:
        self.kernels = kernels
        self.device = device

    @classmethod
    def of_processor(cls) -> "Memory":
        """Where games are played without a GPU."""
        return cls(Processor(), torch.device("cpu"))

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Shared:
        """With anything in it."""
        return self._shared(self.kernels.empty(shape, dtype))

    def filled(self, shape: tuple[int, ...], dtype: DTypeLike, value: Any) -> Shared:
        """With this value everywhere."""
        return self.holding(np.full(shape, value, dtype))

    def holding(self, array: NDArray[Any]) -> Shared:
        """A copy of an array of the processor."""
        return self._shared(self.kernels.from_host(array))

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
        tensor: of numbers that change.
        steps: how many. So many are at most asked for before they are done. 0: it is on the processor.
    """

    def __init__(self, tensor: torch.Tensor, steps: int) -> None:
        self._tensor = tensor
        self._copies = deque(OnProcessor(tensor) for _ in range(steps))
        self._noted = 0

    def forget(self) -> None:
        """Read nothing of what was noted until now."""
        self._noted = 0

    def note(self) -> NDArray[Any] | None:
        """Note the tensor as it is after all that was asked for; returns what it was so many steps ago, if there were
        as many.
        """
        if not self._copies:
            return self._tensor.numpy()
        oldest = self._copies[0]
        found = oldest.read().copy() if self._noted >= len(self._copies) else None
        oldest.begin()
        self._copies.rotate(-1)
        self._noted += 1
        return found
