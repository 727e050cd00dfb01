"""How dense policies are asked while games are played to learn from: frozen, and in the precision of their training."""

import copy
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.inputs import InputsView
from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_training.networks.actor_critic import ActorCritic, draw_actions
from ursuppe_training.networks.seat_critic import predicted_outcomes
from ursuppe_training.networks.who_plays import WhoPlays
from ursuppe_training.ppo.buffer import Decisions

with extra("train"):
    import torch


@dataclass(frozen=True)
class DenseDecisions(Decisions):
    """What a dense network is told of M decisions.

    Attributes:
        inputs: (M, I) what its layers get, in the precision of their products.
        action_masks: (M, A) bool.
        who_plays: (M, P) int64 what the critic is told of who plays in each seat, the own one first; 0: nothing.
    """

    inputs: torch.Tensor
    action_masks: torch.Tensor
    who_plays: torch.Tensor

    @classmethod
    def empty(
        cls, size: int, players: int, num_inputs: int, num_actions: int, precision: torch.dtype, device: torch.device
    ) -> Self:
        """Room for so many."""
        return cls(
            torch.empty(size, dtype=torch.int64, device=device),
            torch.empty(size, device=device),
            torch.ones(size, dtype=torch.bool, device=device),
            torch.empty((size, num_inputs), dtype=precision, device=device),
            torch.empty((size, num_actions), dtype=torch.bool, device=device),
            torch.empty((size, players), dtype=torch.int64, device=device),
        )


class FrozenDensePolicy:
    """A dense policy as a ``FrozenPolicy``.

    Args:
        policy: that learns.
        view: what it gets of a game.
    """

    def __init__(self, policy: ActorCritic, view: InputsView) -> None:
        self._view = view
        self._precision = policy.precision
        self._device = policy.device
        self._actor = copy.deepcopy(policy.actor).requires_grad_(False).to(self._precision)
        self._action_net = copy.deepcopy(policy.action_net).requires_grad_(False).cpu()

    def observe(self, games: Games) -> dict[str, torch.Tensor]:
        """The inputs, on the policy's device, and the action masks."""
        inputs = torch.from_numpy(self._view.of(games)).to(self._device, self._precision)
        return {"inputs": inputs, "action_masks": torch.from_numpy(games.legal().view(np.bool_))}

    def choose(self, games: Games, who_plays: NDArray[np.int64], uniforms: NDArray[np.float32]) -> DenseDecisions:
        """See ``FrozenPolicy``."""
        seen = self.observe(games)
        latents, masks = self._latents(seen["inputs"]), seen["action_masks"].numpy()
        actions, log_probs = map(torch.from_numpy, draw_actions(self._action_net, latents, masks, uniforms))
        is_learned = torch.ones(len(actions), dtype=torch.bool)
        return DenseDecisions(actions, log_probs, is_learned, **seen, who_plays=torch.from_numpy(who_plays))

    def _latents(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, L) float32 what the actor's last hidden layer gives, on the processor."""
        with torch.inference_mode():
            return self._actor(inputs).float().cpu()


class FrozenDenseCritic:
    """Its critic as a ``FrozenCritic``.

    Args:
        policy: that learns.
        who_plays: what its critic is told of who plays.
    """

    def __init__(self, policy: ActorCritic, who_plays: WhoPlays) -> None:
        self._policy = policy
        self._critic = copy.deepcopy(policy.critic).requires_grad_(False).to(policy.precision)
        self._who_plays = copy.deepcopy(who_plays).requires_grad_(False).to(policy.precision)

    def predict(self, decisions: Decisions) -> torch.Tensor:
        """See ``FrozenCritic``."""
        assert isinstance(decisions, DenseDecisions)
        with torch.no_grad():
            seen = self._policy.of_critic(decisions.inputs)
            scores = self._critic(*seen, self._who_plays(decisions.who_plays))
            return predicted_outcomes(scores.float())
