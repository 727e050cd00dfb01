"""One game at a time: the AEC environment in the loop that PettingZoo documents, and how long an observation is."""

import time
from typing import Any

import numpy as np

from ursuppe_env import Games, ursuppe_v0
from ursuppe_env.bench.figures import Effort, Figure, Goal, repeated

WARM_UP = 100  # decisions


def measure_aec(effort: Effort) -> list[Figure]:
    """Our raw AEC environment."""
    env = ursuppe_v0.raw_env()
    play_aec(env, WARM_UP)
    return [repeated("raw AEC environment", lambda: play_aec(env, effort.calls), effort, Goal(100_000))]


def play_aec(env: Any, decisions: int) -> float:
    """Decisions/s of a PettingZoo AEC environment: ``last``, a random legal action, ``step``; ``reset`` at the end."""
    choices = np.random.default_rng(0)
    env.reset(seed=0)
    made = 0
    begin = time.perf_counter()
    while made < decisions:
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.reset()
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(legal[choices.integers(len(legal))])
        made += 1
    return made / (time.perf_counter() - begin)


def measure_size() -> list[Figure]:
    """How many numbers an observation has; nothing to repeat."""
    return [Figure("observation size", "numbers", (Games(1).observation_size,), Goal(700, at_least=False))]
