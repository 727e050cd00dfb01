"""The main job in about three minutes: train a small agent, then let it play against random players.

``make run``, or ``python -m ursuppe_training.quick``.
"""

import sys
import time
from pathlib import Path

from ursuppe_training.config import TrainingConfig

# torch takes seconds to import, and Ctrl-C shall end this without a traceback then, too.

CONFIG = TrainingConfig(steps=1_400_000)
FOLDER = Path("runs/quick")
GAMES = 2000
_SEED = 1_000_000  # not the seed of the training: its games are other ones
INTERRUPTED = 130


def run(config: TrainingConfig = CONFIG, folder: Path = FOLDER, num_games: int = GAMES) -> None:
    """Train, save the model over the last one, evaluate it, and print what came out."""
    from ursuppe_training.runs import MODEL, evaluate_policy, save_evaluations, train_and_save

    started = time.perf_counter()
    print(f"Training on {config.decisions:,} decisions against random players, then playing {num_games:,} games.")
    policy = train_and_save(config, folder)
    trained = time.perf_counter()
    evaluations = {
        name: evaluate_policy(policy, config.ruleset, num_games, _SEED, deterministic)
        for name, deterministic in (("likeliest", True), ("drawn", False))
    }
    save_evaluations(evaluations, folder)
    ended = time.perf_counter()
    print(f"Taking its likeliest actions: {evaluations['likeliest']}")
    print(f"Drawing from its policy:      {evaluations['drawn']}")
    print(f"Trained for {trained - started:.0f} s, played for {ended - trained:.0f} s. Model: {folder / MODEL}")


def main() -> None:
    """Run with one line, not a traceback, at Ctrl-C."""
    try:
        run()
    except KeyboardInterrupt:
        print("interrupted; the files in runs/ are as they were, or whole", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
