"""Learning from what teachers do: opponents of the mixture whose decisions the policy learns to take as well.

From final rewards alone, a beginner needs many thousand games to find out what to buy and where to feed. Teachers at
the table show it. Later the policy is to become better than they are, so the lessons fade out.
"""

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

_BATCH = 512  # what a teacher did is hardly noisy, unlike what came of it: many small steps are soonest there


class Lessons:
    """The decisions of teachers in one rollout.

    Args:
        size: decisions that are kept, at most.
        observation_size: F.
        num_actions: A.
        device: where the data are.
    """

    def __init__(self, size: int, observation_size: int, num_actions: int, device: torch.device) -> None:
        self._observations = torch.empty((size, observation_size), device=device)
        self._masks = torch.empty((size, num_actions), dtype=torch.bool, device=device)
        self._actions = torch.empty(size, dtype=torch.int64, device=device)
        self._used = 0

    def begin(self) -> None:
        """Forget those of the last rollout."""
        self._used = 0

    def add(self, observations: torch.Tensor, masks: torch.Tensor, actions: torch.Tensor) -> None:
        """What teachers did in these n positions, as far as there is room."""
        start, stop = self._used, min(self._used + len(actions), len(self._actions))
        count = stop - start
        self._observations[start:stop] = observations[:count]
        self._masks[start:stop] = masks[:count]
        self._actions[start:stop] = actions[:count]
        self._used = stop

    def learn(self, policy: MaskableActorCriticPolicy, weight: float) -> None:
        """Make the teachers' decisions more likely: one pass, at the policy's learning rate times ``weight``."""
        groups = policy.optimizer.param_groups
        rates = [group["lr"] for group in groups]
        for group in groups:
            group["lr"] *= weight
        policy.set_training_mode(True)
        for batch in torch.randperm(self._used).tensor_split(max(self._used // _BATCH, 1)):
            rows = batch.to(self._actions.device)
            _, log_probs, _ = policy.evaluate_actions(self._observations[rows], self._actions[rows], self._masks[rows])
            policy.optimizer.zero_grad()
            (-log_probs.mean()).backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            policy.optimizer.step()
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate
