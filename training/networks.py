"""The policy and value network of a training run."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from ursuppe_env.observation import observation_bounds, observation_layout
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.board import COLUMN, NEIGHBOUR, NUM_SPACES, OBSTACLE, ROW
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_training.config import TrainingConfig

_ROWS = 6  # of the table of spaces, as columns; 0 is off the board
_NOWHERE = NUM_SPACES  # a space after all others, on which nothing lies
_AROUND = 5  # spaces: where the acting amoeba is, and those next to it


class BoardView(BaseFeaturesExtractor):
    """An observation, what lies where each own amoeba is and around the acting one, and layers over all of it.

    The observation has the board space by space, and the amoebas by row and column: that food lies where an amoeba is,
    a network would have to learn for each of the spaces. Here it is looked up.

    Args:
        observation_space: of the game.
        players: P.
        widths: of the layers that policy and value network have in common; none: they begin behind this.
    """

    _space_at: torch.Tensor
    _around: torch.Tensor

    def __init__(self, observation_space: spaces.Box, players: int, widths: tuple[int, ...]) -> None:
        size = observation_space.shape[0] + (MAX_AMOEBAS + _AROUND) * 2 * players
        super().__init__(observation_space, widths[-1] if widths else size)
        self._players = players
        self._where = observation_layout(players)
        self.register_buffer("_space_at", torch.from_numpy(_space_at()), persistent=False)
        self.register_buffer("_around", torch.from_numpy(_around()), persistent=False)
        pairs = zip((size, *widths), widths, strict=False)
        self.layers = nn.Sequential(*(layer for pair in pairs for layer in (nn.Linear(*pair), nn.ReLU())))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([observations, self._seen(observations)], dim=1))

    def _seen(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, 12 x 2P) cubes by colour and amoebas by seat where each own amoeba is and around the acting one."""
        players = self._players
        planes = torch.cat([self._part(observations, "food"), self._part(observations, "amoebas")], dim=1)
        planes = nn.functional.pad(planes.view(-1, 2 * players, NUM_SPACES), (0, 1))  # and nowhere
        row, column = (self._part(observations, name).view(-1, players, MAX_AMOEBAS) for name in ("row", "column"))
        steps = torch.round((row * _ROWS + column) * (_ROWS - 1)).long()  # 1.0 is the last row or column
        space = self._space_at[steps]  # (B, P, 7)
        turn, acting = self._part(observations, "turn"), self._part(observations, "acting_amoeba")
        is_acting = turn[:, :, None] * acting[:, None, :]
        nobody = 1 - is_acting.sum(dim=(1, 2))
        acts_at = ((space * is_acting).sum(dim=(1, 2)) + nobody * _NOWHERE).long()
        wanted = torch.cat([space[:, 0], self._around[acts_at]], dim=1)  # (B, 12)
        return planes.gather(2, wanted[:, None, :].expand(-1, 2 * players, -1)).flatten(1)

    def _part(self, observations: torch.Tensor, name: str) -> torch.Tensor:
        return observations[:, self._where[name]]


def new_policy(config: TrainingConfig) -> MaskableActorCriticPolicy:
    """A policy on the CPU that is not to learn, with any weights; nothing is drawn from torch's own generator."""
    low, high = observation_bounds(config.ruleset)
    with torch.random.fork_rng(devices=[]):
        policy = MaskableActorCriticPolicy(
            spaces.Box(low, high, dtype=np.float32),
            spaces.Discrete(len(actions_for(config.players))),
            lambda _: config.learning_rate,
            ortho_init=False,
            **network(config),
        )
    policy.set_training_mode(False)
    return policy.requires_grad_(False)


def network(config: TrainingConfig) -> dict[str, Any]:
    """The shape of the policy and value networks, as the policies of sb3-contrib take it."""
    layers = list(config.layers)
    return {
        "net_arch": {"pi": layers, "vf": layers},
        "activation_fn": nn.ReLU,
        "features_extractor_class": BoardView,
        "features_extractor_kwargs": {"players": config.players, "widths": config.shared_layers},
    }


def _space_at() -> np.ndarray:
    """(36,) int64 the space in each row and column, counted from 1."""
    table = np.full(_ROWS * _ROWS, _NOWHERE, np.int64)
    table[(ROW + 1).astype(np.int64) * _ROWS + COLUMN + 1] = np.arange(NUM_SPACES)
    return table


def _around() -> np.ndarray:
    """(20, 5) int64 each space and those next to it; nowhere beyond obstacles."""
    table = np.full((NUM_SPACES + 1, _AROUND), _NOWHERE, np.int64)
    table[:NUM_SPACES, 0] = np.arange(NUM_SPACES)
    table[:NUM_SPACES, 1:] = np.where(NEIGHBOUR == OBSTACLE, _NOWHERE, NEIGHBOUR)
    return table
