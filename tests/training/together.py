"""What ``test_processes.py`` lets torchrun start."""

import json
import sys
from pathlib import Path

import torch

from ursuppe_env.cli import run
from ursuppe_training.config import TrainingConfig
from ursuppe_training.processes import started_together
from ursuppe_training.runs.trainer import Trainer


def main(settings: str, folder: Path) -> None:
    """Train, train again from a checkpoint in the middle, and write both policies; then resume a run of the folder."""
    processes = started_together()
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
    sys.exit(run(["train", "--resume", str(folder / "resumed"), "--threads", "1"]))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
