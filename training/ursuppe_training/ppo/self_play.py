"""Rollouts of self-play: groups of games, in which the policy and its opponents decide.

Threads play groups side by side. Groups are cut the same whatever the number of threads, and so are the results.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.extras import extra
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.critic import reward_weights
from ursuppe_training.opponents import OpponentPool
from ursuppe_training.ppo.buffer import DemonstrationBuffer
from ursuppe_training.ppo.game_group import GameGroup, groups_of
from ursuppe_training.ppo.learner import Learner
from ursuppe_training.ppo.rollout import Rollout
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

BETWEEN_CALLS = 0.05  # seconds between two calls of ``goes_on``

GoesOn = Callable[[], bool]


@dataclass(eq=False)
class SelfPlay:
    """The games that a policy learns from."""

    config: TrainingConfig  # the settings of the run
    rulesets: Sequence[Ruleset]  # of the games; of several each game draws one
    learner: Learner  # whose policy plays
    workers: ThreadPoolExecutor  # threads that play, and ask agents
    processes: Processes  # that train together
    decisions: int = 0  # that were made to be learned from, in all rollouts of all processes

    def __post_init__(self) -> None:
        config, rulesets, processes = self.config, self.rulesets, self.processes
        groups = groups_of(config.envs, processes.count)
        mine = range(processes.rank, len(groups), processes.count)
        sizes = [len(groups[number]) for number in mine]
        given = rulesets[0] if len(rulesets) == 1 else list(rulesets)
        sources = [RulesetSource(given) for _ in mine]
        games = Games(config.envs, sources[0].rulesets, config.seed, threads=1)
        sources[0].begin(games, None, config.seed)

        self.pool = OpponentPool(config, self.learner.policy, mine)
        self.rollout = Rollout(config.rollout, sizes, config.players, config.gae_lambda, processes)
        self.demonstrations = [DemonstrationBuffer(config.rollout * size if config.teachers else 0) for size in sizes]
        parts = zip(mine, sources, self.rollout.buffers, self.demonstrations, strict=True)
        self.groups = [
            GameGroup(number, games.copy(groups[number]), source, self.pool, buffer, shown)
            for number, source, buffer, shown in parts
        ]
        self._group_sizes = [len(rows) for rows in groups]
        self._exchanged_games: list[dict[str, Any]] | None = None

    def collect(self, seed: Sequence[int], progress_remaining: float, is_cloning: bool, goes_on: GoesOn) -> bool:
        """Play a rollout, with returns and advantages.

        Args:
            seed: of what the policies draw.
            progress_remaining: the part of the run that is still to come, from 1 to 0.
            is_cloning: note demonstrations.
            goes_on: called now and then; False ends the rollout.

        Returns:
            Whether the rollout has all its decisions.
        """
        before = self.decisions
        is_stopped = self._play(seed, is_cloning, goes_on)
        learned, stopped = self.processes.sums(np.array([self._learned, is_stopped], float))
        self.decisions = before + int(learned)
        if stopped > 0:
            return False
        config = self.config
        weights = reward_weights(
            config.reward, config.final_reward, progress_remaining, config.players, len(config.sides)
        )
        self.rollout.compute_returns_and_advantages(weights)
        self._exchanged_games = None
        if self.processes.count > 1:  # now: the first one alone decides later if it saves them
            self._exchange_games()
        return True

    @torch.no_grad()
    def _play(self, seed: Sequence[int], is_cloning: bool, goes_on: GoesOn) -> bool:
        """Play until all groups have a rollout; whether it was stopped."""
        before, policy, is_stopped = self.decisions, BoardNetwork(self.learner.policy.weights()), Event()
        for group in self.groups:
            group.begin_rollout(policy, seed, is_cloning)
        playing = [self.workers.submit(group.play, lambda: not is_stopped.is_set()) for group in self.groups]

        def asked() -> bool:
            """Count the decisions, and ask whether to go on."""
            self.decisions = before + self.processes.count * self._learned
            return goes_on()

        try:
            while wait(playing, BETWEEN_CALLS).not_done and asked():
                pass
        finally:  # also at Ctrl-C, and where somebody crashed
            is_stopped.set()
            wait(playing)
        are_full = [part.result() for part in playing]
        return not (all(are_full) and asked())

    @property
    def _learned(self) -> int:
        """Decisions of this rollout, in this process."""
        return sum(buffer.learned for buffer in self.rollout.buffers)

    def saved_games(self) -> list[dict[str, Any]]:
        """Where the games of each group stand, and the decisions that have no successor yet; of all processes.

        These do not change until the next rollout, at whose end the processes have exchanged them.
        """
        return self._exchanged_games or self._exchange_games()

    def _exchange_games(self) -> list[dict[str, Any]]:
        mine = {group.number: group.state_dict() for group in self.groups}
        all_of_them = {number: state for part in self.processes.gathered(mine) for number, state in part.items()}
        self._exchanged_games = [all_of_them[number] for number in sorted(all_of_them)]
        return self._exchanged_games

    def restore_games(self, saved: list[dict[str, Any]]) -> None:
        """Go on with these games.

        Raises:
            ValueError: they are in other groups, because there were more or fewer processes.
        """
        sizes = [len(state["states"]) for state in saved]
        if sizes != self._group_sizes:
            raise ValueError(
                f"its {sum(sizes)} games are in {len(sizes)} groups, here in {len(self._group_sizes)}; "
                "go on with as many processes as before"
            )
        for group in self.groups:
            group.load_state_dict(saved[group.number])
        self._exchanged_games = None
