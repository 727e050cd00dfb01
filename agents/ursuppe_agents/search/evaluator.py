"""What a search needs from a policy: the probability of each action, and each player's chance of winning."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games


@runtime_checkable
class Evaluator(Protocol):
    """Evaluates many positions at once; a trained policy (``policy:...``) is one."""

    def evaluate(self, games: Games, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Evaluate these positions.

        Args:
            games: as they stand; left as they are.
            rows: (n,) the games to evaluate; in each of them a player, ``games.player``, is about to act.

        Returns:
            priors, (n, A) float64: prior probability of each action; 0 where it is illegal, in sum 1.
            values, (n, P) float64: each player's chance of winning, by seat; in sum 1.

        Raises:
            ValueError: it cannot evaluate such games; the message says why.
        """
