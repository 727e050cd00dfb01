"""Jobs in this process, in several, or on a Ray cluster: the same results, in the order in which they are ready.

A job and what it returns must be picklable, and so must the function: one of a module. Nothing here knows of games.
"""

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager, nullcontext
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ursuppe_env.extras import extra
from ursuppe_env.files import remove_unfinished
from ursuppe_env.threads import available_cores
from ursuppe_env.validation import checked_count

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.sharedctypes import Synchronized

J = TypeVar("J")
R = TypeVar("R")

_LISTENED = 0.1  # seconds between two looks at what workers tell
_AHEAD = 2  # jobs for each worker that are handed over: one at work, and the next one
_AHEAD_ON_RAY = 1000  # however many workers a cluster has, or starts when it sees what there is to do
_NICENESS = 5  # of a process beside another: where cores are scarce, it has a quarter of one

_messages: "SimpleQueue[Any] | None" = None  # what this worker tells its parent
JobResults = Generator[tuple[J, R], None, None]
Tell = Callable[[Any], None]


def run_jobs(
    work: Callable[..., R], jobs: Iterable[J], workers: int | None = None, on_told: Tell | None = None
) -> JobResults[J, R]:
    """Do all jobs on this machine.

    Args:
        work: does one job. With ``on_told`` it has a second argument: a function that tells here what it is given,
            anything picklable.
        jobs: any number of them, taken one by one when a worker is about to need them.
        workers: processes; None: one per core. With one, or a single job, it is done in this process.
        on_told: is given what a job tells, in this thread; all of it before the job's result.

    Yields:
        Each job with its result, as soon as it is done. Closing the iterator, or an exception, ends the workers.

    Raises:
        ValueError: ``workers`` is less than 1.
        ChildProcessError: a worker died.
        Exception: whatever ``work`` raised.
    """
    jobs = iter(jobs)
    most = workers_for(sys.maxsize, workers)
    first = list(islice(jobs, most))
    workers, jobs = min(len(first), most), chain(first, jobs)
    if workers > 1:
        return _in_processes(work, jobs, workers, on_told)
    further = () if on_told is None else (on_told,)
    return ((job, work(job, *further)) for job in jobs)


def run_in_order(work: Callable[[J], R], jobs: Iterable[J], workers: int | None = None) -> Generator[R, None, None]:
    """The results of ``run_jobs`` alone, in the order of the jobs."""
    ready: dict[int, R] = {}  # that wait for those before them
    wanted = 0
    with closing(run_jobs(partial(numbered, work), enumerate(jobs), workers)) as results:
        for (number, _), result in results:
            ready[number] = result
            while wanted in ready:
                yield ready.pop(wanted)
                wanted += 1


def numbered(work: Callable[[J], R], job: tuple[int, J]) -> R:
    """Do a job that came with a number, which its result comes back with."""
    return work(job[1])


def workers_for(num_jobs: int, workers: int | None) -> int:
    """How many processes do so many jobs, if so many, at least 1, are wanted; None: one per core."""
    return min(num_jobs, available_cores() if workers is None else checked_count("workers", workers, 1))


class Beside(Generic[J, R]):
    """A process beside this one, from the first job on, that does one at a time with what this one leaves of the cores.

    ``work`` does a job; ``name`` is that of the process in the error where it dies.
    """

    def __init__(self, work: Callable[[J], R], name: str) -> None:
        self._work, self._name = work, name
        self._pool: ProcessPoolExecutor | None = None
        self._future: Future[R] | None = None
        self._exit = ExitStack()

    @property
    def is_busy(self) -> bool:
        """Is there a job whose result nobody has taken?"""
        return self._future is not None

    @property
    def is_ready(self) -> bool:
        """Is there a result?"""
        return self._future is not None and self._future.done()

    def begin(self, job: J) -> None:
        """Hand over a job; ``RuntimeError`` if it is busy, ``ChildProcessError`` if it died."""
        if self.is_busy:
            raise RuntimeError("there is a job already, whose result nobody has taken")
        if self._pool is None:
            self._pool = self._exit.enter_context(_processes(1, niceness=_NICENESS))
        with _death_named(self._name), _interrupts_deferred():
            self._future = self._pool.submit(self._work, job)

    def result(self) -> R:
        """Wait for the result, or whatever ``work`` raised; ``RuntimeError``: there is no job, or as of ``begin``."""
        if self._future is None:
            raise RuntimeError("there is no job")
        wait([self._future])
        future, self._future = self._future, None
        with _death_named(self._name):
            return future.result()

    def close(self) -> None:
        """End the process, also if it is busy."""
        self._exit.close()
        self._pool = self._future = None


