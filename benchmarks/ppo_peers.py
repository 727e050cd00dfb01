"""How fast ``ursuppe train`` learns, beside the PPO of SB3-contrib, CleanRL and PufferLib, on the same job.

``python benchmarks/ppo_peers.py``, ten minutes of two cores: the network, epochs and minibatches of ``standard``, 512
games of four players. Every trainer runs its own loop and its own update, from nothing, for two rollouts with their
updates, of which the first does not count; all of them by turns, each in a process of its own. What exactly they do
stands in ``docs/performance.md``.
"""

import argparse
import importlib.util
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import torch
from peers.job import SEATS, THREADS, Measured, decisions, job
from peers.trainers import CLEANRL_SCRIPT, Train, cleanrl, pufferlib, sb3_contrib, ursuppe
from rich.console import Console
from rich.progress import track
from rich.table import Table

_CLEANRL = "CleanRL: give --cleanrl with a clone of https://github.com/vwxyzjn/cleanrl, and pip install tyro"
_PUFFERLIB = (
    "PufferLib: pip install --no-deps --no-build-isolation pufferlib==3.0.0, and pip install --no-deps gym==0.23 "
    "gym-notices pyro-ppl pyro-api opt_einsum rich_argparse"
)


class Variant(NamedTuple):
    """A trainer."""

    name: str
    train: Train


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cleanrl", type=Path, metavar="PATH", help="a clone of CleanRL's repository")
    parser.add_argument("--rounds", type=int, default=5, help="how often each trainer has its turn")
    parser.add_argument("--seats", choices=list(SEATS), nargs="+", default=list(SEATS), help="who learns")
    arguments = parser.parse_args()
    variants = list(variants_here(arguments.cleanrl))
    measured = measure(variants, arguments.seats, arguments.rounds)
    Console(width=120).print(table(variants, arguments.seats, measured))


def variants_here(repository: Path | None) -> Iterator[Variant]:
    """The trainers that are installed; of others it says how to get them."""
    yield Variant("ursuppe train", ursuppe)
    yield Variant("SB3-contrib MaskablePPO", sb3_contrib)
    if repository is not None and (repository / CLEANRL_SCRIPT).is_file() and importlib.util.find_spec("tyro"):
        yield Variant("CleanRL ppo.py", partial(cleanrl, repository=repository.absolute()))
    else:
        print(_CLEANRL)
    if importlib.util.find_spec("pufferlib"):
        yield Variant("PufferLib PuffeRL", pufferlib)
    else:
        print(_PUFFERLIB)


def measure(variants: list[Variant], seats: list[str], rounds: int) -> dict[tuple[str, str], list[Measured]]:
    """What each trainer took in each of its turns, by seats and name."""
    measured: dict[tuple[str, str], list[Measured]] = {}
    # One process each: what a library sets for all of torch, or leaves behind, is not there for the others.
    pools = [ProcessPoolExecutor(1, get_context("spawn"), torch.set_num_threads, (THREADS,)) for _ in variants]
    turns = [(one, variant, pool) for one in seats for variant, pool in zip(variants, pools, strict=True)]
    try:
        for one, variant, pool in track(turns * rounds, "training"):
            found = pool.submit(variant.train, job(one)).result()
            measured.setdefault((one, variant.name), []).append(found)
    finally:
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
    return measured


def table(variants: list[Variant], seats: list[str], measured: dict[tuple[str, str], list[Measured]]) -> Table:
    """A row for each trainer; medians of the turns, and all that was seen."""
    printed = Table("trainer", "weights", "decisions a second", "collecting, s", "updating, s", "times as long")
    for one in seats:
        printed.add_section()
        printed.add_row(f"[bold]{one}")
        first = [sum(turn.times[-1]) for turn in measured[one, variants[0].name]]
        for variant in variants:
            turns = measured[one, variant.name]
            last = [turn.times[-1] for turn in turns]
            totals = [sum(times) for times in last]
            printed.add_row(
                variant.name,
                f"{turns[0].weights:,}",
                spread([decisions(job(one)) / total for total in totals], "{:,.0f}".format),
                spread([times.collecting for times in last]),
                spread([times.updating for times in last]),
                spread([total / least for total, least in zip(totals, first, strict=True)]),
            )
    return printed


def spread(values: Sequence[float], shown: Callable[[float], str] = "{:.2f}".format) -> str:
    """The median, and all that was seen."""
    return f"{shown(statistics.median(values))} ({shown(min(values))}-{shown(max(values))})"


if __name__ == "__main__":
    main()
