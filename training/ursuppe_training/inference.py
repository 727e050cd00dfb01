"""The output of a policy's network for games: probabilities of actions, and chances of winning.

Plain tensors in place of sb3-contrib's distributions, which take 1.3 to 1.8 times as long. On one thread: what an agent
asks about at once is too little for two, which cost more to wake than they save, and far more on a busy machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_training.inputs import InputsView, num_inputs
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.outcomes import WIN
from ursuppe_training.threads import one_torch_thread


class Network:
    """The network of a policy, for inference only.

    Args:
        policy: trained on games like these; it may go on learning in between.
    """

    def __init__(self, policy: MaskedCategoricalPolicy) -> None:
        self.policy = policy
        self._size = policy.observation_space.shape[0]  # type: ignore[index]  # a Box has one
        self._device = policy.device  # the policy itself looks for it among all its weights each time

    def action_probabilities(self, games: Games) -> NDArray[np.float64]:
        """How likely the policy is to take each action, (N, A); 0 where it is illegal.

        Args:
            games: in each of them a player is about to act.
        """
        with self._inference():
            return self._probabilities(self._inputs(games), games)

    def probabilities_and_chances(self, games: Games) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same, and each player's chance of winning by the critic, (N, P), in sum 1."""
        with self._inference():
            inputs = self._inputs(games)
            scores = self.policy.mlp_extractor.scores(inputs)[:, :, WIN].double()
            from_actor = scores.softmax(dim=1).cpu().numpy()
            seats = np.arange(games.num_players) - games.player.astype(np.int64)[:, np.newaxis]
            chances = np.take_along_axis(from_actor, seats % games.num_players, axis=1)
            return self._probabilities(inputs, games), chances

    def _inputs(self, games: Games) -> torch.Tensor:
        sees_rules = self._size == num_inputs(games.num_players, observe_rules=True)
        return self._tensor(InputsView(sees_rules).of(games))

    def _probabilities(self, inputs: torch.Tensor, games: Games) -> NDArray[np.float64]:
        logits = self.policy.action_net(self.policy.mlp_extractor.forward_actor(inputs)).double()
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
