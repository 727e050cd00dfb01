"""The reward at the end of a game, which changes over a run from one kind to another."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.envs.rewards import final_rewards


class Reward:
    """A blend that goes from one kind of ``ursuppe_env.envs.rewards`` to another over the run, in a straight line.

    The margin tells a beginner more than who won; but in the end the chance of winning counts.

    Args:
        first: the kind at the beginning of the run.
        final: the kind at its end.

    Attributes:
        progress_remaining: the part of the run that is still to come, from 1 to 0.
    """

    def __init__(self, first: str, final: str) -> None:
        self._first = first
        self._final = final
        self.progress_remaining = 1.0

    def of(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The rewards, (n, P), of these rows, (n,), whose games are over; their sum over the players is 0."""
        markers, played = games.markers[rows], [games.ruleset_of(row) for row in rows.tolist()]
        first = final_rewards(self._first, markers, played)
        final = final_rewards(self._final, markers, played)
        return self.progress_remaining * first + (1 - self.progress_remaining) * final
