"""Counts the decisions that games take while somebody thinks: what an agent simulates."""

from collections.abc import Iterator
from contextlib import contextmanager


class Count:
    """How many decisions with two or more legal actions were taken, in whatever ``Games`` of this process."""

    decisions = 0


#: Those under way; empty in ordinary play, which then counts nothing.
counts: list[Count] = []


@contextmanager
def counting() -> Iterator[Count]:
    """Count the decisions taken from here to the end of the block."""
    count = Count()
    counts.append(count)
    try:
        yield count
    finally:
        counts.remove(count)


def add(decisions: int) -> None:
    """Add decisions that were taken; also for code that plays on without ``Games``."""
    for count in counts:
        count.decisions += decisions
