"""The policy and value network of a training run."""

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from ursuppe_env.observation import observation_bounds, observation_layout, observation_size
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.board import COLUMN, NEIGHBOUR, NUM_SPACES, OBSTACLE, ROW, Direction
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_training.config import TrainingConfig

_ROWS = 6  # of the table of spaces, as columns; 0 is off the board
_NOWHERE = NUM_SPACES  # a space after all others, on which nothing lies
_NUM_VIEWED = 2 * MAX_AMOEBAS + len(Direction)  # spaces

#: The most weights of a policy, 40 MB: no file can make a reader build more.
MOST_WEIGHTS = 10_000_000


class BoardView(BaseFeaturesExtractor):
    """An observation, features of the board around the player's own amoebas, and layers over all of it.

    The observation has the board space by space, and the amoebas by row and column: a network would have to
    learn for each space on its own that food lies where an amoeba is, and again that one of three colours is missing.
    Here it is looked up: how many other colours lie on each space; and all that is on the spaces where each own
    amoeba is, where the current will take it, and around the amoeba that acts.

    Args:
        observation_space: of the game.
        players: P.
        widths: of the layers that policy and value network have in common; none: they begin behind this.
    """

    _space_at: torch.Tensor
    _next_to: torch.Tensor

    def __init__(self, observation_space: spaces.Box, players: int, widths: tuple[int, ...]) -> None:
        size = observation_space.shape[0] + _num_features(players)
        super().__init__(observation_space, widths[-1] if widths else size)
        self._players = players
        self._where = observation_layout(players)
        self.register_buffer("_space_at", torch.from_numpy(_space_at()), persistent=False)
        self.register_buffer("_next_to", torch.from_numpy(_next_to()), persistent=False)
        pairs = zip((size, *widths), widths, strict=False)
        self.layers = nn.Sequential(*(layer for pair in pairs for layer in (nn.Linear(*pair), nn.ReLU())))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(torch.cat([observations, *self._board_features(observations)], dim=1))

    def _board_features(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, 19) part of the other colours that lies on each space; (B, 19 x (2P + 1)) what is on the viewed ones."""
        players = self._players
        food = self._part(observations, "food").view(-1, players, NUM_SPACES)
        amoebas = self._part(observations, "amoebas").view(-1, players, NUM_SPACES)
        colours = (food[:, 1:] > 0).float().mean(dim=1, keepdim=True)
        planes = nn.functional.pad(torch.cat([food, amoebas, colours], dim=1), (0, 1))  # and nowhere
        viewed = self._viewed(observations)[:, None, :].expand(-1, planes.shape[1], -1)
        return colours[:, 0], planes.gather(2, viewed).flatten(1)

    def _viewed(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, 19) spaces: of the own amoebas, where the current takes them, of the acting one, and next to it."""
        players = self._players
        row, column = (self._part(observations, name).view(-1, players, MAX_AMOEBAS) for name in ("row", "column"))
        space = self._space_at[torch.round((row * _ROWS + column) * (_ROWS - 1)).long()]  # 1.0 is the last one
        card = self._part(observations, "card_direction")
        current = torch.where(card.any(dim=1), card.argmax(dim=1), int(Direction.STAY))  # there may be none yet
        drifted = self._next_to[space[:, 0], current[:, None]]
        turn, acting = self._part(observations, "turn"), self._part(observations, "acting_amoeba")
        is_acting = turn[:, :, None] * acting[:, None, :]
        nobody = 1 - is_acting.sum(dim=(1, 2))
        acts_at = ((space * is_acting).sum(dim=(1, 2)) + nobody * _NOWHERE).long()
        return torch.cat([space[:, 0], drifted, self._next_to[acts_at]], dim=1)

    def _part(self, observations: torch.Tensor, name: str) -> torch.Tensor:
        return observations[:, self._where[name]]


def new_policy(config: TrainingConfig) -> MaskableActorCriticPolicy:
    """A policy on the CPU that is not to learn, with any weights; nothing is drawn from torch's own generator."""
    low, high = observation_bounds(config.ruleset, config.observe_rules)
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


def check_size(config: TrainingConfig) -> None:
    """Refuse layers of too many weights, before anything is built of them.

    Raises:
        ValueError: there would be more than ``MOST_WEIGHTS``.
    """
    if (weights := num_weights(config)) > MOST_WEIGHTS:
        raise ValueError(
            f"shared_layers and layers make a network of {weights:,} weights; it must have at most {MOST_WEIGHTS:,}"
        )


def num_weights(config: TrainingConfig) -> int:
    """How many weights and biases policy and value network have together."""
    size = observation_size(config.players, config.observe_rules) + _num_features(config.players)
    shared = (size, *config.shared_layers)
    policy = (shared[-1], *config.layers, len(actions_for(config.players)))
    value = (shared[-1], *config.layers, 1)
    return sum((before + 1) * after for widths in (shared, policy, value) for before, after in pairwise(widths))


def network(config: TrainingConfig) -> dict[str, Any]:
    """The shape of the policy and value networks, as the policies of sb3-contrib take it."""
    layers = list(config.layers)
    return {
        "net_arch": {"pi": layers, "vf": layers},
        "activation_fn": nn.ReLU,
        "features_extractor_class": BoardView,
        "features_extractor_kwargs": {"players": config.players, "widths": config.shared_layers},
    }


def _num_features(players: int) -> int:
    """How many numbers ``BoardView`` adds to the observation."""
    return NUM_SPACES + _NUM_VIEWED * (2 * players + 1)


def _space_at() -> np.ndarray:
    """(36,) int64 the space in each row and column, counted from 1."""
    table = np.full(_ROWS * _ROWS, _NOWHERE, np.int64)
    table[(ROW + 1).astype(np.int64) * _ROWS + COLUMN + 1] = np.arange(NUM_SPACES)
    return table


def _next_to() -> np.ndarray:
    """(20, 5) int64 where a step from each space in each direction ends: obstacles keep an amoeba in place."""
    table = np.full((NUM_SPACES + 1, len(Direction)), _NOWHERE, np.int64)
    here = np.arange(NUM_SPACES)
    table[:NUM_SPACES, : Direction.STAY] = np.where(NEIGHBOUR == OBSTACLE, here[:, None], NEIGHBOUR)
    table[:NUM_SPACES, Direction.STAY] = here
    return table