def run_jobs_on_ray(work: Callable[[J], R], jobs: Iterable[J]) -> JobResults[J, R]:
    """Do all jobs on the Ray cluster that Ray finds by itself (``RAY_ADDRESS``), or on a local one, made for them.

    Yields and raises what ``run_jobs`` does, and ``MissingExtraError`` if Ray is not installed.
    """
    with extra("ray"):
        import ray
    jobs, is_ours = iter(jobs), not ray.is_initialized()
    if is_ours:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    try:
        remote = ray.remote(num_cpus=1)(lambda job: work(job))  # Ray takes functions alone, no partial
        job_of: dict[Any, J] = {}
        try:
            while True:
                job_of |= {remote.remote(job): job for job in islice(jobs, _AHEAD_ON_RAY - len(job_of))}
                if not job_of:
                    return
                [done], _ = ray.wait(list(job_of))
                yield job_of.pop(done), ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        finally:
            for reference in job_of:
                ray.cancel(reference, force=True)
    finally:
        if is_ours:
            ray.shutdown()


def _in_processes(work: Callable[..., R], jobs: Iterator[J], workers: int, on_told: Tell | None) -> JobResults[J, R]:
    told: SimpleQueue[Any] | None = None if on_told is None else multiprocessing.get_context("spawn").SimpleQueue()
    do = work if told is None else partial(_telling, work)
    job_of: dict[Future[R], J] = {}  # that are handed over
    with nullcontext() if told is None else closing(told), _processes(workers, told) as pool, _death_named():
        while True:
            for job in islice(jobs, _AHEAD * workers - len(job_of)):
                with _interrupts_deferred():  # workers may begin here
                    job_of[pool.submit(do, job)] = job
            if not job_of:
                return
            done, _ = wait(job_of, None if told is None else _LISTENED, FIRST_COMPLETED)
            while on_told is not None and told is not None and not told.empty():
                on_told(told.get())
            for future in done:
                yield job_of.pop(future), future.result()  # no result is kept here


def _telling(work: Callable[[J, Tell], R], job: J) -> R:
    """Do a job that tells, in a worker."""
    assert _messages is not None
    return work(job, _messages.put)


@contextmanager
def _processes(
    workers: int, told: "SimpleQueue[Any] | None" = None, niceness: int = 0
) -> Iterator[ProcessPoolExecutor]:
    """Workers, which end with the block, also those that are busy, and however often Ctrl-C is pressed meanwhile."""
    context = multiprocessing.get_context("spawn")  # forks of a process with threads may hang
    reader, writer = context.Pipe(duplex=False)
    begun = context.Value("i", 0)
    pool = ProcessPoolExecutor(workers, context, _begin_worker, (reader, begun, workers, told, niceness))

    def end() -> None:
        with _interrupts_deferred():
            writer.close()  # workers that are still busy end now, instead of when the job is done
            pool.shutdown(cancel_futures=True)
            reader.close()

    try:
        yield pool
    finally:
        try:
            end()
        except KeyboardInterrupt:  # perhaps before the first line of it
            end()
            raise


@contextmanager
def _death_named(who: str = "a worker") -> Iterator[None]:
    """The death of a process in the words of this module."""
    try:
        yield
    except BrokenProcessPool as error:
        main = "A script must begin its work below if __name__ == '__main__':"
        raise ChildProcessError(f"{who} died; was there too little memory? {main}") from error


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Ctrl-C in the block waits for its end; processes that begin in it never hear it, also while they import.

    They inherit a mask. In this process another thread would catch Ctrl-C: it needs a handler, too.
    """
    has_masks = hasattr(signal, "pthread_sigmask")  # not on Windows
    is_main = threading.current_thread() is threading.main_thread()  # no other thread may set handlers
    handler = signal.getsignal(signal.SIGINT) if is_main else None
    pressed: list[int] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ()) if has_masks else set()
    try:
        if handler is not None:
            signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
        if has_masks:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        yield
    finally:
        if has_masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
    if pressed:
        signal.raise_signal(signal.SIGINT)


def _begin_worker(
    reader: Connection, begun: "Synchronized[int]", workers: int, told: "SimpleQueue[Any] | None", niceness: int
) -> None:
    global _messages
    _messages = told
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
    if hasattr(os, "nice"):
        os.nice(niceness)


def _end_with_parent(reader: Connection) -> None:
    """Wait until the parent closes its end of the pipe, or is gone."""
    reader.poll(None)
    remove_unfinished()
    os._exit(1)
