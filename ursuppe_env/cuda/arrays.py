"""Arrays on a GPU: what the games need of it, and which arrays are right as arguments."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = Any
"""An array on the GPU, of whatever library: it has ``__cuda_array_interface__``. Those that come out of ``GamesCuda``
have ``__dlpack__`` and ``copy_to_host()`` too."""


class Device(Protocol):
    """A GPU (``ursuppe_env.cuda.device``), or what stands in for one, as in tests: arrays in the processor's memory."""

    @property
    def name(self) -> str:
        """What it is called."""

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """An array on the GPU, with anything in it."""

    def from_host(self, array: NDArray[Any]) -> Array:
        """A copy on the GPU."""

    def to_host(self, array: Array) -> NDArray[Any]:
        """A copy in the processor's memory, once all that was launched before is done."""

    def taken(self, array: Any) -> Array | None:
        """Somebody's array on the GPU as it is; None: it is not on a GPU."""

    def launch(self, body: Callable[..., None], rows: int, *arguments: Any) -> None:
        """Let a thread of its own do ``body(row, *arguments)`` for each row; Numba can compile the body.

        Arguments are arrays of this device, integers and flags.
        """

    def synchronize(self) -> None:
        """Wait until all that was launched is done."""


def checked_there(name: str, array: Array | None, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """An array that is on the GPU, with this shape and dtype; ``ValueError``, which names it: it is not, or has not."""
    right = f"it must be a C-contiguous array on the GPU of shape {shape} and dtype {np.dtype(dtype)}"
    if array is None:
        raise ValueError(f"{name} is not on the GPU; {right}")
    if array.shape != shape or array.dtype != dtype or not array.flags["C_CONTIGUOUS"]:
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}; {right}")
    return array


def checked_output_there(device: Device, name: str, out: Any, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """An array on the GPU to write into; a new one for None."""
    return device.empty(shape, dtype) if out is None else checked_there(name, device.taken(out), shape, dtype)
