"""Processes that run the chunks of the fuzz."""

import faulthandler
import multiprocessing
import queue
from collections import Counter
from itertools import count
from typing import Any

from fuzz.cases import Chunk, run_chunk

_MOST_SECONDS = 120  # for one case, which takes milliseconds


def work(seed: int, first: int, step: int, results: Any, under_way: Any) -> None:
    """Run chunk after chunk in a process of its own; ``under_way`` says which chunk and case it is at."""
    for number in count(first, step):

        def starting(case: int, number: int = number) -> None:
            under_way[:] = number, case
            faulthandler.dump_traceback_later(_MOST_SECONDS, exit=True)

        results.put(run_chunk(seed, number, starting=starting))
        faulthandler.cancel_dump_traceback_later()


class Workers:
    """Processes that share the chunks; one that ends has found something, and another one takes its place."""

    def __init__(self, seed: int, jobs: int) -> None:
        self._seed, self._jobs = seed, jobs
        self._context = multiprocessing.get_context("spawn")
        self._results = self._context.Queue()
        self._under_way = [self._context.Array("q", [-1, -1], lock=False) for _ in range(jobs)]
        self._processes = [self._started(job, first=job) for job in range(jobs)]

    def _started(self, job: int, first: int) -> Any:
        arguments = (self._seed, first, self._jobs, self._results, self._under_way[job])
        process = self._context.Process(target=work, args=arguments, daemon=True)
        process.start()
        return process

    def next_chunk(self) -> Chunk | None:
        """What came of the next chunk; None after a second without any."""
        for job, process in enumerate(self._processes):
            if process.exitcode is not None:
                number, case = self._under_way[job]
                if number < 0:
                    raise RuntimeError(f"a process ended with {process.exitcode} before its first case")
                self._processes[job] = self._started(job, first=number + self._jobs)
                what = f"seed {self._seed}, chunk {number}, case {case}: the process ended with {process.exitcode}"
                return Chunk(Counter({"process WRONG": 1}), [what])
        try:
            return self._results.get(timeout=1)
        except queue.Empty:
            return None

    def stop(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.terminate()
            process.join()
