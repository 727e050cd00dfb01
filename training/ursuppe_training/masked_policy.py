"""The policy that learns: an actor, and a critic of its own that foretells the outcome for every seat.

It stands where Stable-Baselines3 has its own, with tensors of logits in place of sb3-contrib's distribution objects:
those check and normalise their parameters three times for each use; without them a rollout takes two thirds of the
time. Probabilities and entropies are the same (a test compares them).
"""

import math
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium import spaces

from ursuppe_env.extras import extra
from ursuppe_env.teams import Teams
from ursuppe_training.inputs import num_inputs
from ursuppe_training.outcomes import KINDS, Reward
from ursuppe_training.seat_critic import SeatCritic, foretold
from ursuppe_training.weights import Weights

with extra("train"):
    import torch
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.type_aliases import Schedule
    from torch import nn

_GAIN_OF_LAST_LAYERS = 0.01  # at first all actions are about as likely, and all seats as likely to win


class ActorAndCritic(nn.Module):
    """The hidden layers of the actor, and the critic, which have nothing in common.

    Args:
        num_inputs: I.
        layers: widths of the actor's hidden layers.
        players: P.
        seats: where the inputs have the features of the seats.
        situation: where they have what is the same for all seats.
        critic_width: of the critic's layers.
        teams: as for ``SeatCritic``.
    """

    def __init__(
        self,
        num_inputs: int,
        layers: Sequence[int],
        players: int,
        seats: slice,
        situation: Sequence[slice],
        critic_width: int,
        teams: Teams | None,
    ) -> None:
        super().__init__()
        self._seats, self._situation = seats, situation
        self.policy_net = nn.Sequential(
            *(layer for pair in pairwise((num_inputs, *layers)) for layer in (nn.Linear(*pair), nn.ReLU()))
        )
        size_of_situation = sum(part.stop - part.start for part in situation)
        num_features = (seats.stop - seats.start) // players
        self.value_net = SeatCritic(players, num_features, size_of_situation, critic_width, teams)
        self.latent_dim_pi = layers[-1] if layers else num_inputs
        self.latent_dim_vf = players * len(KINDS)

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, L) what the actor's last hidden layer gives, and (n, 3P) what the critic foretells."""
        return self.forward_actor(inputs), self.forward_critic(inputs)

    def forward_actor(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, L) what the actor's last hidden layer gives."""
        return self.policy_net(inputs)

    def forward_critic(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, 3P) what the critic foretells, not knowing who plays."""
        return foretold(self.scores(inputs)).flatten(1)

    def scores(self, inputs: torch.Tensor, who_plays: torch.Tensor | None = None) -> torch.Tensor:
        """(n, P, 3) the critic's scores; see ``SeatCritic``."""
        return self.value_net(*self.of_critic(inputs), who_plays)

    def of_critic(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, P, S) the features of the seats and (n, T) the situation, of (n, I) inputs."""
        seats = inputs[:, self._seats].unflatten(1, (self.value_net.players, -1))
        situation = torch.cat([inputs[:, part] for part in self._situation], dim=1)
        # Contiguous is three times as fast, copy and all: torch multiplies strided ones one by one.
        return seats.contiguous(), situation


class ExpectedReward(nn.Module):
    """In place of the layer of Stable-Baselines3 that gives values: it has no weights.

    Attributes:
        reward: the blend that counts; it may be replaced by that of a run.
    """

    def __init__(self, players: int, teams: Teams | None) -> None:
        super().__init__()
        self.reward = Reward("win", "win", players, players if teams is None else len(teams))

    def forward(self, outcomes: torch.Tensor) -> torch.Tensor:
        """(n, 1) the reward of what is foretold for the seat that looks, from (n, 3P) outcomes."""
        weights = torch.from_numpy(self.reward.weights).to(outcomes)
        return (outcomes[:, : len(KINDS)] @ weights + self.reward.offset)[:, None]


class MaskedCategoricalPolicy(MaskableActorCriticPolicy):
    """``MaskableActorCriticPolicy`` for what ``ursuppe_training.inputs`` gives, always called with masks.

    Args:
        observation_space: (I,) inputs.
        action_space: A actions.
        lr_schedule: of Stable-Baselines3.
        layers: widths of the actor's hidden layers.
        players: P.
        seats: where the inputs have the features of the seats.
        situation: where they have what is the same for all seats.
        critic_width: of the critic's layers.
        teams: as for ``SeatCritic``.
        ortho_init: draw weights to learn from; otherwise they have any values.

    Attributes:
        precision: in which the products of the hidden layers are computed, float32 or bfloat16; weights are float32.
    """

    precision: torch.dtype = torch.float32
    mlp_extractor: ActorAndCritic  # type: ignore[assignment]
    value_net: ExpectedReward  # type: ignore[assignment]

    def __init__(
        self,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        lr_schedule: Schedule,
        *,
        layers: Sequence[int],
        players: int,
        seats: slice,
        situation: Sequence[slice],
        critic_width: int,
        teams: Teams | None = None,
        ortho_init: bool = True,
    ) -> None:
        self._num_inputs, self._num_actions = observation_space.shape[0], int(action_space.n)
        self._shape: dict[str, Any] = {
            "layers": layers,
            "players": players,
            "seats": seats,
            "situation": situation,
            "critic_width": critic_width,
            "teams": teams,
        }
        super().__init__(observation_space, action_space, lr_schedule, ortho_init=ortho_init)

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = ActorAndCritic(self._num_inputs, **self._shape)
        self.action_net = nn.Linear(self.mlp_extractor.latent_dim_pi, self._num_actions)
        self.value_net = ExpectedReward(self._shape["players"], self._shape["teams"])
        if self.ortho_init:
            self.mlp_extractor.apply(partial(self.init_weights, gain=math.sqrt(2)))
            for layer in (self.action_net, self.critic.outcome_layer):
                layer.apply(partial(self.init_weights, gain=_GAIN_OF_LAST_LAYERS))
        self.optimizer = torch.optim.Adam(self.parameters(), lr_schedule(1), eps=1e-5, fused=True)  # in one pass

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {
            "observation_space": self.observation_space,
            "action_space": self.action_space,
            "lr_schedule": self._dummy_schedule,
            **self._shape,
        }

    @property
    def actor(self) -> nn.Sequential:
        """The actor's hidden layers."""
        return self.mlp_extractor.policy_net

    @property
    def critic(self) -> SeatCritic:
        """The critic."""
        return self.mlp_extractor.value_net

    def weights(self) -> Weights:
        """A copy of the weights as they are now."""
        players, shares = self.critic.players, self.critic.shares
        return Weights(
            players,
            observe_rules=self.observation_space.shape == (num_inputs(players, True),),
            team_shares=None if shares is None else shares.cpu().numpy().copy(),
            arrays={
                name: parameter.detach().cpu().numpy().astype(np.float32)  # always a copy
                for name, parameter in self.named_parameters()
            },
        )

    def latents(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, L) float32, what the actor's last hidden layer makes of (n, I) inputs."""
        return self.latents_of(self.actor, inputs)

    def latents_of(self, hidden: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
        """(n, L) float32, the same of other hidden layers in the precision of these."""
        with self._in_its_precision():
            return hidden(inputs).float()

    def scores(self, inputs: torch.Tensor, who_plays: torch.Tensor) -> torch.Tensor:
        """(n, P, 3) float32 scores of the critic (``SeatCritic``) for (n, I) inputs and (n, P, W) who plays."""
        with self._in_its_precision():
            return self.mlp_extractor.scores(inputs, who_plays).float()

    def critic_latents(self, inputs: torch.Tensor, who_plays: torch.Tensor) -> torch.Tensor:
        """(n, P, W) float32, what the critic's layers before the last one make of the same."""
        with self._in_its_precision():
            return self.critic.latents(*self.mlp_extractor.of_critic(inputs), who_plays).float()

    def _in_its_precision(self) -> torch.autocast:
        return torch.autocast(self.device.type, self.precision, enabled=self.precision != torch.float32)

    def forward(  # type: ignore[override]
        self, obs: torch.Tensor, deterministic: bool = False, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (n,), values (n, 1) and log-probabilities (n,) of the actions; see the base class."""
        log_probs, values = self._log_probs_and_values(obs, action_masks)
        if deterministic:
            actions = log_probs.argmax(dim=1)
        else:  # the first of exponential arrivals at these rates is drawn with these probabilities
            actions = (log_probs.exp() / torch.empty_like(log_probs).exponential_()).argmax(dim=1)
        return actions, values, log_probs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values (n, 1), log-probabilities (n,) of these actions and entropies (n,); see the base class."""
        log_probs, values = self._log_probs_and_values(obs, action_masks)
        entropies = -(log_probs.exp() * log_probs.clamp_min(torch.finfo(log_probs.dtype).min)).sum(dim=1)
        return values, log_probs.gather(1, actions[:, None])[:, 0], entropies

    def _log_probs_and_values(
        self, obs: torch.Tensor, action_masks: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, A) log-probabilities, -inf where an action is illegal, and (n, 1) values."""
        latents, outcomes = self.mlp_extractor(obs)
        logits = self.action_net(latents)
        if action_masks is not None:
            is_legal = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device)
            logits = torch.where(is_legal, logits, -torch.inf)
        return logits.log_softmax(dim=1), self.value_net(outcomes)
