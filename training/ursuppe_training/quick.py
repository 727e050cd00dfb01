"""The main job in about a minute: train a small agent, then let it play against random players.

``make run``, or ``python -m ursuppe_training.quick``.
"""

import shutil
import sys
import time
from pathlib import Path

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
