"""How near updates are to the processor's limit: their products of matrices, and what it can multiply at best.

``python benchmarks/floating_point.py``, two minutes: the preset ``standard``, with one and two threads. Counted are the
products of the layers, forward and backward, of which nearly all operations of an update are. By turns in one run: a
product of two large square matrices; the products of a minibatch alone, each by itself; and whole updates.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table
from torch import nn

from ursuppe_training.config import SELF, TrainingConfig, read_config
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.trainer import Trainer

_PRECISIONS = ("float32", "bfloat16")
_THREADS = (1, 2)
_SQUARE = 2048  # rows and columns of the large matrices
_SETTINGS = {"opponents": {SELF: 1.0}, "teachers": (), "rollout": 64}


class Layer(NamedTuple):
    """A layer with a matrix of (outputs, inputs) weights."""

    inputs: int
    outputs: int
    is_first: bool  # so that nothing is derived by what it sees
    times: int  # in a decision: once, or for each seat

    @property
    def forward(self) -> int:
        """Operations for a decision: a multiplication and an addition for each weight."""
        return 2 * self.inputs * self.outputs * self.times

    @property
    def backward(self) -> int:
        """The same for the derivatives by the weights, and by the inputs."""
        return self.forward * (1 if self.is_first else 2)


class Speeds(NamedTuple):
    """Operations a second: of a large product, of the layers' products alone, and of an update."""

    square: float
    layers: float
    update: float


class Update:
    """Updates of a policy by the same decisions, which are collected once.

    Args:
        config: of the training.
        precision: of its products.
        threads: that it computes on.
    """

    def __init__(self, config: TrainingConfig, precision: str, threads: int) -> None:
        self.precision = precision
        self.threads = threads
        one_rollout = config.envs * config.rollout
        self._trainer = Trainer(config.changed({"precision": precision, "steps": one_rollout}), "cpu", threads)
        self._trainer.run()
        self.policy = self._trainer.model.policy
        self.passes = config.epochs * len(self._trainer.model.rollout_buffer.returns)  # of a decision through it

    def __call__(self) -> None:
        self._trainer.model.train()


def main() -> None:
    """Measure, and print what is counted and a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    rounds = parser.parse_args().rounds
    config = read_config("standard").changed(_SETTINGS)
    updates = [Update(config, *setting) for setting in product(_PRECISIONS, _THREADS)]
    layers = layers_of(updates[0].policy)
    speeds: dict[Update, list[Speeds]] = {update: [] for update in updates}
    for update in track(updates * rounds, "multiplying"):
        speeds[update].append(measure(update, layers, config.batch_size))
    console = Console(width=120)
    console.print(counted(layers, config.epochs), table(speeds, config.epochs * operations(layers)))


def layers_of(policy: MaskedCategoricalPolicy) -> list[Layer]:
    """The layers of actor and critic."""
    critic = policy.critic
    of_actor = [*(layer for layer in policy.actor if isinstance(layer, nn.Linear)), policy.action_net]
    of_seats = [critic.seat_layer, critic.joint_layer, critic.outcome_layer]
    of_table = [critic.table_layer, critic.situation_layer]
    found = [(layer, 1) for layer in (*of_actor, *of_table)] + [(layer, critic.players) for layer in of_seats]
    first = (of_actor[0], critic.seat_layer, critic.situation_layer)
    return [Layer(layer.in_features, layer.out_features, layer in first, times) for layer, times in found]


def operations(layers: list[Layer]) -> int:
    """Of a decision that is learned from once."""
    return sum(layer.forward + layer.backward for layer in layers)


def measure(update: Update, layers: list[Layer], rows: int) -> Speeds:
    """One turn, with minibatches of so many rows."""
    torch.set_num_threads(update.threads)
    precision = getattr(torch, update.precision)
    left, right = torch.randn(2, _SQUARE, _SQUARE).to(precision)
    large = seconds(lambda: torch.mm(left, right))
    alone = sum(seconds(one) for layer in layers for one in products(layer, rows, precision))
    whole = seconds(update, repetitions=1)
    return Speeds(2 * _SQUARE**3 / large, operations(layers) * rows / alone, operations(layers) * update.passes / whole)


def products(layer: Layer, rows: int, precision: torch.dtype) -> list[Callable[[], torch.Tensor]]:
    """The products of a layer for a minibatch, with matrices that lie in memory as they do in an update."""
    rows *= layer.times
    inputs, weights, derivatives = (
        torch.randn(shape).to(precision)
        for shape in ((rows, layer.inputs), (layer.outputs, layer.inputs), (rows, layer.outputs))
    )
    by_weights = [lambda: torch.mm(inputs, weights.t()), lambda: torch.mm(derivatives.t(), inputs)]
    return by_weights if layer.is_first else [*by_weights, lambda: torch.mm(derivatives, weights)]


def seconds(work: Callable[[], object], repetitions: int = 3) -> float:
    """The shortest of some times: a limit is what can be done undisturbed."""
    times = []
    for _ in range(repetitions):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def counted(layers: list[Layer], epochs: int) -> Table:
    """A row for each layer."""
    printed = Table("layer", "forward", "backward", title="operations for a decision")
    for layer in layers:
        seats = f", {layer.times} times" if layer.times > 1 else ""
        printed.add_row(f"{layer.inputs:,} to {layer.outputs:,}{seats}", f"{layer.forward:,}", f"{layer.backward:,}")
    forward, backward = sum(layer.forward for layer in layers), sum(layer.backward for layer in layers)
    printed.add_section()
    printed.add_row("all", f"{forward:,}", f"{backward:,}")
    printed.add_row(f"in {epochs} epochs", f"{epochs * forward:,}", f"{epochs * backward:,}")
    return printed


def table(speeds: dict[Update, list[Speeds]], operations: int) -> Table:
    """A row for each precision and number of threads: medians of the turns.

    Args:
        speeds: of all turns.
        operations: for a decision in all epochs.
    """
    columns = (
        "large product",
        "the layers'",
        "update",
        "of a large one",
        "of the layers'",
        "decisions/s",
        "at the limit",
    )
    printed = Table("precision", "threads", *columns, title="10⁹ operations a second; the update's part of that")
    for update, turns in speeds.items():
        square, alone, whole = (statistics.median(each) for each in zip(*turns, strict=True))
        parts = [[turn.update / turn.square for turn in turns], [turn.update / turn.layers for turn in turns]]
        printed.add_row(
            update.precision,
            str(update.threads),
            *(f"{speed / 1e9:,.0f}" for speed in (square, alone, whole)),
            *(f"{statistics.median(part):.0%}" for part in parts),
            *(f"{speed / operations:,.0f}" for speed in (whole, square)),
        )
    return printed


if __name__ == "__main__":
    main()
