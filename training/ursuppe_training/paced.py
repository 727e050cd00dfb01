"""What both learners share: a mixture of opponents, a reward, and schedules that somebody else sets the pace of."""

from sb3_contrib import MaskablePPO

from ursuppe_training.opponents import Mixture
from ursuppe_training.rewards import Reward


class PacedPPO(MaskablePPO):
    """MaskablePPO whose schedules follow ``progress_left``.

    Stable-Baselines3 itself counts what is left after a rollout was played, so that the last update of a rate that
    falls to 0 would be for nothing, and by decisions alone.
    """

    mixture: Mixture
    reward: Reward
    progress_left: float = 1.0  # from 1 to 0

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        self._current_progress_remaining = self.progress_left
