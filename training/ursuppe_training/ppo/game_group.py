"""A part of a run's games, which are played side by side, one decision a game at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.kernels import bodies
from ursuppe_training.kernels.memory import ReadLate
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.opponents.seated import SeatedOpponents
from ursuppe_training.ppo.backend import Backend
from ursuppe_training.ppo.behaviour_cloning import DemonstrationBuffer
from ursuppe_training.ppo.buffer import SeatRolloutBuffer
from ursuppe_training.ppo.saved_games import as_games, as_tensor

#: Games of a group: enough for a network to be asked about at once. There are two groups at least.
GAMES_IN_A_GROUP = 256
_FEWEST_GROUPS = 2


def groups_of(num_games: int, processes: int) -> list[NDArray[np.int64]]:
    """The numbers of the games of each group; whatever the threads, these are the same.

    Args:
        num_games: of all groups.
        processes: that share out the groups, at least one for each.

    Raises:
        ValueError: there are fewer games than processes.
    """
    if num_games < processes:
        raise ValueError(f"envs is {num_games}; {processes} processes need at least one game each")
    groups = min(max(_FEWEST_GROUPS, num_games // GAMES_IN_A_GROUP, processes), num_games)
    return np.array_split(np.arange(num_games), groups)


class GameGroup:
    """Games in which the policy and its opponents decide, on processor or GPU.

    A step has two halves: up to the answers of agents that need the processor, and from there on; while they think, a
    GPU plays another group. Steps that were asked for when the rollout had all its decisions already change nothing.

    Args:
        number: of the group among all.
        games: its games, from which it begins.
        rulesets: where those of the next games come from.
        pool: of opponents, whose draws do not change during a rollout.
        buffer: of the policy's decisions.
        demonstrations: of teachers.
        backend: where the games are played.

    Attributes:
        number: of the group.
        backend: where its games are.
        learned: decisions of this rollout that are learned from, as far as is known.
        is_full: whether the rollout is known to have all its new decisions.
    """

    def __init__(
        self,
        number: int,
        games: Games,
        rulesets: RulesetSource,
        pool: OpponentPool,
        buffer: SeatRolloutBuffer,
        demonstrations: DemonstrationBuffer,
        backend: Backend,
    ) -> None:
        self.number = number
        self.backend = backend
        self._rulesets = rulesets
        self._pool = pool
        self._buffer = buffer
        self._demonstrations = demonstrations
        self._counts = ReadLate(buffer.counts.tensor, backend.steps_ahead)
        self._hold(games)

    def _hold(self, games: Games) -> None:
        self._opponents = SeatedOpponents(len(games), self._pool, self.backend.memory)
        self.backend.hold(games, self._opponents)

    def begin_rollout(self, policies: Any, seed: Sequence[int], is_cloning: bool) -> None:
        """Set what steps need.

        Args:
            policies: that play, frozen for the backend.
            seed: of what they draw, with the group's number.
            is_cloning: note demonstrations.
        """
        self._is_cloning = is_cloning
        self.learned = 0
        self.is_full = False
        self._counts.forget()
        self._buffer.reset()
        self._demonstrations.reset()
        self._opponents.begin_rollout()
        self.backend.begin_rollout(policies, [*seed, self.number])

    def begin_step(self) -> None:
        """Let policies choose who are about to act, and note the decisions to learn from."""
        self._opponents.see_who_acts(self.backend.states, self._buffer.counts)
        made = self.backend.choose()
        if made is not None:
            self._buffer.add(made)

    def end_step(self) -> None:
        """Let all others choose, step all games, and begin the next ones."""
        backend = self.backend
        backend.answer()
        shown = backend.demonstrated() if self._is_cloning else None
        if shown is not None:
            self._demonstrations.add(shown)
        backend.step()
        self._opponents.end_games(backend.states, backend.rules, self._buffer.chains)
        backend.begin_games()
        counts = self._counts.note()
        if counts is not None:
            self._take(counts)

    def _take(self, counts: NDArray[np.int64]) -> None:
        self.learned = self._buffer.learned(counts)
        self.is_full = bool(counts[bodies.USED] >= counts[bodies.FULL])

    def end_rollout(self) -> None:
        """Tell the pool who has won, and see what was learned from. Waits for a GPU.

        Raises:
            ValueError: somebody has chosen an illegal action.
            RuntimeError: a game is stuck.
        """
        self.backend.finish()
        self._take(self._buffer.counts.tensor.cpu().numpy())
        self._opponents.end_rollout()
        self._demonstrations.end_rollout()

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, Any]:
        """Where the games stand and against whom, and the decisions that have no successor yet."""
        return {
            "states": as_tensor(self.backend.to_games()),
            "opponents": self._opponents.state_dict(),
            "waiting": self._buffer.state_dict(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        self._hold(as_games(saved["states"], self._rulesets.rulesets, threads=1))
        self._opponents.load_state_dict(saved["opponents"])
        self._buffer.load_state_dict(saved["waiting"])


def play_by_turns(groups: Sequence[GameGroup], goes_on: Callable[[], bool]) -> bool:
    """Play a rollout of each group, those of several by turns.

    Args:
        groups: whose rollouts have begun.
        goes_on: asked after each round; False ends the rollouts.

    Returns:
        Whether all have all their decisions.
    """
    playing = list(groups)
    for group in playing:
        group.begin_step()
    while playing:
        for group in list(playing):
            group.end_step()
            if group.is_full:
                playing.remove(group)
            else:
                group.begin_step()
        if playing and not goes_on():
            return False
    return True
