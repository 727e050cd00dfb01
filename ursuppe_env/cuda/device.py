"""The GPU by way of numba-cuda: the only module that imports it. Memory, compilation, launches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.compilation.code_cache import say
from ursuppe_env.cuda import bytewise
from ursuppe_env.extras import extra
from ursuppe_env.observation import encoding
from ursuppe_env.rules import legal

with extra("cuda"):
    import_module("numba_cuda")  # without it numba has a module of that name too, which is no longer looked after
    from cuda.core.utils import StridedMemoryView
    from numba import config, cuda
    from numba.cuda.core.compiler_lock import global_compiler_lock
    from numba.cuda.core.errors import NumbaPerformanceWarning
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.cudadrv.devicearray import DeviceNDArray
    from numba.cuda.cudadrv.driver import driver

Body = Callable[..., None]

THREADS_PER_BLOCK = 128

#: Functions of the engine that a GPU must compile from another source.
_INSTEAD = {
    legal.write_mask: bytewise.write_mask,
    encoding.copy_cards: bytewise.copy_cards,
    encoding.show_cards_left: bytewise.show_cards_left,
}


class DeviceArray(DeviceNDArray):
    """An array on the GPU, which CuPy and PyTorch take by ``__cuda_array_interface__``, and JAX by DLPack."""

    def __dlpack__(self, **wishes: Any) -> Any:
        return self._view().__dlpack__(**wishes)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._view().__dlpack_device__()

    def _view(self) -> Any:
        return StridedMemoryView.from_cuda_array_interface(self, -1)  # nobody has to wait: all is in one stream


class Gpu:
    """The current GPU, as a ``Device``. Everything happens in its default stream, one thing after the other."""

    @property
    def name(self) -> str:
        name = cuda.get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        return _ours(cuda.device_array(shape, dtype))

    def from_host(self, array: NDArray[Any]) -> DeviceArray:
        return _ours(cuda.to_device(np.ascontiguousarray(array)))

    def to_host(self, array: DeviceArray) -> NDArray[Any]:
        return array.copy_to_host()

    def taken(self, array: Any) -> DeviceArray | None:
        if isinstance(array, DeviceArray):
            return array
        return _ours(cuda.as_cuda_array(array)) if cuda.is_cuda_array(array) else None

    def launch(self, body: Body, rows: int, *arguments: Any) -> None:
        _configured(body, (rows + THREADS_PER_BLOCK - 1) // THREADS_PER_BLOCK)(rows, arguments)

    def synchronize(self) -> None:
        cuda.synchronize()


def _ours(array: Any) -> DeviceArray:
    return DeviceArray(array.shape, array.strides, array.dtype, gpu_data=array.gpu_data)


@cache
def current_gpu() -> Gpu:
    """The GPU that numba-cuda uses; ``ValueError``: there is none, its driver is missing, or nothing is compiled."""
    if config.DISABLE_JIT:
        raise ValueError("NUMBA_DISABLE_JIT is set; without the compiler nothing runs on a GPU")
    if not cuda.is_available():
        reason = driver.initialization_error or "numba-cuda finds no GPU, or lacks a part of the CUDA toolkit"
        raise ValueError(f"there is no GPU to use: {' '.join(str(reason).split())} (docs/gpu.md)")
    say("kernels are compiled for the GPU when they are first launched, in each process: about half a minute for all")
    return Gpu()


@cache
def _configured(body: Body, blocks: int) -> Any:
    with catch_warnings():
        simplefilter("ignore", NumbaPerformanceWarning)  # few games are no mistake
        return kernel_of(body)[blocks, THREADS_PER_BLOCK]


@cache
def kernel_of(body: Body) -> Any:
    """The body as a kernel, with a thread for each row; numba-cuda compiles it when it is first launched."""
    _put_in_place()
    thread = cuda.jit(body, device=True)

    def kernel(rows, arguments):  # type: ignore[no-untyped-def]
        row = cuda.grid(1)
        if row < rows:
            thread(row, *arguments)

    kernel.__name__ = kernel.__qualname__ = body.__name__
    dispatcher = cuda.jit(kernel, lto=False)
    compile_for = dispatcher.compile

    def compile_exactly(signature: Any) -> Any:
        with unfused():
            return compile_for(signature)

    dispatcher.compile = compile_exactly
    return dispatcher


@cache
def _put_in_place() -> None:
    """Let kernels call the bytewise functions where the processor's code calls those in words.

    numba-cuda compiles a function of the processor for the GPU when a kernel first calls it, and keeps what it made in
    an attribute of the function.
    """
    for function, instead in _INSTEAD.items():
        function._CUDATypingContext__dispatcher = cuda.jit(instead, device=True)  # type: ignore[attr-defined]


@contextmanager
def unfused() -> Iterator[None]:
    """While a kernel is compiled: products and sums are rounded one by one, as a processor does.

    Fused, they would differ in the last bit, and two actions that are equally good would change places. numba-cuda has
    no option for it.
    """
    with global_compiler_lock:
        compile_ir = nvvm.compile_ir
        nvvm.compile_ir = lambda modules, **options: compile_ir(modules, **options, fma=False)
        try:
            yield
        finally:
            nvvm.compile_ir = compile_ir
