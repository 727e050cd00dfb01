"""The agent that every other one must beat."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games


class RandomAgent:
    """Takes uniformly random legal actions, from a generator of its own.

    Args:
        seed: of the generator; an integer of at least 0.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def __call__(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games; somebody must be about to act in each."""
        masks = games.copy(rows).legal()
        legal = np.nonzero(masks)[1]  # of all rows, one after the other
        counts = np.count_nonzero(masks, axis=1)
        return legal[np.cumsum(counts) - counts + self._generator.integers(counts)]
