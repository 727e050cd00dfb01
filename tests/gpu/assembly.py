"""From a body to machine code, on a machine without a GPU: by the way that numba-cuda goes where there is one."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from cuda import pathfinder
from numba import types
from numba.cuda import codegen, dispatcher
from numba.cuda.np import numpy_support

from ursuppe_env.cuda.device import kernel_of, unfused

Architecture = tuple[int, int]  # compute capability


@dataclass(frozen=True)
class MachineCode:
    """A kernel for one architecture."""

    registers: int
    stack: int  # bytes a thread
    spills: int  # bytes stored and loaded
    size: int  # bytes of the cubin
    widest_store: int  # bytes that one instruction writes
    is_fused: bool  # are there products and sums that are rounded together?


def assembled(body: Callable[..., None], arguments: tuple[Any, ...], architecture: Architecture) -> MachineCode:
    """The kernel of this body for such arguments, compiled by numba-cuda, and measured by ptxas.

    Raises:
        RuntimeError: ptxas refuses it, such as for tables that are too large together.
    """
    kernel = kernel_of(body)
    signature = (types.int64, types.Tuple([_type_of(argument) for argument in arguments]))
    with _imagined(architecture), unfused():
        library = dispatcher._Kernel(kernel.py_func, signature, **kernel.targetoptions).library
        (ptx,) = library.get_asm_strs()
        said = _measured(body.__name__, ptx)
        size = len(library.get_cubin().code)
    return MachineCode(
        registers=max(map(int, re.findall(r"Used (\d+) registers", said))),
        stack=sum(map(int, re.findall(r"(\d+) bytes stack frame", said))),
        spills=sum(map(int, re.findall(r"(\d+) bytes spill", said))),
        size=size,
        widest_store=max(
            int(bits) // 8 * int(count or 1) for count, bits in re.findall(r"\bst\.global(?:\.v(\d))?\.[a-z](\d+)", ptx)
        ),
        is_fused=re.search(r"\bfma\.", ptx) is not None,
    )


def _type_of(argument: Any) -> Any:
    """The type of an argument of a launch; arrays are those of a ``HostDevice``, and stand for some on a GPU."""
    if isinstance(argument, np.ndarray):
        return types.Array(numpy_support.from_dtype(argument.dtype), argument.ndim, "C")
    return types.boolean if isinstance(argument, bool) else types.int64


@contextmanager
def _imagined(architecture: Architecture) -> Iterator[None]:
    """As if there were a GPU of this architecture: numba-cuda asks it for nothing else when it compiles."""
    gpu = type("Gpu", (), {"compute_capability": architecture})
    context = type("Context", (), {"device": gpu})
    with (
        patch.object(dispatcher, "get_current_device", lambda: gpu),
        patch.object(codegen.devices, "get_context", lambda: context),
    ):
        yield


def _measured(name: str, ptx: str) -> str:
    """What ptxas says of the code."""
    ptxas = pathfinder.find_nvidia_binary_utility("ptxas")
    target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    if ptxas is None or target is None:
        raise RuntimeError("ptxas is missing; it comes with nvidia-cuda-nvcc" if ptxas is None else "no target in PTX")
    with TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx, encoding="utf-8")
        command = [ptxas, "-v", f"-arch={target[1]}", source, "-o", source.with_suffix(".cubin")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"ptxas cannot assemble {name}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr
