"""A training whose gradients a GPU computes, for `make gpu-test`.

    python tests/gpu/learn.py

The policy must become better than random players, and it is said how many decisions a second were learned from. The
exit status is 1 if it does not.
"""

import sys
import time

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_agents.policies.agent import PolicyAgent
from ursuppe_env import Games
from ursuppe_training.config import read_config
from ursuppe_training.runs.trainer import Trainer


def main(device: str = "cuda") -> int:
    training = Trainer(read_config("quick"), device)
    before, began = win_rate(training), time.perf_counter()
    training.run()
    seconds, after = time.perf_counter() - began, win_rate(training)
    print(
        f"{training.decisions:,} decisions in {seconds:.1f} s, {training.decisions / seconds:,.0f}/s; {before:.0%} of "
        f"its games against random players won before, {after:.0%} after",
        flush=True,
    )
    return 1 if after < before + 0.1 else 0


def win_rate(training: Trainer) -> float:
    """How often the policy wins in one seat, 2,000 games among random players; as good as they are: a quarter."""
    games = Games(2000, seed=99)
    learned, others = PolicyAgent(np.random.default_rng(1), weights=training.policy.weights()), make_agent("random", 5)
    seats = np.arange(len(games)) % 4
    while not games.finished.all():
        actions, player = np.full(len(games), -1), games.player
        for agent, is_asked in ((learned, player == seats), (others, (player >= 0) & (player != seats))):
            if is_asked.any():
                rows = np.flatnonzero(is_asked)
                actions[rows] = agent.act(games, rows)
        games.step(actions)
    return float((games.winner == seats).mean())


if __name__ == "__main__":
    sys.exit(main())
