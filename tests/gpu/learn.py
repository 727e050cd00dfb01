"""Trainings on a GPU, for `make gpu-test`: `ursuppe train` computes its gradients there, `ppo.py` everything.

    python tests/gpu/learn.py

Both must learn to beat random players, and it is said how many decisions a second were learned from. The exit status is
1 if one does not.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ursuppe_agents import Agent
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_env import Games
from ursuppe_env.envs.opponents import play_others
from ursuppe_training.config import read_config
from ursuppe_training.runs.trainer import Trainer

sys.path.insert(0, str(Path(__file__).parents[2] / "training" / "scripts"))
import ppo

STEPS_OF_SCRIPT = 20_000_000
BEATS_RANDOM = 0.5  # of the games in one seat; as good as random players are: a quarter


def main(device: str = "cuda", steps_of_script: int = STEPS_OF_SCRIPT) -> int:
    training = Trainer(read_config("quick"), device)
    began = time.perf_counter()
    training.run()
    learned = PolicyAgent(np.random.default_rng(1), weights=training.policy.weights())
    of_train = says("ursuppe train quick", training.decisions, began, learned)
    with tempfile.TemporaryDirectory() as folder:
        file, began = Path(folder) / "ppo.pt", time.perf_counter()
        ppo.train(steps_of_script, 0, file, device)
        of_script = says("ppo.py", steps_of_script, began, ppo.Player(np.random.default_rng(1), model=str(file)))
    return 0 if of_train and of_script else 1


def says(name: str, decisions: int, began: float, learned: Agent) -> bool:
    """Print how fast it learned and what it wins, 2,000 games in one seat among random players; is that enough?"""
    seconds = time.perf_counter() - began
    games, seats = Games(2000, seed=99), np.arange(2000) % 4
    play_others(games, seats)
    while not games.finished.all():
        rows = np.flatnonzero(games.player >= 0)
        games.step(learned.act(games, rows), rows)
        play_others(games, seats)
    wins = float((games.winner == seats).mean())
    print(
        f"{name}: {decisions:,} decisions in {seconds:.1f} s with all compiling, {decisions / seconds:,.0f}/s; it wins "
        f"{wins:.0%} of its games against random players",
        flush=True,
    )
    return wins > BEATS_RANDOM


if __name__ == "__main__":
    sys.exit(main())
