"""How fast training collects decisions, beside how fast its network alone could decide.

``python benchmarks/collecting.py``: the preset ``standard``, with all cores for either. Inference alone is the policy
asked about as many positions at once as it was in the games, with nothing between two questions. Decisions of opponents
count as well: the network would otherwise have to make them.
"""

import os
import statistics
import time

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import torch
from rich.console import Console
from rich.table import Table

from ursuppe_training.config import SELF, TrainingConfig, read_config
from ursuppe_training.trainer import Trainer

_ROLLOUTS = 5


def main() -> None:
    """Measure, and print a table."""
    standard = read_config("standard")
    table = Table("seats", "inference alone", "collecting", "ratio")
    for name, opponents in (("all learn", {SELF: 1.0}), ("opponents", standard.opponents)):
        config = standard.changed({"opponents": opponents, "teachers": (), "rollout": 96})
        ratios, alone, collecting = zip(*measure(config), strict=True)
        table.add_row(name, *(f"{statistics.median(speeds):,.0f}" for speeds in (alone, collecting)), spread(ratios))
    Console(width=100).print(table)


def measure(config: TrainingConfig) -> list[tuple[float, float, float]]:
    """(ratio, inference, collecting) of each rollout, the first one left out."""
    trainer = Trainer(config, device="cpu")
    model, buffer = trainer.model, trainer.model.rollout_buffer
    figures = []
    for rollout in range(1 + _ROLLOUTS):
        trainer.begin_rollout()
        learned = decided = 0
        buffer.reset()
        started = time.perf_counter()
        while not buffer.is_full:
            learned += model._play_a_step(buffer)
            decided += config.envs
        collecting = decided / (time.perf_counter() - started)
        steps = [step for step in buffer._history[1:] if isinstance(step, slice)]
        started = time.perf_counter()
        with torch.no_grad():
            for step in steps:
                model.policy(buffer.observations[step], action_masks=buffer.action_masks[step])
        alone = learned / (time.perf_counter() - started)
        buffer.compute_returns_and_advantages()
        if rollout > 0:
            figures.append((collecting / alone, alone, collecting))
    return figures


def spread(ratios: tuple[float, ...]) -> str:
    """The median, and all that was seen."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} ... {max(ratios):.2f})"


if __name__ == "__main__":
    main()
