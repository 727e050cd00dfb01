"""``SelfPlay`` with its games on the GPU where its networks are."""

import time
from collections.abc import Sequence
from typing import Any

from ursuppe_env.extras import extra
from ursuppe_training.on_gpu.frozen_policies import FrozenPolicies
from ursuppe_training.on_gpu.game_group import GameGroupOnGpu
from ursuppe_training.on_gpu.memory import Memory
from ursuppe_training.ppo.self_play import BETWEEN_CALLS, GoesOn, SelfPlay

with extra("train"):
    import torch


class SelfPlayOnGpu(SelfPlay):
    """The same games: one thread asks the GPU for all steps, those of the groups by turns.

    Args:
        memory: of the GPU.
        settings: as for ``SelfPlay``.
    """

    groups: Sequence[GameGroupOnGpu]  # type: ignore[assignment]

    def __init__(self, memory: Memory, **settings: Any) -> None:
        super().__init__(**settings)
        self._memory = memory

    @torch.no_grad()
    def _play(self, seed: Sequence[int], is_taught: bool, goes_on: GoesOn) -> bool:
        before = self.decisions
        policies = FrozenPolicies([self._policy, *self.pool.frozen_policies], self._policy.precision, self._memory)
        for group in self.groups:
            group.begin_rollout(policies, seed, is_taught, self._workers)
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
                if not self._asked(goes_on, before):
                    return True
        for group in self.groups:
            group.end_rollout()
        return not self._asked(goes_on, before)
