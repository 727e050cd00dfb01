"""The policy that learns: an actor, and a critic of its own that predicts the outcome for every seat."""

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.description import PolicyDescription
from ursuppe_agents.policies.inputs import num_inputs, seat_inputs, situation_inputs
from ursuppe_agents.policies.weights import ACTOR, CRITIC, Weights
from ursuppe_env.extras import extra
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.networks import heads
from ursuppe_training.networks.seat_critic import SeatCritic, predicted_outcomes

with extra("train"):
    import torch
    from torch import nn

_GAIN_OF_LAST_LAYERS = 0.01  # at first all actions are about as likely, and all seats as likely to win


class ActorCritic(nn.Module):
    """Actor and critic, which have no layer in common, for what ``ursuppe_agents.policies.inputs`` gives.

    Its weights are torch's own to begin with; ``initialise`` draws those to learn from.

    Args:
        description: players, teams, sight of the rules and layers count.

    Attributes:
        actor: the hidden layers of the actor: (n, I) inputs to (n, L) latents.
        action_net: the actor's last layer: (n, L) latents to (n, A) logits.
        critic: of all seats.
        precision: in which the products of the hidden layers are computed, float32 or bfloat16; weights are float32.
    """

    def __init__(self, description: PolicyDescription) -> None:
        super().__init__()
        players, sizes = (
            description.players,
            (num_inputs(description.players, description.observe_rules), *description.layers),
        )
        self.precision = torch.float32
        self._observe_rules = description.observe_rules
        self._seats = seat_inputs(players)
        self._situation = situation_inputs(players, description.observe_rules)
        self.actor = nn.Sequential(*(layer for pair in pairwise(sizes) for layer in (nn.Linear(*pair), nn.ReLU())))
        self.critic = SeatCritic(
            players,
            (self._seats.stop - self._seats.start) // players,
            sum(part.stop - part.start for part in self._situation),
            description.critic_width,
            description.partition,
        )
        self.action_net = nn.Linear(sizes[-1], len(actions_for(players)))

    def initialise(self) -> None:
        """Draw weights to learn from, by torch's generator."""
        for part in (self.actor, self.critic):
            _draw_weights(part.modules(), math.sqrt(2))
        _draw_weights([self.action_net, self.critic.outcome_layer], _GAIN_OF_LAST_LAYERS)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.action_net.weight.device

    def weights(self) -> Weights:
        """A copy of the weights as they are now."""
        shares = self.critic.shares
        return Weights(
            self.critic.players,
            observe_rules=self._observe_rules,
            team_shares=None if shares is None else shares.cpu().numpy().copy(),
            arrays={
                _in_files(name): parameter.detach().cpu().numpy().astype(np.float32)  # always a copy
                for name, parameter in self.named_parameters()
            },
        )

    def take(self, weights: Weights) -> None:
        """Replace the weights by these, of such layers."""
        for name, parameter in self.named_parameters():
            parameter.data.copy_(torch.from_numpy(weights.arrays[_in_files(name)]))

    def forward(self, inputs: torch.Tensor, action_masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, A) log-probabilities, -inf where an action is illegal, and (n, P, 3) predicted outcomes.

        Args:
            inputs: (n, I) float32.
            action_masks: (n, A) bool, True where an action is legal.
        """
        return self.log_probs(inputs, action_masks), predicted_outcomes(self.scores(inputs))

    def log_probs(self, inputs: torch.Tensor, action_masks: torch.Tensor) -> torch.Tensor:
        """(n, A) log-probabilities, -inf where an action is illegal."""
        logits = self.action_net(self.latents(inputs))
        return logits.masked_fill(~action_masks, -torch.inf).log_softmax(dim=1)

    def latents(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, L) float32, what the actor's last hidden layer makes of (n, I) inputs."""
        with self._in_its_precision():
            return self.actor(inputs).float()

    def scores(self, inputs: torch.Tensor, who_plays: torch.Tensor | None = None) -> torch.Tensor:
        """(n, P, 3) float32 scores of the critic (``SeatCritic``) for (n, I) inputs and (n, P, W) who plays."""
        with self._in_its_precision():
            return self.critic(*self.of_critic(inputs), who_plays).float()

    def critic_latents(self, inputs: torch.Tensor, who_plays: torch.Tensor) -> torch.Tensor:
        """(n, P, W) float32, what the critic's layers before the last one make of the same."""
        with self._in_its_precision():
            return self.critic.latents(*self.of_critic(inputs), who_plays).float()

    def of_critic(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, P, S) the features of the seats and (n, T) the situation, of (n, I) inputs."""
        seats = inputs[:, self._seats].unflatten(1, (self.critic.players, -1))
        situation = torch.cat([inputs[:, part] for part in self._situation], dim=1)
        # Contiguous is three times as fast, copy and all: torch multiplies strided ones one by one.
        return seats.contiguous(), situation

    def _in_its_precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, self.precision, enabled=self.precision != torch.float32)


def new_policy(description: PolicyDescription, weights: Weights | None = None) -> ActorCritic:
    """A policy on the processor that is not to learn; nothing is drawn from torch's own generator.

    Args:
        description: as for ``ActorCritic``.
        weights: that it has; None: any.
    """
    with torch.random.fork_rng(devices=[]):
        policy = ActorCritic(description)
    if weights is not None:
        policy.take(weights)
    return policy.requires_grad_(False).eval()


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


def _draw_weights(modules: Iterable[nn.Module], gain: float) -> None:
    """Orthogonal ones, of the linear layers among these."""
    for layer in modules:
        if isinstance(layer, nn.Linear):
            nn.init.orthogonal_(layer.weight, gain)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def _in_files(name: str) -> str:
    """What a parameter is called in files of policies."""
    part, _, rest = name.partition(".")
    return ".".join([{"actor": ACTOR, "critic": CRITIC}.get(part, part), rest])
