"""Where torch computes: the available devices, and threads.

torch's own threads are switched off, and what can be done side by side is cut into fixed parts: torch divides sums
among its threads, so that their last bits depend on how many there are. Parts that are the same on every machine, each
computed by one thread and put together in their order, give the same result on any number.
"""

import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from ursuppe_env.extras import extra

with extra("train"):
    import torch

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
