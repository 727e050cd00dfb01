"""A run in parts: done by workers, kept as soon as each is done, and put together in order."""

from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import chain, islice
from typing import Protocol, TypeVar

from ursuppe_env.extras import extra
from ursuppe_lab.jobs.folder import RunFolder
from ursuppe_lab.jobs.runner import run_jobs, run_jobs_on_ray

with extra("arena"):
    import polars as pl


class NumberedPart(Protocol):
    """What a run is made of; it must be picklable."""

    @property
    def number(self) -> int:
        """Of the part, from 0."""


P = TypeVar("P", bound=NumberedPart)


def do_parts(
    work: Callable[[P], pl.DataFrame],  # does one part: a table of rows
    parts: Iterable[P],  # in the order of their numbers; those that are not begun are made as they are needed
    keys_of: Callable[[P], pl.DataFrame],  # the columns that say which rows a part has
    kept: RunFolder | None = None,  # where to keep each part as soon as it is done, and to find those that are
    workers: int | None = None,  # processes; None: one per core
    ray: bool = False,  # work on a Ray cluster instead
    on_progress: Callable[[int], None] | None = None,  # told how many rows there are, at first and after each part
    on_rows: Callable[[pl.DataFrame], None] | None = None,  # given those of each part, first of those that were kept
) -> pl.DataFrame:
    """Do all parts, or those that are left; a damaged one is done anew.

    Returns:
        The rows of all parts, in the order of the parts.

    Raises:
        ValueError: both ``ray`` and ``workers`` are given.
        Exception: whatever ``work`` raised; the parts that are done are kept.
    """
    if ray and workers is not None:
        raise ValueError(f"workers is {workers}, but a Ray cluster has its own; give one of both")
    parts = iter(parts)
    begun = [] if kept is None else list(islice(parts, kept.num_begun))
    found = {} if kept is None else {part.number: kept.read(part.number, keys_of(part)) for part in begun}
    done = {number: rows for number, rows in found.items() if rows is not None}
    num_rows = 0

    def tell(*new: pl.DataFrame) -> None:
        nonlocal num_rows
        for rows in new:
            num_rows += len(rows)
            if on_rows is not None:
                on_rows(rows)
        if on_progress is not None:
            on_progress(num_rows)

    tell(*done.values())
    left = chain([part for part in begun if part.number not in done], parts)
    with closing(run_jobs_on_ray(work, left) if ray else run_jobs(work, left, workers)) as results:
        for part, rows in results:
            if kept is not None:
                kept.write_part(part.number, rows)
            done[part.number] = rows
            tell(rows)
    return pl.concat([done[number] for number in sorted(done)])
