"""Does any mutated state or position lead the engine astray? ``make fuzz`` runs it with the bounds of arrays checked.

It goes on for ``--minutes`` and until ``--cases`` are done, in ``--jobs`` processes: one that crashes or hangs is a
finding like any other. What it finds is printed with its chunk: ``--chunk NUMBER`` runs that alone, in this process.
Exit status 1 if it found anything.
"""

import argparse
import os
import sys
import time

from numba import config

from fuzz.cases import Chunk, run_chunk
from fuzz.workers import chunks

_SECONDS_BETWEEN_LINES = 15


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="fuzz", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=15, help="to go on for at least (15)")
    parser.add_argument("--cases", type=int, default=100_000, help="to do at least (100,000)")
    parser.add_argument("--seed", type=int, default=1, help="of all mutations (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (one a core)")
    parser.add_argument("--chunk", type=int, help="only this chunk")
    arguments = parser.parse_args()
    checked = "checked" if config.BOUNDSCHECK else "not checked (NUMBA_BOUNDSCHECK=1 is not set)"
    print(f"bounds of arrays are {checked}; compiling ...", flush=True)
    done = run_chunk(arguments.seed, arguments.chunk or 0, cases=8 if arguments.chunk is None else 200)
    if arguments.chunk is not None:
        _tell(done)
        return int(bool(done.failures))
    total, began, told = Chunk(), time.monotonic(), time.monotonic()
    try:
        for chunk in chunks(arguments.seed, arguments.jobs):
            total.counts += chunk.counts
            total.failures += chunk.failures
            for failure in chunk.failures:
                print(failure, "", sep="\n", flush=True)
            minutes = (time.monotonic() - began) / 60
            if time.monotonic() - told > _SECONDS_BETWEEN_LINES:
                told = time.monotonic()
                print(f"{minutes:.1f} min: {total.counts.total():,} cases, {len(total.failures)} wrong", flush=True)
            if minutes >= arguments.minutes and total.counts.total() >= arguments.cases:
                break
    except KeyboardInterrupt:
        print()
    _tell(total)
    return int(bool(total.failures))


def _tell(chunk: Chunk) -> None:
    for failure in chunk.failures:
        print(failure, "", sep="\n")
    for what, number in sorted(chunk.counts.items()):
        print(f"{number:9,} {what}")
    print(f"{chunk.counts.total():9,} cases, {len(chunk.failures)} wrong")


if __name__ == "__main__":
    sys.exit(main())
