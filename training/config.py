"""What a training run is made of."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from ursuppe_env import Ruleset
from ursuppe_env.envs.rewards import check_reward


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings of a training run; every one is checked.

    Raises:
        ValueError: a setting is out of its range; the message begins with its name.
    """

    players: int = 4
    edition: str = "1998"
    reward: str = "win"  # "win", "rank" or "margin"
    seed: int = 0  # of the games, the network and the order of the samples
    steps: int = 4_000_000  # decisions of the learner, rounded up to whole rollouts
    envs: int = 256  # games at once
    rollout: int = 64  # decisions in each of them between two updates
    batch_size: int = 2048
    epochs: int = 2
    learning_rate: float = 1e-3  # falls to 0 over the run, in a straight line
    gamma: float = 1.0  # a game has about 80 decisions of the learner and its reward at the end
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.01  # weight of the bonus for varied play
    layers: tuple[int, ...] = (128, 128)  # of the policy and of the value network

    def __post_init__(self) -> None:
        _ = self.ruleset  # checks players and edition
        check_reward(self.reward)
        for name, least in (("seed", 0), ("steps", 1), ("envs", 1), ("rollout", 2), ("batch_size", 2), ("epochs", 1)):
            self._check_integer(name, least)
        # Below 2**32, because NumPy's global generator, which Stable-Baselines3 seeds, takes no more.
        self._check("seed", lambda value: value < 2**32, "less than 2**32")
        self._check("learning_rate", lambda value: 0 < value < math.inf, "a number greater than 0")
        for name in ("gamma", "gae_lambda"):
            self._check(name, lambda value: 0 <= value <= 1, "a number from 0 to 1")
        self._check("clip_range", lambda value: 0 < value < 1, "a number between 0 and 1")
        self._check("entropy", lambda value: 0 <= value < math.inf, "a number of at least 0")
        if not isinstance(self.layers, tuple) or any(not _is_integer(width) or width < 1 for width in self.layers):
            raise ValueError(f"layers is {self.layers!r}; it must be a tuple of integers of at least 1")

    @property
    def ruleset(self) -> Ruleset:
        """The numbers that are played with."""
        return Ruleset(players=self.players, edition=self.edition)

    @property
    def updates(self) -> int:
        """How often the network is updated."""
        return -(-self.steps // (self.envs * self.rollout))

    @property
    def decisions(self) -> int:
        """The decisions of the learner in the whole run: ``steps``, rounded up."""
        return self.updates * self.envs * self.rollout

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, as JSON and TOML can write them."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def _check_integer(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not _is_integer(value) or value < least:
            raise ValueError(f"{name} is {value!r}; it must be an integer of at least {least}")

    def _check(self, name: str, is_right: Callable[[Any], bool], wanted: str) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not is_right(value):
            raise ValueError(f"{name} is {value!r}; it must be {wanted}")


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
