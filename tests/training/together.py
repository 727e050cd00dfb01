"""What ``test_processes.py`` lets torchrun start."""

import json
import shutil
import sys
from pathlib import Path

import torch

from ursuppe_env.cli import run
from ursuppe_training.config import TrainingConfig
from ursuppe_training.devices import started_together
from ursuppe_training.runs.trainer import Trainer


def main(settings: str, folder: Path, options: list[str]) -> None:
    """Train a run by the command with these options. Then train without one with these settings, train again from a
    checkpoint in the middle, and write both policies. Then resume a copy of the run from its beginning.
    """
    processes = started_together()
    whole_run, resumed_run = folder / "whole", folder / "resumed"
    status = run(["train", "quick", *options, "--out", str(whole_run)])
    if processes.is_first:
        copy_beginning(whole_run, resumed_run)
    config = TrainingConfig(**json.loads(settings))
    saved = []
    whole = Trainer(config, "cpu", threads=1, processes=processes)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    resumed = Trainer(config, "cpu", threads=1, processes=processes)
    resumed.load_state_dict(saved[len(saved) // 2])
    resumed.run()
    policies = [trainer.policy.state_dict() for trainer in (whole, resumed)]
    found = {"policies": policies, "decisions": whole.decisions, "games": len(saved[0]["games"])}
    torch.save(found, folder / f"{processes.rank}.pt")
    sys.exit(status or run(["train", "--resume", str(resumed_run), "--threads", "1"]))


def copy_beginning(run_folder: Path, copy: Path) -> None:
    """The folder as if the run had been interrupted before its last two checkpoints."""
    shutil.copytree(run_folder, copy)
    for path in sorted((copy / "checkpoints").iterdir())[-2:]:
        path.unlink()
    for name in ("latest.zip", "best.zip", "evaluation.json"):
        (copy / name).unlink()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
