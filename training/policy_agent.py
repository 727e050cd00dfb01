"""A trained policy as an agent."""

from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env import Games


class PolicyAgent:
    """Plays by a policy, in all games that are asked for at once.

    Args:
        policy: ``model.policy``, or from ``load_policy``; trained on games with the same number of players.
        deterministic: take the likeliest action, instead of drawing from the policy.
        seed: of the generator that draws; an integer of at least 0.
    """

    def __init__(self, policy: MaskableActorCriticPolicy, deterministic: bool = False, seed: int = 0) -> None:
        self._policy = policy
        self._deterministic = deterministic
        # Not torch's global generator: what else draws from it must not change this agent's play.
        self._generator = torch.Generator(policy.device).manual_seed(seed)

    def __call__(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games; somebody must be about to act in each."""
        asked = games.copy(rows)
        self._policy.set_training_mode(False)
        with torch.no_grad():
            observations = torch.as_tensor(asked.observe(), device=self._policy.device)
            distribution = self._policy.get_distribution(observations, asked.legal())
            if self._deterministic:
                actions = distribution.mode()
            else:
                categorical = cast(torch.distributions.Categorical, distribution.distribution)
                actions = torch.multinomial(categorical.probs, 1, generator=self._generator)[:, 0]
        return actions.cpu().numpy()
