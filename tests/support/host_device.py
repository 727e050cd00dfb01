"""What stands in for a GPU: arrays in the processor's memory, and a launch is a loop over the rows.

It is as strict as a GPU where it can be: arrays from elsewhere are none of its own until they were copied or taken.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ursuppe_env.rules.state import STATE


class Elsewhere:
    """An array on the "GPU" that another library made."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


class HostArray(np.ndarray):
    """An array on the "GPU"."""

    def copy_to_host(self) -> np.ndarray:
        return np.array(self)


class HostDevice:
    """Counts how often somebody waited for it: each time that something is copied, in either direction."""

    name = "the processor in place of a GPU"

    def __init__(self) -> None:
        self.waited = 0

    def empty(self, shape: tuple[int, ...], dtype: Any) -> HostArray:
        array = np.empty(shape, dtype)
        array.view(np.uint8).fill(0xA5)  # anything
        return array.view(HostArray)

    def from_host(self, array: np.ndarray) -> HostArray:
        assert not isinstance(array, HostArray)
        self.waited += 1
        copy = array.copy().view(HostArray)
        # To Numba, arrays that are read-only are of another type, for which the kernels would be compiled anew.
        copy.flags.writeable = array.flags.writeable or array.dtype == STATE
        return copy

    def to_host(self, array: HostArray) -> np.ndarray:
        assert isinstance(array, HostArray)
        self.waited += 1
        return np.array(array)

    def taken(self, array: Any) -> HostArray | None:
        if isinstance(array, Elsewhere):
            return array.array.view(HostArray)
        return array if isinstance(array, HostArray) else None

    def launch(self, body: Callable[..., None], rows: int, *arguments: Any) -> None:
        for argument in arguments:
            assert isinstance(argument, (HostArray, bool, int)), argument
            assert not isinstance(argument, HostArray) or argument.size > 0, "has no address on a GPU"
        plain = [np.asarray(argument) if isinstance(argument, HostArray) else argument for argument in arguments]
        with np.errstate(over="ignore"):
            for row in range(rows):
                body(row, *plain)

    def synchronize(self) -> None:
        self.waited += 1
