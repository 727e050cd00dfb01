"""Where torch computes: devices, threads, and processes that train one policy together, as ``torchrun`` starts them.

torch's own threads are switched off, and what can be done side by side is cut into fixed parts: torch divides sums
among its threads, so that their last bits depend on how many there are. Parts that are the same on every machine, each
computed by one thread and put together in their order, give the same result on any number.

Each process plays some of the groups of games; before each step of the optimiser their gradients are added up, so that
all have the same weights at any time.
"""

import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra

with extra("train"):
    import torch
    from torch import distributed

AUTO = "auto"


def device_named(name: str) -> torch.device:
    """The device of this name; ``auto`` is a GPU if there is one, ``cuda`` that of this process of several (torchrun).

    Raises:
        ValueError: there is none.
    """
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    available = ["cpu", *(f"cuda:{number}" for number in range(gpus))]
    if name == AUTO:
        name = "cuda" if gpus else "cpu"
    if name == "cuda" and gpus:
        name = f"cuda:{int(os.environ.get('LOCAL_RANK', 0)) % gpus}"
    if name not in available:
        raise ValueError(f"device is {name!r}, which is not here; there are {', '.join([AUTO, *available])}")
    return torch.device(name)


def memory() -> float:
    """The bytes of memory that the machine has; infinity where nobody says."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else math.inf


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Let torch compute on the calling thread alone."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def workers(threads: int) -> ThreadPoolExecutor:
    """Threads that compute parts, with torch on one thread in each."""
    return ThreadPoolExecutor(threads, "ursuppe_training", initializer=torch.set_num_threads, initargs=(1,))


@dataclass
class Processes:
    """This process among those that train together; by default it is alone."""

    rank: int = 0  # its number
    count: int = 1  # how many there are
    on_this_machine: int = 1  # how many of them share its cores

    @property
    def is_first(self) -> bool:
        """Whether it is the one that writes files and speaks."""
        return self.rank == 0

    def add_up(self, tensors: Sequence[torch.Tensor]) -> None:
        """Replace tensors by their sums over all processes, in one message."""
        if self.count == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        distributed.all_reduce(flat)
        for tensor, total in zip(tensors, flat.split([tensor.numel() for tensor in tensors]), strict=True):
            tensor.copy_(total.view_as(tensor))

    def sums(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sums of such an array over all processes."""
        if self.count == 1:
            return numbers
        total = torch.from_numpy(numbers.copy())
        distributed.all_reduce(total)
        return total.numpy()

    def gathered(self, value: Any) -> list[Any]:
        """The values of all processes, in their order: tensors and plain values."""
        values = [value] * self.count
        if self.count > 1:
            distributed.all_gather_object(values, value)
        return values


def started_together() -> Processes:
    """The processes that ``torchrun`` started this one with; there is one if it did not."""
    if not distributed.is_available() or not distributed.is_torchelastic_launched():
        return Processes()
    if not distributed.is_initialized():
        distributed.init_process_group("cpu:gloo,cuda:nccl" if distributed.is_nccl_available() else "gloo")
    count, on_this_machine = (int(os.environ[name]) for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"))
    return Processes(distributed.get_rank(), count, on_this_machine)
