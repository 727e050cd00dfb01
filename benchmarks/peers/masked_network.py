"""The network of a job, for trainers that know no action masks."""

import numpy as np
import torch
from torch import nn

from ursuppe_agents.policies.board.inputs import board_inputs
from ursuppe_agents.policies.board.rules import standardised_rules
from ursuppe_agents.policies.board.weights import WIN
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.state import STATE
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.board import board_tensors
from ursuppe_training.networks.critic import predicted_outcomes
from ursuppe_training.networks.files import new_policy

_ILLEGAL = -1e8  # a logit; finite, since a peer's entropy would be none with an infinite one


class Network(nn.Module):
    """The actor and the critic of ``ursuppe train``, which read the states of games."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        self.policy = new_policy(config)
        self._rulesets = (config.ruleset,)
        self._rules = standardised_rules(self._rulesets)
        self._num_actions = len(actions_for(config.players))

    def forward(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, A) logits, and the (B, P, 3) outcomes that the critic predicts."""
        games = trusted_games(states.numpy().astype(np.uint8).view(STATE)[:, 0], self._rulesets, threads=1)
        inputs = board_inputs(games)
        tensors = board_tensors(inputs, self._rules)
        of_legal, scores = self.policy(tensors)
        logits = of_legal.new_full((len(states), self._num_actions), _ILLEGAL)
        logits[tensors.row, tensors.inputs["actions"]] = of_legal
        return logits, predicted_outcomes(scores)


class MaskedNetwork(Network):
    """The same for what ``MaskedGames`` show."""

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, A) logits, and (B, 1) values."""
        logits, outcomes = super().forward(seen[:, : STATE.itemsize])
        return logits, values(outcomes)


def values(outcomes: torch.Tensor) -> torch.Tensor:
    """(B, 1) the reward for who looks, from 1 for a sure win to -1 / (P - 1), of (B, P, 3) outcomes."""
    players = outcomes.shape[1]
    return (outcomes[:, :1, WIN] * players - 1) / (players - 1)


def num_weights(network: nn.Module) -> int:
    """How many numbers it learns."""
    return sum(weights.numel() for weights in network.parameters())
