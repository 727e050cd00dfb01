"""``EverySeatPPO`` with its games on the GPU where its networks are."""

import time
from collections.abc import Sequence

from ursuppe_env.extras import extra
from ursuppe_training.every_seat import BETWEEN_CALLS, EverySeatPPO
from ursuppe_training.gradients import Gradients
from ursuppe_training.on_gpu.frozen_policies import FrozenPolicies
from ursuppe_training.on_gpu.game_group import GameGroupOnGpu
from ursuppe_training.on_gpu.memory import Memory
from ursuppe_training.on_gpu.rollout_buffer import RolloutOnGpu

with extra("train"):
    import torch
    from stable_baselines3.common.callbacks import BaseCallback


class EverySeatPPOOnGpu(EverySeatPPO):
    """The same learner: one thread asks the GPU for all steps, those of the groups by turns."""

    rollout_buffer: RolloutOnGpu
    groups: Sequence[GameGroupOnGpu]  # type: ignore[assignment]
    memory: Memory

    def _new_gradients(self) -> Gradients:
        return Gradients(self.policy, self.who_plays, self.magnet, self._workers, self._processes, by_torch=True)

    @torch.no_grad()
    def _play(self, callback: BaseCallback) -> bool:
        before, pool = self.num_timesteps, self.opponent_pool
        policies = FrozenPolicies([self.policy, *pool.frozen_policies], self.policy.precision, self.memory)
        for group in self.groups:
            group.begin_rollout(policies, self.rollout_seed, self.cloning_weight > 0, self._workers)
        playing = list(self.groups)
        called = time.perf_counter()
        for group in playing:
            group.begin_step()
        while playing:
            for group in list(playing):
                group.end_step()
                if group.is_full:
                    playing.remove(group)
                else:
                    group.begin_step()
            if time.perf_counter() > called + BETWEEN_CALLS:
                called = time.perf_counter()
                if not self._goes_on(callback, before):
                    return True
        for group in self.groups:
            group.end_rollout()
        return not self._goes_on(callback, before)
