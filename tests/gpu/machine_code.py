"""What is to be known of the machine code of a kernel."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cuda import pathfinder


@dataclass(frozen=True)
class MachineCode:
    """A kernel for one architecture."""

    registers: int
    stack: int  # bytes a thread
    spills: int  # bytes stored and loaded
    size: int  # bytes of the cubin
    widest_store: int  # bytes that one instruction writes
    is_fused: bool  # are there products and sums that are rounded together?


def machine_code_of(kernel: Any) -> MachineCode:
    """Of a kernel that numba-cuda has compiled: linked by numba-cuda, measured by ptxas.

    Raises:
        RuntimeError: ptxas refuses it, such as for tables that are too large together.
    """
    library = kernel.library
    (ptx,) = library.get_asm_strs()
    said = _measured(ptx)
    stores = re.findall(r"\bst\.global(?:\.v(\d))?\.[a-z](\d+)", ptx)
    return MachineCode(
        registers=max(map(int, re.findall(r"Used (\d+) registers", said))),
        stack=sum(map(int, re.findall(r"(\d+) bytes stack frame", said))),
        spills=sum(map(int, re.findall(r"(\d+) bytes spill", said))),
        size=len(library.get_cubin().code),
        widest_store=max(int(bits) // 8 * int(together or 1) for together, bits in stores),
        is_fused=re.search(r"\bfma\.", ptx) is not None,
    )


def _measured(ptx: str) -> str:
    """What ptxas says of the code."""
    ptxas = pathfinder.find_nvidia_binary_utility("ptxas")
    if ptxas is None:
        raise RuntimeError("ptxas is missing; it comes with nvidia-cuda-nvcc")
    target = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    assert target is not None
    with TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx, encoding="utf-8")
        command = [ptxas, "-v", f"-arch={target[1]}", source, "-o", source.with_suffix(".cubin")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"ptxas refuses the kernel: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr
