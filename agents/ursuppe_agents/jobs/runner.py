"""Jobs in this process, in several, or on a Ray cluster: the same results, in the order in which they are ready.

A job and what it returns must be picklable, and so must the function: one of a module. Nothing here knows of games.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, TypeVar

from ursuppe_env.extras import extra
from ursuppe_env.threads import available_cores

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

J = TypeVar("J")
R = TypeVar("R")

_is_worker = False  # this process
Results = Generator[tuple[J, R], None, None]


def is_worker() -> bool:
    """Was this process made by ``run_jobs``? What concerns all jobs is said by the parent."""
    return _is_worker


def run_jobs(work: Callable[[J], R], jobs: Sequence[J], workers: int | None = None) -> Results[J, R]:
    """Do all jobs on this machine.

    Args:
        work: does one job.
        jobs: any number of them.
        workers: processes; None: one per core. With one, or a single job, it is done in this process.

    Yields:
        Each job with its result, as soon as it is done. Closing the iterator, or an exception, ends the workers.

    Raises:
        ValueError: ``workers`` is less than 1.
        ChildProcessError: a worker died.
        Exception: whatever ``work`` raised.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}; it must be at least 1")
    workers = min(len(jobs), available_cores() if workers is None else workers)
    if workers <= 1:
        return ((job, work(job)) for job in jobs)
    return _in_processes(work, jobs, workers)


def run_jobs_on_ray(work: Callable[[J], R], jobs: Sequence[J]) -> Results[J, R]:
    """Do all jobs on the Ray cluster that Ray finds by itself (``RAY_ADDRESS``), or on a local one, made for them.

    Yields and raises what ``run_jobs`` does.

    Raises:
        MissingExtraError: Ray is not installed.
    """
    with extra("ray"):
        import ray
    return _on_ray(ray, work, jobs)


def _in_processes(work: Callable[[J], R], jobs: Sequence[J], workers: int) -> Results[J, R]:
    context = multiprocessing.get_context("spawn")  # forks of a process with threads may hang
    reader, writer = context.Pipe(duplex=False)
    begun = context.Value("i", 0)
    with closing(reader), ProcessPoolExecutor(workers, context, _begin_worker, (reader, begun, workers)) as pool:
        try:
            with _deaf_to_interrupts():  # the workers begin here
                job_of = {pool.submit(work, job): job for job in jobs}
            for future in as_completed(job_of):
                yield job_of[future], future.result()
        except BrokenProcessPool as error:
            raise ChildProcessError("a worker died; was there too little memory for so many?") from error
        finally:
            writer.close()  # workers that are still busy end now, instead of when the job is done


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that begin in the block leave Ctrl-C to their parent, also while they import what they need."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(reader: Connection, begun: "Synchronized[int]", workers: int) -> None:
    global _is_worker
    _is_worker = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems on which it could not be inherited
    threading.Thread(target=_end_with_parent, args=(reader,), daemon=True).start()
    with begun.get_lock():
        number = begun.value
        begun.value += 1
    if hasattr(os, "sched_setaffinity"):
        # Each has cores of its own: libraries start as many threads as they find cores, and an agent that plans against
        # the clock must not compete with the other workers.
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[number % len(cores) :: workers])


def _end_with_parent(reader: Connection) -> None:
    """Wait until the parent closes its end of the pipe, or is gone."""
    reader.poll(None)
    os._exit(1)


def _on_ray(ray: Any, work: Callable[[J], R], jobs: Sequence[J]) -> Results[J, R]:
    is_ours = not ray.is_initialized()
    if is_ours:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        remote = ray.remote(num_cpus=1)(work)
        job_of = {remote.remote(job): job for job in jobs}
        waiting = list(job_of)
        try:
            while waiting:
                [done], waiting = ray.wait(waiting)
                yield job_of[done], ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)
    finally:
        if is_ours:
            ray.shutdown()
