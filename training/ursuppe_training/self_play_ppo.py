"""What both learners share: opponents, a reward, and schedules that the trainer sets."""

from ursuppe_env.extras import extra
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.opponent_pool import OpponentPool
from ursuppe_training.outcomes import Reward

with extra("train"):
    from sb3_contrib import MaskablePPO


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO whose schedules follow ``progress_remaining``.

    Stable-Baselines3 itself updates it after a rollout, so that the last update at a rate that falls to 0 would be
    wasted, and counts timesteps only, not time.
    """

    policy: MaskedCategoricalPolicy
    opponent_pool: OpponentPool
    reward: Reward
    progress_remaining: float = 1.0  # from 1 to 0

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        self._current_progress_remaining = self.progress_remaining
