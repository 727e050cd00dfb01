"""Kernels over slices of a batch, in threads."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numba import config
from numpy.typing import NDArray

_ROWS_PER_THREAD = 1024  # fewer are not worth a thread's start
_HEAD_START = 192  # rows that the calling thread has done when the others begin


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_slices(
    kernel: Callable[..., Any],
    threads: int,
    states: NDArray[np.void],
    *arguments: Any,
    rows_per_thread: int = _ROWS_PER_THREAD,
) -> None:
    """Call ``kernel(states, *arguments)`` on all rows, or on slices of them in up to so many threads.

    Arguments that are arrays of as many rows as ``states`` are sliced alike, all others are handed to every thread.
    """
    if config.DISABLE_JIT:
        with np.errstate(over="ignore"):  # the streams count modulo 2**64
            kernel(states, *arguments)
        return
    n = len(states)
    if threads == 1 or n < 2 * rows_per_thread:
        kernel(states, *arguments)
        return
    threads = min(threads, n // rows_per_thread)

    def call(start: int, stop: int) -> None:
        kernel(states[start:stop], *(_rows(argument, n, start, stop) for argument in arguments))

    bounds = [0, *(_HEAD_START + (n - _HEAD_START) * part // threads for part in range(1, threads + 1))]
    own, *others = pairwise(bounds)
    under_way = [_pool(threads - 1).submit(call, *part) for part in others]
    call(*own)
    for part in under_way:
        part.result()


def _rows(argument: Any, n: int, start: int, stop: int) -> Any:
    is_sliced = isinstance(argument, np.ndarray) and len(argument) == n
    return argument[start:stop] if is_sliced else argument


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="ursuppe_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of the threads
