"""What a network has to be able to do so that it learns by PPO, whatever it sees of a game."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_training.networks.policy import Policy
from ursuppe_training.ppo.buffer import Decisions
from ursuppe_training.ppo.rollout import Minibatch

with extra("train"):
    import torch


class LossWeights(NamedTuple):
    """The numbers of PPO's loss: the range of the ratio, and the weight of the bonus for entropy."""

    clip_range: float
    entropy: float


class Losses(NamedTuple):
    """Means over a minibatch; the first ones in the order of ``networks.heads``."""

    policy: float
    entropy: float
    kl: float  # from the policy that made the decisions
    clipped: float  # part of the ratios that are out of their range
    critic: float


class FrozenPolicy(Protocol):
    """A policy as it is now, which several threads may ask at once."""

    def observe(self, games: Games) -> dict[str, torch.Tensor]:
        """What the network sees of n games in which somebody is about to act: fields of its ``Decisions``."""

    def choose(self, games: Games, who_plays: NDArray[np.int64], uniforms: NDArray[np.float32]) -> Decisions:
        """Decisions drawn from the policy for the players about to act.

        Args:
            games: n of them.
            who_plays: (n, P) what the critic is told of who plays in each seat, the own one first.
            uniforms: (n,) in [0, 1), what is drawn by.
        """


class FrozenCritic(Protocol):
    """A policy's critic as it is now, which several threads may ask at once."""

    def predict(self, decisions: Decisions) -> torch.Tensor:
        """The (n, P, 3) outcomes that it predicts at these decisions, where they are."""


class Learner(Protocol):
    """A policy with what belongs to its learning."""

    @property
    def policy(self) -> Policy:
        """It learns."""

    @property
    def clipped(self) -> Sequence[Sequence[torch.nn.Parameter]]:
        """All parameters; the gradients of each part are clipped together."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""

    def new_decisions(self, count: int) -> Decisions:
        """Room for so many."""

    def freeze(self) -> FrozenPolicy:
        """The policy as it is now."""

    def freeze_critic(self) -> FrozenCritic:
        """Its critic."""

    def ppo_gradients(self, decisions: Decisions, batch: Minibatch, weights: LossWeights) -> torch.Tensor:
        """Leave the gradients of PPO's losses in the parameters: of the actor's, with a bonus for entropy, and of the
        critic's.

        Args:
            decisions: of the rollout.
            batch: which of them, and what is learned from them.
            weights: of the losses.

        Returns:
            (5,) float64, the ``Losses``, where they were computed.
        """

    def cloning_gradients(self, decisions: Decisions, rows: torch.Tensor, total: int) -> None:
        """Leave those of the cross-entropy of the actions that somebody else took in them: of the actor alone.

        Args:
            decisions: of which some are cloned; only what is seen there and the actions have a meaning.
            rows: (n,) these.
            total: n, with those of the other processes.
        """

    def state_dict(self) -> dict[str, Any]:
        """A copy of all weights that learn."""

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Go on with these."""
