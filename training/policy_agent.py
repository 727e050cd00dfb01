"""A trained policy as an agent."""

from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_agents import Agent
from ursuppe_env import Games
from ursuppe_env.observation import observation_size
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS
from ursuppe_training.models import load_policy


class PolicyAgent(Agent):
    """Plays by a policy, in all games that are asked for at once.

    Args:
        generator: seeds the draws from the policy.
        policy: ``model.policy``, or from ``load_policy``; trained on games with the same number of players.
        deterministic: take the likeliest action, instead of drawing from the policy.
    """

    def __init__(
        self, generator: np.random.Generator, *, policy: MaskableActorCriticPolicy, deterministic: bool = False
    ) -> None:
        super().__init__(generator)
        self.deterministic = deterministic
        self._policy = policy
        # Not torch's global generator: what else draws from it must not change this agent's play.
        self._draws = torch.Generator(policy.device).manual_seed(int(generator.integers(2**63)))

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose for whoever is about to act, as every agent does.

        Raises:
            ValueError: the policy was trained with another number of players.
        """
        self._check_players(games)
        asked = games.copy(rows)
        self._policy.set_training_mode(False)
        with torch.no_grad():
            observations = torch.as_tensor(asked.observe(), device=self._policy.device)
            distribution = self._policy.get_distribution(observations, asked.legal())
            if self.deterministic:
                actions = distribution.mode()
            else:
                categorical = cast(torch.distributions.Categorical, distribution.distribution)
                actions = torch.multinomial(categorical.probs, 1, generator=self._draws)[:, 0]
        return actions.cpu().numpy()

    def _check_players(self, games: Games) -> None:
        shape = self._policy.observation_space.shape
        if shape != (games.observation_size,):
            counts = range(MIN_PLAYERS, MAX_PLAYERS + 1)
            trained = next((count for count in counts if (observation_size(count),) == shape), "another number of")
            raise ValueError(f"the policy was trained with {trained} players; these games have {games.num_players}")


class SavedPolicyAgent(PolicyAgent):
    """The same with the policy in a file.

    Args:
        generator: seeds the draws from the policy.
        model: the model.zip of a training run.
        deterministic: take the likeliest action, instead of drawing from the policy.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or no such file.
    """

    def __init__(self, generator: np.random.Generator, *, model: str, deterministic: bool = False) -> None:
        super().__init__(generator, policy=load_policy(Path(model))[0], deterministic=deterministic)
