"""A GPU that is not there, as far as numba-cuda can tell: its arrays, compiler and launches, up to the driver's door.

There the body is done row by row on the processor, with what stands at the addresses that the GPU would be given.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from cuda.core._kernel_arg_handler import ParamHolder
from numba.cuda import codegen, dispatcher

from ursuppe_env.cuda import device
from ursuppe_env.cuda.device import DeviceArray, Gpu

from support.host_device import HostDevice

Architecture = tuple[int, int]  # compute capability


class Doorstep(Gpu):
    """Notes the bodies that were launched. Only ``at_doorstep``."""

    name = "the doorstep of a GPU"

    def __init__(self) -> None:
        self._memory = HostDevice()
        self.bodies: dict[device.Body, None] = {}

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        return _at_its_address(self._memory.empty(shape, dtype))

    def from_host(self, array: np.ndarray) -> DeviceArray:
        return _at_its_address(self._memory.from_host(array))

    def to_host(self, array: DeviceArray) -> np.ndarray:
        return self._memory.to_host(array.gpu_data.memory)

    def synchronize(self) -> None:
        self._memory.synchronize()

    def launch(self, body: device.Body, rows: int, *arguments: Any) -> None:
        self.bodies[body] = None
        handed: list[tuple[Any, ...]] = []
        with patch.object(dispatcher, "launch", lambda stream, config, kernel, *given: handed.append((config, *given))):
            super().launch(body, rows, *arguments)
        ((config, *given),) = handed
        ParamHolder(tuple(given))  # what cuda-core does next: it refuses what is no argument of a kernel
        threads = config.grid[0] * config.block[0]
        assert rows <= threads < rows + device.THREADS_PER_BLOCK
        words = iter(given)
        assert _value(next(words)) == rows
        self._memory.launch(body, rows, *(_as_a_kernel_gets_it(argument, words) for argument in arguments))
        assert next(words, None) is None


class _Memory:
    """The memory of an array, as numba-cuda keeps it."""

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory
        self.device_ctypes_pointer = ctypes.c_void_p(memory.ctypes.data)


def _at_its_address(memory: np.ndarray) -> DeviceArray:
    return DeviceArray(memory.shape, memory.strides, memory.dtype, gpu_data=_Memory(memory))


def _as_a_kernel_gets_it(argument: Any, words: Iterator[Any]) -> Any:
    """An argument put together from the next words of those that a kernel is handed."""
    if not isinstance(argument, DeviceArray):
        return _value(next(words))
    _, _, size, itemsize, address = (_value(next(words)) for _ in range(5))
    shape, strides = (tuple(_value(next(words)) for _ in range(argument.ndim)) for _ in range(2))
    memory = argument.gpu_data.memory
    assert (address, shape, strides) == (memory.ctypes.data, memory.shape, memory.strides)
    assert (size, itemsize) == (memory.size, memory.itemsize)
    return memory


def _value(word: Any) -> Any:
    return getattr(word, "value", word)


@contextmanager
def at_doorstep(architecture: Architecture) -> Iterator[None]:
    """As if there were a GPU of this architecture. Kernels are compiled anew for it."""
    gpu = SimpleNamespace(compute_capability=architecture)
    nothing_to_load = SimpleNamespace(kernel=None)
    device.kernel_of.cache_clear()
    device._configured.cache_clear()
    with (
        patch.object(dispatcher, "get_current_device", lambda: gpu),
        patch.object(codegen.devices, "get_context", lambda: SimpleNamespace(device=gpu)),
        patch.object(dispatcher._Kernel, "bind", lambda kernel: None),
        patch.object(codegen.CUDACodeLibrary, "get_cufunc", lambda library: nothing_to_load),
    ):
        yield
