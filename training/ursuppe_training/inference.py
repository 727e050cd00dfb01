"""The output of a policy's network for games: probabilities of actions, and values of seats.

Plain tensors in place of sb3-contrib's distributions, which take 1.3 to 1.8 times as long. On one thread: what an agent
asks about at once is too little for two, which cost more to wake than they save, and far more on a busy machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env import Games
from ursuppe_training.threads import one_torch_thread


class Network:
    """The network of a policy, for inference only.

    Args:
        policy: trained on games like these; it may go on learning in between.
    """

    def __init__(self, policy: MaskableActorCriticPolicy) -> None:
        self.policy = policy
        self._size = policy.observation_space.shape[0]  # type: ignore[index]  # a Box has one
        self._device = policy.device  # the policy itself looks for it among all its weights each time

    def action_probabilities(self, games: Games) -> NDArray[np.float64]:
        """How likely the policy is to take each action, (N, A); 0 where it is illegal.

        Args:
            games: in each of them a player is about to act.
        """
        with self._inference():
            return self._probabilities(self._features(games.observe(rules=self._sees_rules(games))), games)

    def probabilities_and_values(self, games: Games) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same, and the reward that the critic expects for each seat, seen from there, (N, P): in one pass."""
        players, num_games = games.num_players, len(games)
        seen = np.empty((players, num_games, self._size), np.float32)
        for seat in range(players):
            games.observe(seat, out=seen[seat], rules=self._sees_rules(games))
        with self._inference():
            features = self._features(seen.reshape(-1, self._size))
            values = self.policy.value_net(self.policy.mlp_extractor.forward_critic(features))
            of_actors = features[self._tensor(games.player.astype(np.int64) * num_games + np.arange(num_games))]
            by_seat = values.reshape(players, num_games).T.double().cpu().numpy()
            return self._probabilities(of_actors, games), by_seat

    def _sees_rules(self, games: Games) -> bool:
        return self._size == games.observation_size_with_rules

    def _features(self, observations: NDArray[np.float32]) -> torch.Tensor:
        features = self.policy.extract_features(self._tensor(observations))
        assert isinstance(features, torch.Tensor)  # as long as policy and critic share them
        return features

    def _probabilities(self, features: torch.Tensor, games: Games) -> NDArray[np.float64]:
        logits = self.policy.action_net(self.policy.mlp_extractor.forward_actor(features)).double()
        is_legal = self._tensor(games.legal()).bool()
        return torch.where(is_legal, logits, -torch.inf).softmax(dim=1).cpu().numpy()

    def _tensor(self, array: NDArray[np.generic]) -> torch.Tensor:
        return torch.as_tensor(array, device=self._device)

    @contextmanager
    def _inference(self) -> Iterator[None]:
        """Without gradients, and on one thread."""
        if self.policy.training:
            self.policy.set_training_mode(False)
        with one_torch_thread(), torch.inference_mode():
            yield
