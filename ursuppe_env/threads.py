"""Kernels over slices of a batch, each in a thread; calls from other threads at the same time are refused."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, wraps
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numba import config
from numpy.typing import NDArray

_ROWS_PER_THREAD = 1024  # fewer are not worth a thread's start
_HEAD_START = 192  # rows that the calling thread has done when the others begin

Method = TypeVar("Method", bound=Callable[..., Any])


def refuse_while_changing(changeable: Any) -> None:
    """Raise ``RuntimeError`` while a thread is changing it: kernels let others run, which would see half a change."""
    if changeable.is_changing:
        raise RuntimeError(
            f"another thread is changing this {type(changeable).__name__}; it is for one thread at a time. Give each "
            "thread one of its own, or let the argument threads share out the rows"
        )


def refuse_change(changeable: Any) -> None:
    """Raise ``RuntimeError`` while it is lent to an agent, or a thread is changing it."""
    if changeable.is_lent:
        raise RuntimeError(
            "an agent must leave the games that it is asked about as they are; it can try actions in a copy, "
            "games.copy(rows, reseed=seed)"
        )
    refuse_while_changing(changeable)


@contextmanager
def lent(changeable: Any) -> Iterator[None]:
    """While an agent is asked about it: what would change it is a ``RuntimeError``."""
    changeable.is_lent = True
    try:
        yield
    finally:
        changeable.is_lent = False


def changing(method: Method) -> Method:
    """A method that changes its object, and refuses to while another one does, or an agent looks at it.

    Nothing is called between the look at the flag and setting it, so that no other thread runs there and Ctrl-C does
    not come there, which would leave the flag set.
    """

    @wraps(method)
    def alone(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if self.is_changing or self.is_lent:
            refuse_change(self)
        self.is_changing = True
        try:
            return method(self, *args, **kwargs)
        finally:
            self.is_changing = False

    return alone  # type: ignore[return-value]


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_slices(
    kernel: Callable[..., bool | None],
    threads: int,
    states: NDArray[np.void],
    *arguments: Any,
    rows_per_thread: int = _ROWS_PER_THREAD,
) -> bool | None:
    """Call ``kernel(states, *arguments)`` on all rows, or on slices of them in up to so many threads.

    Arguments that are arrays of as many rows as ``states`` are sliced alike, all others are handed to every thread. So
    are structured arrays: rulesets and the like, which are not one a game. Returns whether a call returned True.
    """
    if config.DISABLE_JIT:
        with np.errstate(over="ignore"):  # the streams count modulo 2**64
            return kernel(states, *arguments)
    n = len(states)
    if threads == 1 or n < 2 * rows_per_thread:
        return kernel(states, *arguments)
    threads = min(threads, n // rows_per_thread)

    def call(start: int, stop: int) -> bool | None:
        return kernel(states[start:stop], *(_rows(argument, n, start, stop) for argument in arguments))

    bounds = [0, *(_HEAD_START + (n - _HEAD_START) * part // threads for part in range(1, threads + 1))]
    own, *others = pairwise(bounds)
    under_way = [_pool(threads - 1).submit(call, *part) for part in others]
    results = [call(*own), *(part.result() for part in under_way)]
    return any(results)


def _rows(argument: Any, n: int, start: int, stop: int) -> Any:
    is_sliced = isinstance(argument, np.ndarray) and len(argument) == n and argument.dtype.names is None
    return argument[start:stop] if is_sliced else argument


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="ursuppe_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of the threads
