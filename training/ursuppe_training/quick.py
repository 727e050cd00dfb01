"""The main job in a minute and a half: train a small agent, then let it play against random players.

``make run``, or ``python -m ursuppe_training.quick``.
"""

import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from ursuppe_env.cli import run
from ursuppe_env.compilation.compiler import CACHE
from ursuppe_env.extras import EXTRAS
from ursuppe_training.config import read_config

# torch takes seconds to import, and Ctrl-C should end this without a traceback then, too.

FOLDER = "runs/quick"


def main(settings: Sequence[str] = (), games: int = 2000) -> int:
    """Train in place of the last run, with these options, then print how often the policy wins; returns the status."""
    if not CACHE.exists():
        print(
            "Compiling the game, its agents and the training for this computer, once: some half a minute.", flush=True
        )
        if status := run(["cache", "--warm"]):
            return status
    if Path(FOLDER, "config.toml").exists():
        shutil.rmtree(FOLDER)
    status = run(["train", "quick", *settings, "--out", FOLDER])
    status = status or run(["evaluate", FOLDER, "--against", "random", "--games", str(games)])
    if status == 0:
        print("To play yourself, in the browser: ursuppe web (here: .venv/bin/ursuppe web)")
    return status


def pieces_to_compile() -> dict[str, Callable[[], None]]:
    """What compiles the code of a training, if the extra is installed; for ``ursuppe cache --warm``."""
    return {"training": _train_a_little} if all(map(find_spec, EXTRAS["train"])) else {}


def _train_a_little() -> None:
    from ursuppe_training.runs.trainer import Trainer

    config = read_config("quick").changed({"steps": 2_000, "envs": 16, "rollout": 16, "batch_size": 256})
    Trainer(config, device="cpu").run()


if __name__ == "__main__":
    sys.exit(main())
