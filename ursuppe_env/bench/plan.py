"""The parts of the benchmark in order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ursuppe_env.bench.batches import measure_batch
from ursuppe_env.bench.figures import Effort, Figure, Measure
from ursuppe_env.bench.peers import peer_measures
from ursuppe_env.bench.processes import measure_compilation, measure_start
from ursuppe_env.bench.single import measure_aec, measure_size


@dataclass(frozen=True)
class Job:
    """A part of the benchmark that takes some seconds: a label for the progress, and what it measures."""

    label: str
    measure: Callable[[], list[Figure]]


def jobs(
    batches: Iterable[int],
    threads: Sequence[int],
    effort: Effort,
    cold: bool,
    peers: bool,
    measures: Mapping[str, Measure],
) -> Iterator[Job]:
    """The parts of the benchmark in order.

    Args:
        batches: numbers of games at once.
        threads: numbers of threads for them.
        effort: how long to measure.
        cold: also compile everything into an empty cache folder.
        peers: also measure games of other packages.
        measures: what else to measure, by label; each may raise ``Unavailable``.
    """
    for batch in batches:
        yield Job(f"batch {batch}", partial(measure_batch, batch, threads, effort))
    yield Job("AEC environment", partial(measure_aec, effort))
    yield Job("observation size", measure_size)
    yield Job("start", partial(measure_start, effort))
    if cold:
        yield Job("cold compilation", measure_compilation)
    for label, measure in {**measures, **(peer_measures() if peers else {})}.items():
        yield Job(label, partial(measure, effort))
