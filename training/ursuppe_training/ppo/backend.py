"""What differs between games on the processor and on a GPU: how the network is asked, who else acts where, and when.

A ``GameGroup`` does the rest, which is the same for both.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ursuppe_env import Games
from ursuppe_env.cuda.arrays import Array
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.extras import extra
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.opponents.seated import SeatedOpponents
from ursuppe_training.ppo.behaviour_cloning import Demonstrations
from ursuppe_training.ppo.buffer import SeatDecisions
from ursuppe_training.ppo.learner import FrozenPolicy

with extra("train"):
    import torch


class Backend(Protocol):
    """The games of a group, and those who act in them.

    Attributes:
        memory: where the games are.
        steps_ahead: how many steps are asked for before it is known what came of the first.
    """

    memory: Memory
    steps_ahead: int

    def __len__(self) -> int:
        """N, the number of games."""

    @property
    def states(self) -> Array:
        """(N,) the games, for kernels."""

    @property
    def rules(self) -> Array:
        """(R,) their rulesets, for kernels."""

    def hold(self, games: Games, seated: SeatedOpponents) -> None:
        """Go on with these games, and those who are in their seats."""

    def begin_rollout(self, policies: Any, seed: Sequence[int]) -> None:
        """Let the policies as they are frozen now (``SelfPlay``) act, who draw by a generator with this seed."""

    def choose(self) -> SeatDecisions | None:
        """Let the policy choose where it acts, and what else acts where the games are; None: it acts nowhere."""

    def answer(self) -> None:
        """Let all others choose who act."""

    def demonstrated(self) -> Demonstrations | None:
        """What teachers chose; None: they act nowhere."""

    def step(self) -> None:
        """Do what was chosen."""

    def begin_games(self) -> None:
        """Begin new games in place of those that are over."""

    def finish(self) -> None:
        """Wait until all steps are done.

        Raises:
            ValueError: somebody has chosen an illegal action.
            RuntimeError: a game is stuck.
        """

    def to_games(self) -> Games:
        """The games as they stand, in the processor's memory."""


class ProcessorBackend:
    """Games on the processor: everybody is asked in those games alone in which they act.

    Args:
        number: of the group, by which the pool has agents for it.
        rulesets: where those of the next games come from; this group's own, since threads share none.
        pool: of opponents.
        memory: of the processor.

    Attributes:
        games: as they stand.
    """

    games: Games
    steps_ahead = 0

    def __init__(self, number: int, rulesets: RulesetSource, pool: OpponentPool, memory: Memory) -> None:
        self.memory = memory
        self._number = number
        self._rulesets = rulesets
        self._pool = pool

    def __len__(self) -> int:
        return len(self.games)

    @property
    def states(self) -> Array:
        """See ``Backend``, as for all methods."""
        return self.games.state

    @property
    def rules(self) -> Array:
        return self.games.rules

    def hold(self, games: Games, seated: SeatedOpponents) -> None:
        self.games = games
        self._seated = seated
        self._actions = np.empty(len(games), np.int64)

    def begin_rollout(self, policies: FrozenPolicy, seed: Sequence[int]) -> None:
        self._policy = policies
        self._generator = np.random.default_rng(seed)

    def choose(self) -> SeatDecisions | None:
        rows = np.flatnonzero(self._seated.learns.array)
        if not len(rows):
            return None
        asked = self.games if len(rows) == len(self.games) else self.games.copy(rows)
        who_plays = self._seated.who_plays.array[rows]
        decisions = self._policy.choose(asked, who_plays, self._generator.random(len(rows), np.float32))
        self._actions[rows] = decisions.actions.numpy()
        return SeatDecisions(torch.ones(len(rows), dtype=torch.bool), rows, asked.player, decisions)

    def answer(self) -> None:
        rows = np.flatnonzero(~self._seated.learns.array)
        if len(rows):
            players = self._seated.acting.array[rows]
            self._actions[rows] = self._pool.act(self.games, rows, players, self._number)

    def demonstrated(self) -> Demonstrations | None:
        rows = np.flatnonzero(self._seated.teaches.array)
        if not len(rows):
            return None
        seen = self._policy.observe(self.games.copy(rows))
        is_kept = torch.ones(len(rows), dtype=torch.bool)
        return Demonstrations(is_kept, seen, torch.from_numpy(self._actions[rows]))

    def step(self) -> None:
        self.games.step(self._actions)

    def begin_games(self) -> None:
        finished = self._seated.finished.array
        if finished.any():
            self._rulesets.begin(self.games, finished, seed=None)

    def finish(self) -> None:
        pass

    def to_games(self) -> Games:
        return self.games
