"""How policies are asked while games are played to learn from: frozen, and in the precision of their training."""

import copy

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


class FrozenPolicy:
    """A policy as it is now, which several threads may ask at once.

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

    def observe(self, games: Games) -> tuple[torch.Tensor, NDArray[np.bool_]]:
        """(n, I) inputs, on the policy's device, and (n, A) action masks of the players about to act."""
        inputs = torch.from_numpy(self._view.of(games)).to(self._device, self._precision)
        return inputs, games.legal().view(np.bool_)

    def choose(self, games: Games, who_plays: NDArray[np.int64], uniforms: NDArray[np.float32]) -> Decisions:
        """Decisions drawn from the policy for the players about to act.

        Args:
            games: n of them.
            who_plays: (n, P) what the critic is told of who plays in each seat, the own one first.
            uniforms: (n,) in [0, 1), what is drawn by.
        """
        inputs, masks = self.observe(games)
        actions, log_probs = draw_actions(self._action_net, self._latents(inputs), masks, uniforms)
        masks_, actions_, log_probs_, told = map(torch.from_numpy, (masks, actions, log_probs, who_plays))
        return Decisions(inputs, masks_, actions_, log_probs_, told)

    def _latents(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, L) float32 what the actor's last hidden layer gives, on the processor."""
        with torch.inference_mode():
            return self._actor(inputs).float().cpu()


class FrozenCritic:
    """A policy's critic as it is now, which several threads may ask at once.

    Args:
        policy: that learns.
        who_plays: what its critic is told of who plays.
    """

    def __init__(self, policy: ActorCritic, who_plays: WhoPlays) -> None:
        self._policy = policy
        self._critic = copy.deepcopy(policy.critic).requires_grad_(False).to(policy.precision)
        self._who_plays = copy.deepcopy(who_plays).requires_grad_(False).to(policy.precision)

    def predict(self, decisions: Decisions) -> torch.Tensor:
        """The (n, P, 3) outcomes that it predicts at these decisions, where they are."""
        with torch.no_grad():
            seen = self._policy.of_critic(decisions.inputs)
            scores = self._critic(*seen, self._who_plays(decisions.who_plays))
            return predicted_outcomes(scores.float())
