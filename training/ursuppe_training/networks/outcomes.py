"""What becomes of each seat of a game, and what that is worth.

A critic predicts three things of each seat: its chance of winning, and its rewards of the kinds ``rank`` and
``margin`` (``ursuppe_env.envs.rewards``). An *outcome* of a game is all of them for all seats, seen from one of them:
the seats follow each other from there on. In teams each seat has its team's rewards, and an equal part of its team's
chance of winning, so that the chances of all seats sum to 1 in any case. The reward of a run is a blend of the three
kinds, and so the value of a position is the same blend of what is predicted for the seat that looks.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.weights import KINDS, WIN


def reward_weights(first: str, final: str, progress_remaining: float, players: int, sides: int) -> NDArray[np.float32]:
    """(3,) a reward is the sum of what becomes of a seat times these, up to a constant.

    It goes from one kind to another over the run, in a straight line: the margin tells a beginner more than who won;
    but in the end the chance of winning counts.

    Args:
        first: the kind at the beginning of the run.
        final: the kind at its end.
        progress_remaining: the part of the run that is still to come, from 1 to 0.
        players: P.
        sides: T, of the teams, which have as many seats each; P without teams.
    """
    weights = np.zeros(len(KINDS), np.float32)
    weights[KINDS.index(first)] += progress_remaining
    weights[KINDS.index(final)] += 1 - progress_remaining
    weights[WIN] *= players / (sides - 1)  # of T/P of a chance; from -1/(T-1) to 1
    return weights
