"""What the critic's scores of all seats of a table mean, and how wrong they are.

Chances of winning are a softmax over the seats, and the other rewards sum to 0, as they do at the end of a game.
"""

from ursuppe_agents.policies.board.weights import WIN
from ursuppe_env.extras import extra

with extra("train"):
    import torch

#: Of the losses, in the order of ``board.weights.KINDS``: rank and margin matter about as much, and less than who wins.
LOSS_WEIGHTS = (1.0, 0.25, 2.5)


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
