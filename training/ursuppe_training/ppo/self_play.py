"""Rollouts of self-play: groups of games, in which the policy and its opponents decide.

On the processor threads play groups side by side. A GPU is asked by one thread for the steps of all groups by turns:
between the first step of a rollout and the last one nothing waits for it, but for agents that need the processor.
Groups are cut the same whatever the number of threads, and so are the results.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import Any

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_training.networks.outcomes import Reward
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.ppo.behaviour_cloning import BehaviourCloning
from ursuppe_training.ppo.game_group import GameGroup, play_by_turns
from ursuppe_training.ppo.learner import Learner
from ursuppe_training.ppo.rollout import Rollout
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

BETWEEN_CALLS = 0.05  # seconds between two calls of ``goes_on``

GoesOn = Callable[[], bool]


class SelfPlay:
    """The games that a policy learns from.

    Args:
        learner: whose policy plays.
        freeze: makes the policies that play, as they are now, for the backends of the groups.
        pool: of opponents.
        groups: of games, those of this process.
        group_sizes: games of each group of all processes.
        rollout: of the policy's decisions in these groups.
        cloning: the demonstrations in them.
        reward: of a game.
        workers: threads that play.
        by_turns: one thread plays all groups.
        processes: that train together.

    Attributes:
        groups: as given.
        rollout: as given.
        cloning: as given.
        reward: as given.
        pool: as given.
        decisions: that were made to be learned from, in all rollouts of all processes.
    """

    def __init__(
        self,
        learner: Learner,
        freeze: Callable[[], Any],
        pool: OpponentPool,
        groups: Sequence[GameGroup],
        group_sizes: Sequence[int],
        rollout: Rollout,
        cloning: BehaviourCloning,
        reward: Reward,
        workers: ThreadPoolExecutor,
        by_turns: bool,
        processes: Processes,
    ) -> None:
        self.groups = groups
        self.rollout = rollout
        self.cloning = cloning
        self.reward = reward
        self.pool = pool
        self.decisions = 0
        self._learner = learner
        self._freeze = freeze
        self._group_sizes = group_sizes
        self._workers = workers
        self._by_turns = by_turns
        self._processes = processes
        self._exchanged_games: list[dict[str, Any]] | None = None

    def collect(self, seed: Sequence[int], is_cloning: bool, goes_on: GoesOn) -> bool:
        """Play a rollout, with returns and advantages.

        Args:
            seed: of what the policies draw.
            is_cloning: note demonstrations.
            goes_on: called now and then; False ends the rollout.

        Returns:
            Whether the rollout has all its decisions.
        """
        before = self.decisions
        is_stopped = self._play(seed, is_cloning, goes_on)
        learned, stopped = self._processes.sums(np.array([self._learned, is_stopped], float))
        self.decisions = before + int(learned)
        if stopped > 0:
            return False
        critic = self._learner.freeze_critic()
        self.rollout.compute_returns_and_advantages(critic.predict, self._workers, self.reward.weights)
        self._exchanged_games = None
        if self._processes.count > 1:  # now: the first one alone decides later if it saves them
            self._exchange_games()
        return True

    @torch.no_grad()
    def _play(self, seed: Sequence[int], is_cloning: bool, goes_on: GoesOn) -> bool:
        """Play until all groups have a rollout; whether it was stopped."""
        before, policies = self.decisions, self._freeze()
        for group in self.groups:
            group.begin_rollout(policies, seed, is_cloning)
        play = self._play_by_turns if self._by_turns else self._play_side_by_side
        if not play(lambda: self._asked(goes_on, before)):
            return True
        for group in self.groups:
            group.end_rollout()
        return not self._asked(goes_on, before)

    def _play_by_turns(self, goes_on: GoesOn) -> bool:
        """Whether it was played to the end."""
        called = time.perf_counter()

        def goes_on_now_and_then() -> bool:
            nonlocal called
            if time.perf_counter() < called + BETWEEN_CALLS:
                return True
            called = time.perf_counter()
            return goes_on()

        return play_by_turns(self.groups, goes_on_now_and_then)

    def _play_side_by_side(self, goes_on: GoesOn) -> bool:
        """Whether it was played to the end."""
        is_stopped = Event()
        playing = [
            self._workers.submit(play_by_turns, [group], lambda: not is_stopped.is_set()) for group in self.groups
        ]
        try:
            while wait(playing, BETWEEN_CALLS).not_done and goes_on():
                pass
        finally:  # also at Ctrl-C, and where somebody crashed
            is_stopped.set()
            wait(playing)
        results = [part.result() for part in playing]
        return all(results)

    def _asked(self, goes_on: GoesOn, before: int) -> bool:
        """Count the decisions, after so many before this rollout, and ask whether to go on."""
        self.decisions = before + self._processes.count * self._learned
        return goes_on()

    @property
    def _learned(self) -> int:
        """Decisions of this rollout, in this process."""
        return sum(group.learned for group in self.groups)

    # ------------------------------------------------------------------ resuming

    def saved_games(self) -> list[dict[str, Any]]:
        """Where the games of each group stand, and the decisions that have no successor yet; of all processes.

        These do not change until the next rollout, at whose end the processes have exchanged them.
        """
        if self._exchanged_games is None:
            self._exchange_games()
        assert self._exchanged_games is not None
        return self._exchanged_games

    def _exchange_games(self) -> None:
        mine = {group.number: group.state_dict() for group in self.groups}
        all_of_them = {number: state for part in self._processes.gathered(mine) for number, state in part.items()}
        self._exchanged_games = [all_of_them[number] for number in sorted(all_of_them)]

    def restore_games(self, saved: list[dict[str, Any]]) -> None:
        """Go on with these games.

        Raises:
            ValueError: they are in other groups, because there were more or fewer processes.
        """
        sizes = [len(state["states"]) for state in saved]
        if sizes != self._group_sizes:
            raise ValueError(
                f"its {sum(sizes)} games are in {len(sizes)} groups, here in {len(self._group_sizes)}; "
                "go on with as many processes as before, and with games on a GPU if they were there"
            )
        for group in self.groups:
            group.load_state_dict(saved[group.number])
        self._exchanged_games = None
