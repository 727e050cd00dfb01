"""Threads of training: torch's own are switched off, and what can be done side by side is cut into fixed parts.

torch divides sums among its threads, so that their last bits depend on how many there are. Parts that are the same on
every machine, each computed by one thread and put together in their order, give the same result on any number.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from ursuppe_env.extras import extra

with extra("train"):
    import torch


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
