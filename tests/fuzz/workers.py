"""Processes that run the chunks of the fuzz."""

import faulthandler
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice
from multiprocessing import get_context

from fuzz.cases import Chunk, run_chunk

_MOST_SECONDS = 300  # for one chunk, which takes a few


def run_in_time(seed: int, number: int, cases: int) -> Chunk:
    """Run a chunk; where it does not come to its end, the process does."""
    faulthandler.dump_traceback_later(_MOST_SECONDS, exit=True)
    chunk = run_chunk(seed, number, cases)
    faulthandler.cancel_dump_traceback_later()
    return chunk


def chunks(seed: int, jobs: int, cases: int = 200) -> Iterator[Chunk]:
    """What came of one chunk after the other, as so many processes run them; one that ends has found something."""
    numbers = count()
    while True:
        under_way = {}
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            try:
                while True:
                    for number in islice(numbers, jobs - len(under_way)):
                        under_way[pool.submit(run_in_time, seed, number, cases)] = number
                    for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                        chunk = done.result()
                        del under_way[done]
                        yield chunk
            except BrokenProcessPool as error:
                which = " or ".join(map(str, under_way.values()))
                yield Chunk(Counter({"process WRONG": 1}), [f"seed {seed}, chunk {which}: {error}"])
