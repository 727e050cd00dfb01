"""What makes an update fast: each measure alone and all together, by turns in one run.

``python benchmarks/update_variants.py``, three minutes: minibatches of the preset ``standard``. The first row is what
training did before: torch's losses over whole minibatches in float32. ``--compile`` adds torch.compile, which needs a
C++ compiler.
"""

import argparse
import copy
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import Executor

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ursuppe_training import gradients as gradients_module
from ursuppe_training.config import read_config
from ursuppe_training.every_seat import EverySeatPPO
from ursuppe_training.gradients import Gradients, LossWeights
from ursuppe_training.magnet import Magnet
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.processes import Processes
from ursuppe_training.rollout import Minibatch
from ursuppe_training.seat_rollout_buffer import Decisions
from ursuppe_training.threads import one_torch_thread, workers
from ursuppe_training.trainer import Trainer

_WEIGHTS = LossWeights(clip_range=0.2, entropy=0.005)
_WHOLE = 10**9


class Variant:
    """A way to learn from a minibatch.

    Args:
        name: as it is printed.
        precision: of the products of the hidden layers.
        losses: "torch" or "compiled".
        slice_size: decisions that are computed at once, at most.
        fused: Adam changes all weights in one pass.
        is_compiled: the hidden layers are compiled by torch.
    """

    def __init__(
        self,
        name: str,
        precision: str = "bfloat16",
        losses: str = "compiled",
        slice_size: int = 1024,
        fused: bool = True,
        is_compiled: bool = False,
    ) -> None:
        self.name = name
        self._precision = getattr(torch, precision)
        self._losses = losses
        self._slice_size = slice_size
        self._fused = fused
        self._is_compiled = is_compiled

    def prepare(self, model: EverySeatPPO, pool: Executor, threads: int) -> None:
        """Copy the policy of a model, so that each variant has its own."""
        self._threads = threads
        policy, who_plays = copy.deepcopy((model.policy, model.who_plays))
        policy.precision = self._precision
        if self._is_compiled:
            policy.latents = torch.compile(policy.latents)  # type: ignore[method-assign]
            policy.scores = torch.compile(policy.scores)  # type: ignore[method-assign]
        self._policy = policy
        self._optimizer = torch.optim.Adam(policy.parameters(), lr=2e-4, eps=1e-5, fused=self._fused)
        self._gradients = Gradients(policy, who_plays, Magnet(policy, 1), pool, Processes())
        decisions = model.rollout_buffer.decisions
        self._decisions = decisions._replace(inputs=decisions.inputs.to(self._precision))

    def seconds(self, batch: Minibatch) -> float:
        """That learning from a minibatch takes."""
        started = time.perf_counter()
        gradients_module._SLICE = self._slice_size
        gradients_module._FEWEST_SLICES = 1 if self._slice_size == _WHOLE else 2
        if self._losses == "torch":
            torch.set_num_threads(self._threads)
            self._gradients._of_ppo_by_torch(self._decisions.at(batch.rows), batch, _WEIGHTS)
            self._step()
        else:
            with one_torch_thread():
                self._gradients.of_ppo(self._decisions, batch, _WEIGHTS)
                self._step()
        return time.perf_counter() - started

    def _step(self) -> None:
        torch.nn.utils.clip_grad_norm_(self._policy.parameters(), 0.5)
        self._optimizer.step()


def variants(with_torch_compile: bool) -> list[Variant]:
    """The first one is what the others are compared with."""
    before = {"precision": "float32", "losses": "torch", "slice_size": _WHOLE, "fused": False}
    found = [
        Variant("as before", **before),
        Variant("fused Adam alone", **{**before, "fused": True}),
        Variant("bfloat16 alone", **{**before, "precision": "bfloat16"}),
        Variant("compiled losses alone", **{**before, "losses": "compiled"}),
        Variant("compiled losses, slices", "float32", fused=False),
        Variant("all, slices of 256", slice_size=256),
        Variant("all, slices of 512", slice_size=512),
        Variant("all, slices of 1,024: as it is", slice_size=1024),
        Variant("all, slices of 2,048", slice_size=2048),
        Variant("all, slices of 4,096", slice_size=4096),
        Variant("as it is, in float32", precision="float32"),
    ]
    if with_torch_compile:
        found += [
            Variant("torch.compile alone", **before, is_compiled=True),
            Variant("bfloat16, torch.compile", **{**before, "precision": "bfloat16"}, is_compiled=True),
            Variant("all, torch.compile", is_compiled=True),
        ]
    return found


def first_layer_by_zeros(decisions: Decisions, policy: MaskedCategoricalPolicy) -> tuple[float, float, float]:
    """The part of the inputs that is not 0, and milliseconds of the first layer's product: dense, and sparse."""
    inputs = decisions.inputs[:8192]
    weights = policy.actor[0].weight.detach()
    sparse = inputs.float().to_sparse_csr()
    narrow = weights.to(inputs.dtype)
    dense_seconds = shortest(lambda: torch.mm(inputs, narrow.t()))
    sparse_seconds = shortest(lambda: torch.mm(sparse, weights.t()))
    return (inputs != 0).float().mean().item(), 1000 * dense_seconds, 1000 * sparse_seconds


def shortest(work: Callable[[], object]) -> float:
    """Of some times of a call, in seconds."""
    times = []
    for _ in range(7):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    """Measure, and print a table for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9, help="how often each is measured")
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    options = parser.parse_args()
    console = Console(width=100)
    for threads in (1, 2):
        config = read_config("standard").changed({"teachers": (), "rollout": 64, "steps": 1})
        trainer = Trainer(config, "cpu", threads)
        trainer.run()
        model = trainer.model
        assert isinstance(model, EverySeatPPO)
        batch = next(model.rollout_buffer.minibatches(config.batch_size))
        with workers(threads) as pool:
            tried = variants(options.compile)
            for variant in tried:
                variant.prepare(model, pool, threads)
                variant.seconds(batch), variant.seconds(batch)
            times: dict[Variant, list[float]] = {variant: [] for variant in tried}
            for variant in track(tried * options.rounds, f"with {threads} threads"):
                times[variant].append(variant.seconds(batch))
        table = Table("variant", "ms", "ratio", title=f"a minibatch of {len(batch.rows):,}, threads: {threads}")
        first = statistics.median(times[tried[0]])
        for variant, taken in times.items():
            median = statistics.median(taken)
            table.add_row(variant.name, f"{1000 * median:.1f}", f"{median / first:.2f}")
        console.print(table)
        part, dense, sparse = first_layer_by_zeros(model.rollout_buffer.decisions, model.policy)
        console.print(f"first layer: {part:.0%} of the inputs are not 0; dense {dense:.1f} ms, sparse {sparse:.1f} ms")


if __name__ == "__main__":
    main()
