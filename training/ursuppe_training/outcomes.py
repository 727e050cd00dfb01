"""What becomes of each seat of a game, and what that is worth.

A critic foretells three things of each seat: its chance of winning, and its rewards of the kinds ``rank`` and
``margin`` (``ursuppe_env.envs.rewards``). An *outcome* of a game is all of them for all seats, seen from one of them:
the seats follow each other from there on. The reward of a run is a blend of the three kinds, and so the value of a
position is the same blend of what is foretold for the seat that looks.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.envs.rewards import final_rewards

#: What is foretold of each seat, in order.
KINDS = ("win", "rank", "margin")
WIN = 0


class Reward:
    """A blend that goes from one kind of reward to another over the run, in a straight line.

    The margin tells a beginner more than who won; but in the end the chance of winning counts.

    Args:
        first: the kind at the beginning of the run.
        final: the kind at its end.
        players: P.

    Attributes:
        progress_remaining: the part of the run that is still to come, from 1 to 0.
    """

    def __init__(self, first: str, final: str, players: int) -> None:
        self._first = KINDS.index(first)
        self._final = KINDS.index(final)
        self._players = players
        self.progress_remaining = 1.0

    @property
    def weights(self) -> NDArray[np.float32]:
        """(3,) the reward is the sum of what becomes of a seat times these, and ``offset``."""
        weights = np.zeros(len(KINDS), np.float32)
        weights[self._first] += self.progress_remaining
        weights[self._final] += 1 - self.progress_remaining
        weights[WIN] *= self._players / (self._players - 1)  # from -1/(P-1) to 1
        return weights

    @property
    def offset(self) -> float:
        """What is added; see ``weights``."""
        return -float(self.weights[WIN]) / self._players


def outcomes_of(games: Games, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """(n, P, P, 3) the outcomes of these rows, (n,), whose games are over, seen from each seat."""
    players = games.num_players
    markers, rulesets = games.markers[rows], [games.ruleset_of(row) for row in rows.tolist()]
    by_seat = np.stack([final_rewards(kind, markers, rulesets) for kind in KINDS], axis=2)
    by_seat[:, :, WIN] = by_seat[:, :, WIN] > 0
    return by_seat[:, relative_seats(players)]


def relative_seats(players: int) -> NDArray[np.int64]:
    """(P, P) the seats that follow each seat, itself first."""
    return (np.arange(players)[:, np.newaxis] + np.arange(players)) % players
