"""Arrays for results, placed so that other libraries take them without copying."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

ALIGNMENT = 64  # bytes: what JAX asks for, and a line of the processor's cache


def aligned_empty(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """As ``np.empty``, but its memory begins at a multiple of ``ALIGNMENT``.

    PyTorch takes such an array as it is (``torch.from_numpy``), and so does JAX (``jax.dlpack.from_dlpack``), which
    copies what begins elsewhere.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    first = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[first : first + size].view(dtype).reshape(shape)
