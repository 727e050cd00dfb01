"""How policies are asked while games are played to learn from: frozen, and in the precision of their training."""

import copy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ursuppe_env import Games
from ursuppe_training import heads
from ursuppe_training.inputs import InputsView
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.seat_critic import foretold
from ursuppe_training.seat_rollout_buffer import Decisions
from ursuppe_training.who_plays import WhoPlays


class FrozenPolicy:
    """A policy as it is now, which several threads may ask at once.

    Args:
        policy: that learns.
        who_plays: what its critic is told of who plays.
        view: what it gets of a game.
    """

    def __init__(self, policy: MaskedCategoricalPolicy, who_plays: WhoPlays, view: InputsView) -> None:
        self._view = view
        self._precision = policy.precision
        self._device = policy.device
        self._networks = copy.deepcopy(policy.mlp_extractor).requires_grad_(False).to(self._precision)
        self._who_plays = copy.deepcopy(who_plays).requires_grad_(False).to(self._precision)
        self._action_net = copy.deepcopy(policy.action_net).requires_grad_(False).cpu()

    def observe(self, games: Games) -> tuple[torch.Tensor, NDArray[np.bool_]]:
        """(n, I) inputs, on the policy's device, and (n, A) action masks of the players about to act."""
        inputs = torch.from_numpy(self._view.of(games)).to(self._device, self._precision)
        return inputs, games.legal().view(np.bool_)

    def choose(
        self, games: Games, who_plays: NDArray[np.int64], uniforms: NDArray[np.float32]
    ) -> tuple[Decisions, NDArray[np.float32]]:
        """Decisions drawn from the policy for the players about to act, and the (n, P, 3) outcomes that are foretold.

        Args:
            games: n of them.
            who_plays: (n, P) what the critic is told of who plays in each seat, the own one first.
            uniforms: (n,) in [0, 1), what is drawn by.
        """
        inputs, masks = self.observe(games)
        told = torch.from_numpy(who_plays).to(self._device)
        latents, outcomes = self._actor_and_critic(inputs, told)
        actions, log_probs = draw_actions(self._action_net, latents, masks, uniforms)
        masks_, actions_, log_probs_ = torch.from_numpy(masks), torch.from_numpy(actions), torch.from_numpy(log_probs)
        return Decisions(inputs, masks_, actions_, log_probs_, told), outcomes.numpy()

    def _actor_and_critic(self, inputs: torch.Tensor, who_plays: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """On the processor: (n, L) float32 what the actor's last hidden layer gives, and the (n, P, 3) outcomes."""
        with torch.inference_mode():
            latents = self._networks.forward_actor(inputs)
            scores = self._networks.scores(inputs, self._who_plays(who_plays))
            return latents.float().cpu(), foretold(scores.float()).cpu()


def draw_actions(
    layer: nn.Module, latents: torch.Tensor, masks: NDArray[np.bool_], uniforms: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(n,) actions and (n,) their log-probabilities.

    Args:
        layer: which gives actions their logits.
        latents: (n, L) float32 what it gets.
        masks: (n, A) legal actions.
        uniforms: (n,) in [0, 1), what is drawn by.
    """
    num_actions = masks.shape[1]
    actions, log_probs = np.empty(len(masks), np.int64), np.empty(len(masks), np.float32)
    heads.draw(
        latents.numpy(),
        *(parameter.numpy() for parameter in layer.parameters()),
        masks,
        uniforms,
        np.empty(num_actions, np.int64),
        np.empty(num_actions, np.float32),
        actions,
        log_probs,
    )
    return actions, log_probs
