"""What becomes of each seat of a game, what that is worth, and how wrong a critic is about it.

A critic predicts three things of each seat: its chance of winning, and its rewards of the kinds ``rank`` and
``margin`` (``ursuppe_env.envs.rewards``). An *outcome* of a game is all of them for all seats, seen from one of them:
the seats follow each other from there on. In teams each seat has its team's rewards, and an equal part of its team's
chance of winning, so that the chances of all seats sum to 1 in any case. The reward of a run is a blend of the three
kinds, and so the value of a position is the same blend of what is predicted for the seat that looks.

In a critic's scores of all seats of a table, chances of winning are a softmax over the seats, and the other rewards sum
to 0, as they do at the end of a game.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.weights import KINDS, WIN
from ursuppe_env import Games
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.envs.rulesets import rulesets_of
from ursuppe_env.extras import extra
from ursuppe_env.teams import Teams

with extra("train"):
    import torch

#: Of the losses, in the order of ``board.weights.KINDS``: rank and margin matter about as much, and less than who wins.
LOSS_WEIGHTS = (1.0, 0.25, 2.5)


def outcomes_of(games: Games, teams: Teams | None) -> NDArray[np.float32]:
    """(n, P, P, 3) the outcomes of games that are over, as each seat sees them; None: there are no teams."""
    markers, rulesets, seats = games.markers, rulesets_of(games), np.arange(games.num_players)
    team_of = seats if teams is None else teams.team_of
    outcomes = np.stack([final_rewards(kind, markers, rulesets, teams=teams)[:, team_of] for kind in KINDS], axis=2)
    outcomes[:, :, WIN] = (outcomes[:, :, WIN] > 0) / np.bincount(team_of)[team_of]
    return outcomes[:, (seats[:, np.newaxis] + seats) % len(seats)]


def predicted_outcomes(scores: torch.Tensor) -> torch.Tensor:
    """(n, P, 3) outcomes from scores."""
    chances = scores[:, :, :1].softmax(dim=1)
    rewards = scores[:, :, 1:] - scores[:, :, 1:].mean(dim=1, keepdim=True)
    return torch.cat([chances, rewards], dim=2)


def critic_losses(scores: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
    """(n,) how wrong (n, P, 3) scores are about (n, P, 3) returns: the cross-entropy of the chances of winning, and the
    squared errors of the other rewards, by which the same layers learn more from a game than who won it.
    """
    of_chances = -(returns[:, :, WIN] * scores[:, :, WIN].log_softmax(dim=1)).sum(dim=1)
    errors = (predicted_outcomes(scores) - returns)[:, :, 1:].square().mean(dim=1)
    return of_chances + sum(errors[:, kind] * weight for kind, weight in enumerate(LOSS_WEIGHTS[1:]))


def reward_weights(first: str, final: str, progress_remaining: float, players: int, sides: int) -> NDArray[np.float32]:
    """(3,) a reward is the sum of what becomes of a seat times these, up to a constant.

    While ``progress_remaining`` falls from 1 to 0, the first kind gives way to the final one, in a straight line: the
    margin tells a beginner more than who won; but in the end the chance of winning counts. ``sides`` are the teams,
    which have as many seats each, or without teams the players.
    """
    weights = np.zeros(len(KINDS), np.float32)
    weights[KINDS.index(first)] += progress_remaining
    weights[KINDS.index(final)] += 1 - progress_remaining
    weights[WIN] *= players / (sides - 1)  # of T/P of a chance; from -1/(T-1) to 1
    return weights
