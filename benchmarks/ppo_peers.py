"""How fast ``ursuppe train`` learns, beside the PPO of SB3-contrib, CleanRL and PufferLib, on the same job.

``python benchmarks/ppo_peers.py``, ten minutes of two cores: the network, epochs and minibatches of ``standard``, 512
games of four players. Every trainer runs its own loop and its own update, from nothing, for two rollouts with their
updates, of which the first does not count; all of them by turns, each in a process of its own (docs/performance.md).
"""

import argparse
import importlib.util
import os
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

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


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cleanrl", type=Path, metavar="PATH", help="a clone of CleanRL's repository")
    parser.add_argument("--rounds", type=int, default=5, help="how often each trainer has its turn")
    parser.add_argument("--seats", choices=list(SEATS), nargs="+", default=list(SEATS), help="who learns")
    arguments = parser.parse_args()
    Console(width=120).print(table(measure(trainers_here(arguments.cleanrl), arguments.seats, arguments.rounds)))


def trainers_here(repository: Path | None) -> dict[str, Train]:
    """The trainers that are installed, by name, ours first; of others it says how to get them."""
    trainers: dict[str, Train] = {"ursuppe train": ursuppe, "SB3-contrib MaskablePPO": sb3_contrib}
    if repository is not None and (repository / CLEANRL_SCRIPT).is_file() and importlib.util.find_spec("tyro"):
        trainers["CleanRL ppo.py"] = partial(cleanrl, repository=repository.absolute())
    else:
        print(_CLEANRL)
    if importlib.util.find_spec("pufferlib"):
        trainers["PufferLib PuffeRL"] = pufferlib
    else:
        print(_PUFFERLIB)
    return trainers


def measure(trainers: dict[str, Train], seats: list[str], rounds: int) -> dict[str, dict[str, list[Measured]]]:
    """What each trainer took in each of its turns, by seats and name."""
    measured: dict[str, dict[str, list[Measured]]] = {one: {name: [] for name in trainers} for one in seats}
    # One process each: what a library sets for all of torch, or leaves behind, is not there for the others.
    pools = {name: ProcessPoolExecutor(1, get_context("spawn"), torch.set_num_threads, (THREADS,)) for name in trainers}
    turns = [(one, name) for one in seats for name in trainers]
    try:
        for one, name in track(turns * rounds, "training"):
            measured[one][name].append(pools[name].submit(trainers[name], job(one)).result())
    finally:
        for pool in pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
    return measured


def table(measured: dict[str, dict[str, list[Measured]]]) -> Table:
    """A row for each trainer; medians of the turns, and all that was seen."""
    printed = Table("trainer", "weights", "decisions a second", "collecting, s", "updating, s", "times as long")
    for one, by_name in measured.items():
        printed.add_section()
        printed.add_row(f"[bold]{one}")
        of_first: list[float] = []
        for name, turns in by_name.items():
            last = [turn.times[-1] for turn in turns]
            totals = [sum(times) for times in last]
            of_first = of_first or totals
            printed.add_row(
                name,
                f"{turns[0].weights:,}",
                spread([decisions(job(one)) / total for total in totals], "{:,.0f}".format),
                spread([times.collecting for times in last]),
                spread([times.updating for times in last]),
                spread([total / least for total, least in zip(totals, of_first, strict=True)]),
            )
    return printed


def spread(values: Sequence[float], shown: Callable[[float], str] = "{:.2f}".format) -> str:
    """The median, and all that was seen."""
    return f"{shown(statistics.median(values))} ({shown(min(values))}-{shown(max(values))})"


if __name__ == "__main__":
    main()
