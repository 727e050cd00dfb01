"""Opponents that need the processor, in games on a GPU: they get copies of the states, and hand back their actions.

They are asked by groups of games as on the processor, each with agents of its own, so that threads can ask them side by
side.
"""

from collections.abc import Mapping
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.cuda import GamesCuda
from ursuppe_env.extras import extra
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.state import STATE
from ursuppe_training.kernels import bodies
from ursuppe_training.kernels.memory import Memory, OnProcessor
from ursuppe_training.opponents.pool import OpponentPool

with extra("train"):
    import torch


class AgentsOnProcessor:
    """The agents of a pool that need the processor.

    Args:
        games: N of them, on a GPU.
        acting: (N,) int64 tensor, the number of who acts.
        pool: of opponents.
        parts: of these games, (n,) rows that follow each other, by the pool's numbers of groups.
        workers: threads that ask agents.
        memory: of the GPU.
    """

    def __init__(
        self,
        games: GamesCuda,
        acting: torch.Tensor,
        pool: OpponentPool,
        parts: Mapping[int, NDArray[np.int64]],
        workers: Executor,
        memory: Memory,
    ) -> None:
        self._pool = pool
        self._workers = workers
        self._rulesets = games.rulesets
        self._states = OnProcessor(memory.viewed(games.state, np.uint8).tensor)
        self._acting = OnProcessor(acting)
        self._parts = [(group, slice(rows[0], rows[-1] + 1)) for group, rows in parts.items()]
        self._answers = torch.empty(len(games), dtype=torch.int64, pin_memory=memory.device.type == "cuda")
        self._there = torch.empty(len(games), dtype=torch.int64, device=memory.device)

    def ask(self) -> None:
        """Begin to copy the games as they stand, and who acts in them."""
        self._states.begin()
        self._acting.begin()

    def answer(self, actions: torch.Tensor, roles: NDArray[np.int64]) -> None:
        """Put the agents' actions in the place of those, (N,), in whose games they act. Waits for the copies.

        Args:
            actions: (N,) int64 tensor on the GPU.
            roles: (O, NUM_ROLES) of the opponents.
        """
        states, acting = self._states.read().view(STATE), self._acting.read()
        is_asked = (acting != bodies.NONE) & (roles[acting, bodies.ON_PROCESSOR] != 0)
        answers = self._answers.numpy()
        answers.fill(NO_ACTION)

        def act(part: tuple[int, slice]) -> None:
            group, rows = part
            asked = np.flatnonzero(is_asked[rows])
            if len(asked):
                games = trusted_games(states[rows], self._rulesets, threads=1)
                answers[rows][asked] = self._pool.act(games, asked, acting[rows][asked], group)

        for done in self._workers.map(act, self._parts):
            assert done is None  # raises what an agent raised
        self._there.copy_(self._answers, non_blocking=True)
        torch.where(self._there == NO_ACTION, actions, self._there, out=actions)
