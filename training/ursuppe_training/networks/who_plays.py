"""What the critic is told of who plays, while it learns.

Against weak opponents the same position is worth more. A critic that knows them predicts better, and so the advantages
have less noise. The policy that comes out of a run is asked without: so the critic is told nothing in half of
the games, and what it learned of the opponents is not part of the policy.
"""

from ursuppe_env.extras import extra

with extra("train"):
    import torch
    from torch import nn

#: Told of a seat of which nothing is known.
UNKNOWN = 0


class WhoPlays(nn.Module):
    """What the first layer of a ``SeatCritic`` adds for each player of a pool.

    Args:
        num_players: different players there are, which have the numbers from 1 on.
        width: W, of the critic's layers.
    """

    def __init__(self, num_players: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(num_players + 1, width, padding_idx=UNKNOWN)
        nn.init.zeros_(self.embedding.weight)

    def forward(self, who_plays: torch.Tensor) -> torch.Tensor:
        """(n, P, W) of the (n, P) int64 players in the seats."""
        return self.embedding(who_plays)
