"""Behaviour cloning: the policy learns to take the decisions of its teachers, opponents of the pool, as well.

From final rewards alone, a beginner needs many thousands of games to find out what to buy and where to feed. Teachers
at the table show it. Later the policy should become better than they are, so cloning fades out.
"""

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

_BATCH_SIZE = 512  # a teacher's action has little noise, unlike a return: many small steps learn it fastest


class BehaviourCloning:
    """The decisions of teachers in one rollout.

    Args:
        size: the most decisions that are kept.
        observation_size: F.
        num_actions: A.
        device: of the data.
    """

    def __init__(self, size: int, observation_size: int, num_actions: int, device: torch.device) -> None:
        self._observations = torch.empty((size, observation_size), device=device)
        self._action_masks = torch.empty((size, num_actions), dtype=torch.bool, device=device)
        self._actions = torch.empty(size, dtype=torch.int64, device=device)
        self._used = 0

    def reset(self) -> None:
        """Drop the decisions of the last rollout."""
        self._used = 0

    def add(self, observations: torch.Tensor, action_masks: torch.Tensor, actions: torch.Tensor) -> None:
        """Add what teachers did in these n positions, as far as there is room."""
        start, stop = self._used, min(self._used + len(actions), len(self._actions))
        count = stop - start
        self._observations[start:stop] = observations[:count]
        self._action_masks[start:stop] = action_masks[:count]
        self._actions[start:stop] = actions[:count]
        self._used = stop

    def train(self, policy: MaskableActorCriticPolicy, weight: float) -> None:
        """One epoch on the teachers' decisions (cross-entropy), at the policy's learning rate times ``weight``."""
        groups = policy.optimizer.param_groups
        rates = [group["lr"] for group in groups]
        for group in groups:
            group["lr"] *= weight
        policy.set_training_mode(True)
        for batch in torch.randperm(self._used).tensor_split(max(self._used // _BATCH_SIZE, 1)):
            rows = batch.to(self._actions.device)
            observations, actions, masks = self._observations[rows], self._actions[rows], self._action_masks[rows]
            _, log_probs, _ = policy.evaluate_actions(observations, actions, masks)
            policy.optimizer.zero_grad()
            (-log_probs.mean()).backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            policy.optimizer.step()
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate
