"""A GPU that is not there, as far as numba-cuda can tell: its arrays, compiler and launches, up to the driver's door.

There the processor runs the LLVM code that numba-cuda has made, with the very arguments that the GPU would be given.
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
from on_processor import ProcessorCode

from ursuppe_env.cuda import device
from ursuppe_env.cuda.device import THREADS_PER_BLOCK, Body, DeviceArray, Gpu

from support.host_device import HostDevice

Architecture = tuple[int, int]  # compute capability


class Doorstep(Gpu):
    """Notes the bodies that were launched. Only ``at_doorstep``."""

    name = "the doorstep of a GPU"

    def __init__(self) -> None:
        self._memory = HostDevice()
        self._code: dict[Any, ProcessorCode] = {}
        self.bodies: dict[Body, None] = {}

    def empty(self, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        return _at_its_address(self._memory.empty(shape, dtype))

    def from_host(self, array: np.ndarray) -> DeviceArray:
        return _at_its_address(self._memory.from_host(array))

    def to_host(self, array: DeviceArray) -> np.ndarray:
        return self._memory.to_host(array.gpu_data.memory)

    def synchronize(self) -> None:
        self._memory.synchronize()

    def launch(self, body: Body, rows: int, *arguments: Any) -> None:
        self.bodies[body] = None
        handed: list[tuple[Any, ...]] = []
        with patch.object(dispatcher, "launch", lambda stream, *given: handed.append(given)):
            super().launch(body, rows, *arguments)
        ((config, library, *given),) = handed
        ParamHolder(tuple(given))  # what cuda-core does next: it refuses what is no argument of a kernel
        threads = config.grid[0] * config.block[0]
        assert rows <= threads < rows + THREADS_PER_BLOCK
        if library not in self._code:
            self._code[library] = ProcessorCode(library)
        self._code[library].launch(threads, [getattr(word, "value", word) for word in given])


class _Memory:
    """The memory of an array, as numba-cuda keeps it."""

    def __init__(self, memory: np.ndarray) -> None:
        self.memory = memory
        self.device_ctypes_pointer = ctypes.c_void_p(memory.ctypes.data)


def _at_its_address(memory: np.ndarray) -> DeviceArray:
    return DeviceArray(memory.shape, memory.strides, memory.dtype, gpu_data=_Memory(memory))


@contextmanager
def at_doorstep(architecture: Architecture) -> Iterator[None]:
    """As if there were a GPU of this architecture. Kernels are compiled anew for it."""
    gpu = SimpleNamespace(compute_capability=architecture)
    device.kernel_of.cache_clear()
    device._configured.cache_clear()
    with (
        patch.object(dispatcher, "get_current_device", lambda: gpu),
        patch.object(codegen.devices, "get_context", lambda: SimpleNamespace(device=gpu)),
        patch.object(dispatcher._Kernel, "bind", lambda kernel: None),
        patch.object(codegen.CUDACodeLibrary, "get_cufunc", lambda library: SimpleNamespace(kernel=library)),
    ):
        yield
