"""Behaviour cloning: the policy learns to take the decisions of its teachers, opponents of the pool, as well.

From final rewards alone, a beginner needs many thousands of games to find out what to buy and where to feed. Teachers
at the table show it. Later the policy should become better than they are, so cloning fades out.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_env.rules.state import STATE

with extra("train"):
    import torch


class DemonstrationBuffer:
    """The decisions of teachers in one rollout of a group of games, as many as there is room for."""

    def __init__(self, room: int) -> None:
        self._states = torch.empty((room, STATE.itemsize), dtype=torch.uint8)
        self._actions = torch.empty(room, dtype=torch.int64)
        self._used = 0

    def reset(self) -> None:
        """Drop the decisions of the last rollout."""
        self._used = 0

    def add(self, states: torch.Tensor, actions: NDArray[np.int64]) -> None:
        """Add what teachers did in a step, (m,), in games in these states, (m, size), as far as there is room."""
        count = min(len(actions), len(self._actions) - self._used)
        kept = slice(self._used, self._used + count)
        self._states[kept] = states[:count]
        self._actions[kept] = torch.from_numpy(actions[:count])
        self._used += count

    @property
    def shown(self) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, size) states of the games, and (n,) the actions that were taken there."""
        return self._states[: self._used], self._actions[: self._used]
