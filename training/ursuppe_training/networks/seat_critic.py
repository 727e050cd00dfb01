"""The critic: what will become of each seat, from features of all of them.

The same layers look at every seat: at its features, at what they make of all seats on average, and at how far it is
behind the one that looks; to that comes the situation, which is the same for all: whose turn it is, and what is under
way. So what is learned of one seat holds for all of them, and one pass predicts the outcome for the whole table.
Chances of winning are a softmax over the seats, and the other rewards sum to 0, as they do at the end of a game. In
teams the last layer gets of each seat the mean of its team: all seats of a team win together.
"""

from collections.abc import Iterator

from ursuppe_agents.policies.weights import KINDS, WIN, team_shares
from ursuppe_env.extras import extra
from ursuppe_env.teams import Teams

with extra("train"):
    import torch
    from torch import nn

#: Of the losses, in the order of ``KINDS``: rank and margin matter about as much, and less than who wins.
LOSS_WEIGHTS = (1.0, 0.25, 2.5)


class SeatCritic(nn.Module):
    """Predicts outcomes (``ursuppe_training.networks.outcomes``).

    Args:
        players: P.
        num_features: S, of each seat.
        size_of_situation: T.
        width: W, of its layers.
        teams: who plays together, in the same places as seen from every seat; None: each seat for itself.
    """

    shares: torch.Tensor | None  # (P, P) of each seat in the team of each

    def __init__(
        self, players: int, num_features: int, size_of_situation: int, width: int, teams: Teams | None = None
    ) -> None:
        super().__init__()
        self.players = players
        self.register_buffer(
            "shares", None if teams is None else torch.from_numpy(team_shares(teams)), persistent=False
        )
        self.seat_layer = nn.Linear(num_features, width)
        self.table_layer = nn.Linear(width, width, bias=False)
        self.situation_layer = nn.Linear(size_of_situation, width, bias=False)
        self.joint_layer = nn.Linear(width, width, bias=False)
        self.places = nn.Parameter(torch.zeros(players, width))  # how far behind the one that looks
        self.outcome_layer = nn.Linear(width, len(KINDS))

    def forward(
        self, features: torch.Tensor, situation: torch.Tensor, who_plays: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(n, P, 3) scores: of winning, whose softmax over the seats is the chance, and the rewards but for their mean.

        Args:
            features: (n, P, S) of the seats, the one that looks first.
            situation: (n, T) what is the same for all of them.
            who_plays: (n, P, W) what is known of who plays there; None: nothing.
        """
        return self.outcome_layer(self.latents(features, situation, who_plays))

    def layers_before(self) -> Iterator[nn.Parameter]:
        """The parameters of the layers before the last one."""
        return (parameter for name, parameter in self.named_parameters() if not name.startswith("outcome_layer"))

    def latents(
        self, features: torch.Tensor, situation: torch.Tensor, who_plays: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(n, P, W) what the layers before the last one make of each seat; see ``forward``."""
        seats = self.seat_layer(features)
        if who_plays is not None:
            seats = seats + who_plays.to(seats.dtype)
        seats = seats.relu()
        table = self.table_layer(seats.mean(dim=1)) + self.situation_layer(situation)
        joint = (self.joint_layer(seats) + table[:, None] + self.places.to(seats.dtype)).relu()
        return joint if self.shares is None else self.shares @ joint


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
