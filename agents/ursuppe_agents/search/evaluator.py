"""Who judges positions for a search: which actions are promising, and who will win."""

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games


@runtime_checkable
class Evaluator(Protocol):
    """Judges many positions at once; a trained policy (``policy:...``) is one."""

    def evaluate(self, games: Games, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Judge these positions.

        Args:
            games: as they stand; left as they are.
            rows: (n,) the games to judge; in each of them somebody, ``games.player``, is about to act.

        Returns:
            priors, (n, A) float64: how likely whoever acts is to take each action; 0 where it is illegal, in sum 1.
            values, (n, P) float64: each player's chance of winning, by seat; in sum 1.

        Raises:
            ValueError: it cannot judge such games; the message says why.
        """
