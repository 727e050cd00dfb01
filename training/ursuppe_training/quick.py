"""The main job in about a minute: train a small agent, then let it play against random players.

``make run``, or ``python -m ursuppe_training.quick``.
"""

import shutil
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from ursuppe_env.cli.cache import compile_all
from ursuppe_env.extras import EXTRAS
from ursuppe_env.rules.compilation import CACHE
from ursuppe_training.config import TrainingConfig, read_config

# torch takes seconds to import, and Ctrl-C should end this without a traceback then, too.

FOLDER = Path("runs/quick")
GAMES = 2000
AGAINST_RANDOM = "against_random.json"
INTERRUPTED = 130
FAILED = 2


def run(config: TrainingConfig, folder: Path = FOLDER, num_games: int = GAMES) -> None:
    """Train in the folder, in place of the last run there, evaluate the policy, and print its win rates."""
    from rich.console import Console

    from ursuppe_agents.policies.files import read_provenance
    from ursuppe_env.cli.progress import progress_bar
    from ursuppe_env.files import write_atomically
    from ursuppe_training.commands.shared import run_bar
    from ursuppe_training.evaluation.evaluate import evaluate_policy, evaluation_file
    from ursuppe_training.runs.evaluations import BEST
    from ursuppe_training.runs.run import CONFIG, Run
    from ursuppe_training.seeds import Seed

    if not CACHE.exists():
        _compile()
    started = time.perf_counter()
    print(f"Training on {config.steps:,} decisions of self-play, then playing against random players.", flush=True)
    if (folder / CONFIG).exists():
        shutil.rmtree(folder)
    with progress_bar() as progress:
        Run.begin(folder, config, print).train(run_bar(progress))
    trained = time.perf_counter()
    best = folder / BEST
    evaluation = evaluate_policy(best, ["random"], num_games, Seed.EVALUATION, config.ruleset, workers=None)
    write_atomically(folder / AGAINST_RANDOM, evaluation_file(evaluation, read_provenance(best)))
    ended = time.perf_counter()
    Console(width=100).print(evaluation.as_table())
    print(f"Trained for {trained - started:.0f} s, played for {ended - trained:.0f} s. Policy: {best}")
    print("To play yourself, in the browser: ursuppe web (here: .venv/bin/ursuppe web)")


def _compile() -> None:
    """All that is compiled, processes side by side, before the first of them is needed."""
    began = time.perf_counter()
    print("Compiling the game, its agents and the training for this computer, once: some half a minute.", flush=True)
    for ready in compile_all():
        print(f"{ready}: ready after {time.perf_counter() - began:.0f} s", flush=True)


def pieces_to_compile() -> dict[str, Callable[[], None]]:
    """What compiles the code of a training, if the extra is installed; for ``ursuppe cache --warm``."""
    return {"training": _train_a_little} if all(map(find_spec, EXTRAS["train"])) else {}


def _train_a_little() -> None:
    from ursuppe_training.runs.trainer import Trainer

    config = read_config("quick").changed({"steps": 2_000, "envs": 16, "rollout": 16, "batch_size": 256})
    Trainer(config, device="cpu").run()


def main() -> None:
    """Run with one line, not a traceback, at Ctrl-C and where files are in the way."""
    try:
        run(read_config("quick"))
    except KeyboardInterrupt:
        print("interrupted; the files in runs/ are as they were, or whole", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
