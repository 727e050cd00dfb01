"""Rollouts of self-play: groups of games, in which the policy and its opponents decide.

Threads play groups side by side. Groups are cut the same whatever the number of threads, and so are the results.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import InitVar, dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.config import TrainingConfig
from ursuppe_training.devices import Processes
from ursuppe_training.networks.critic import outcomes_of, reward_weights
from ursuppe_training.opponents import OpponentPool, SeatedOpponents
from ursuppe_training.ppo.learner import Learner, choose
from ursuppe_training.ppo.rollout import DemonstrationBuffer, Rollout, SeatRolloutBuffer, as_games, as_tensor

# Games of a group: enough for a network to be asked about at once. There are two groups at least.
_GAMES_IN_A_GROUP, _FEWEST_GROUPS = 256, 2
_BETWEEN_CALLS = 0.05  # seconds between two calls of ``goes_on``

GoesOn = Callable[[], bool]


def groups_of(num_games: int, processes: int) -> list[NDArray[np.int64]]:
    """The numbers of the games of each group; whatever the threads, these are the same. A process has one at least.

    Raises:
        ValueError: there are fewer games than processes.
    """
    if num_games < processes:
        raise ValueError(f"envs is {num_games}; {processes} processes need at least one game each")
    groups = min(max(_FEWEST_GROUPS, num_games // _GAMES_IN_A_GROUP, processes), num_games)
    return np.array_split(np.arange(num_games), groups)


@dataclass(eq=False)
class GameGroup:
    """Games in which the policy and its opponents decide; each is asked in those games alone in which it acts."""

    number: int  # of the group among all
    games: InitVar[Games]  # from which it begins
    rulesets: RulesetSource  # of the next games; this group's own, since threads share none
    pool: OpponentPool  # whose draws do not change during a rollout
    buffer: SeatRolloutBuffer
    demonstrations: DemonstrationBuffer

    def __post_init__(self, games: Games) -> None:
        self._hold(games)

    def _hold(self, games: Games) -> None:
        self._games = games
        self._opponents = SeatedOpponents(len(games), self.pool)
        self._actions = np.empty(len(games), np.int64)

    def begin_rollout(self, policy: BoardNetwork, seed: Sequence[int], is_cloning: bool) -> None:
        """Set what steps need; the policy draws by the seed and the group's number."""
        self._policy = policy
        self._generator = np.random.default_rng([*seed, self.number])
        self._is_cloning = is_cloning
        self.buffer.reset()
        self.demonstrations.reset()

    def play(self, goes_on: GoesOn) -> bool:
        """Play until the rollout has all its decisions, or ``goes_on``, asked after each step, says no: then False."""
        while True:
            self._step()
            if self.buffer.is_full:
                return True
            if not goes_on():
                return False

    def _step(self) -> None:
        games = self._games
        acting = self._opponents.see_who_acts(games.state)
        rows, others = np.flatnonzero(acting == self.pool.learner), np.flatnonzero(acting != self.pool.learner)
        if len(rows):
            asked = games if len(rows) == len(games) else games.copy(rows)
            decisions = choose(self._policy, asked, self._generator.random(len(rows), np.float32))
            self._actions[rows] = decisions.actions.numpy()
            self.buffer.add(rows, asked.player, decisions)
        if len(others):
            self._actions[others] = self.pool.act(games, others, acting[others], self.number)
        if self._is_cloning and len(taught := np.flatnonzero(self.pool.teaches[acting])):
            self.demonstrations.add(as_tensor(games.copy(taught)), self._actions[taught])
        games.step(self._actions)
        finished = games.finished
        if finished.any():
            rows = np.flatnonzero(finished)
            self.buffer.end_games(rows, outcomes_of(games.copy(rows), self.pool.partition))
            self.rulesets.begin(games, finished, seed=None)

    def state_dict(self) -> dict[str, Any]:
        """Where the games stand and against whom, and the decisions that have no successor yet."""
        return {
            "states": as_tensor(self._games),
            "opponents": self._opponents.state_dict(),
            "waiting": self.buffer.state_dict(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        self._hold(as_games(saved["states"], self.rulesets.rulesets, threads=1))
        self._opponents.load_state_dict(saved["opponents"])
        self.buffer.load_state_dict(saved["waiting"])


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
        """Play a rollout, with returns and advantages; whether it has all its decisions.

        Args:
            seed: of what the policies draw.
            progress_remaining: the part of the run that is still to come, from 1 to 0.
            is_cloning: note demonstrations.
            goes_on: called now and then; False ends the rollout.
        """
        before = self.decisions
        is_stopped = self._play(seed, is_cloning, goes_on)
        learned, stopped = self.processes.sums(np.array([self._learned, is_stopped], float))
        self.decisions = before + int(learned)
        self._exchanged_games = None
        if self.processes.count > 1:  # now: the first one alone decides later if it saves them
            self._exchange_games()
        if stopped > 0:
            return False
        config = self.config
        weights = reward_weights(
            config.reward, config.final_reward, progress_remaining, config.players, len(config.sides)
        )
        self.rollout.compute_returns_and_advantages(weights)
        return True

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
            while wait(playing, _BETWEEN_CALLS).not_done and asked():
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
        self._exchanged_games = saved  # with processes that may be gone when they are asked for
