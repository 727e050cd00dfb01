"""How policies are asked while games are played to learn from: frozen, and in the precision of their training."""

import copy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ursuppe_env import Games
from ursuppe_training import heads
from ursuppe_training.board_features import with_board_features
from ursuppe_training.masked_policy import MaskedCategoricalPolicy, hidden_layers
from ursuppe_training.seat_rollout_buffer import Decisions


class FrozenPolicy:
    """A policy as it is now, which several threads may ask at once.

    Args:
        policy: that learns.
        observe_rules: it sees the ruleset, too.
    """

    def __init__(self, policy: MaskedCategoricalPolicy, observe_rules: bool) -> None:
        self._observe_rules = observe_rules
        self._precision = policy.precision
        self._device = policy.device
        self._hidden = copy.deepcopy(nn.ModuleList(hidden_layers(policy))).requires_grad_(False).to(self._precision)
        last_layers = nn.ModuleList([policy.action_net, policy.value_net])
        self._action_net, self._value_net = copy.deepcopy(last_layers).requires_grad_(False).cpu()

    def observe(self, games: Games) -> tuple[torch.Tensor, NDArray[np.bool_]]:
        """(n, I) what the layers get, on the policy's device, and (n, A) action masks of the players about to act."""
        inputs = observe(games, self._observe_rules).to(self._device, self._precision)
        return inputs, games.legal().view(np.bool_)

    def choose(self, games: Games, uniforms: NDArray[np.float32]) -> tuple[Decisions, NDArray[np.float32]]:
        """Decisions drawn from the policy for the players about to act, and the critic's (n,) values.

        Args:
            games: n of them.
            uniforms: (n,) in [0, 1), what is drawn by.
        """
        inputs, masks = self.observe(games)
        latents, value_latents = self._latents(inputs)
        actions, log_probs = draw_actions(self._action_net, latents, masks, uniforms)
        values = np.empty(len(games), np.float32)
        heads.values_of(value_latents.numpy(), *_arrays(self._value_net), values)
        return Decisions(inputs, *(torch.from_numpy(array) for array in (masks, actions, log_probs))), values

    def _latents(self, inputs: torch.Tensor) -> list[torch.Tensor]:
        """(n, L) float32 twice, on the processor: what the last hidden layers of actor and critic give."""
        shared, actor, critic = self._hidden
        with torch.inference_mode():
            features = shared(inputs)
            return [branch(features).float().cpu() for branch in (actor, critic)]


def observe(games: Games, observe_rules: bool) -> torch.Tensor:
    """(n, I) float32 what the layers of a network get for the players about to act."""
    return torch.from_numpy(with_board_features(games.observe(rules=observe_rules), games.num_players))


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
        *_arrays(layer),
        masks,
        uniforms,
        np.empty(num_actions, np.int64),
        np.empty(num_actions, np.float32),
        actions,
        log_probs,
    )
    return actions, log_probs


def _arrays(layer: nn.Module) -> list[NDArray[np.float32]]:
    return [parameter.numpy() for parameter in layer.parameters()]
