"""A part of a run's games, which are played side by side, one decision a game at a time."""

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_env import Games
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.networks.critic import outcomes_of
from ursuppe_training.opponents import OpponentPool, SeatedOpponents
from ursuppe_training.ppo.buffer import DemonstrationBuffer, SeatRolloutBuffer, as_games, as_tensor
from ursuppe_training.ppo.learner import choose

#: Games of a group: enough for a network to be asked about at once. There are two groups at least.
GAMES_IN_A_GROUP = 256
_FEWEST_GROUPS = 2


def groups_of(num_games: int, processes: int) -> list[NDArray[np.int64]]:
    """The numbers of the games of each group; whatever the threads, these are the same. A process has one at least.

    Raises:
        ValueError: there are fewer games than processes.
    """
    if num_games < processes:
        raise ValueError(f"envs is {num_games}; {processes} processes need at least one game each")
    groups = min(max(_FEWEST_GROUPS, num_games // GAMES_IN_A_GROUP, processes), num_games)
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

    def play(self, goes_on: Callable[[], bool]) -> bool:
        """Play until the rollout has all its decisions, or ``goes_on``, asked after each step, says no: then False."""
        while True:
            self._step()
            if self.buffer.is_full:
                return True
            if not goes_on():
                return False

    def _step(self) -> None:
        games, opponents = self._games, self._opponents
        acting = opponents.see_who_acts(games.state)
        learns = acting == self.pool.learner
        self._decide(np.flatnonzero(learns))
        others = np.flatnonzero(~learns)
        if len(others):
            self._actions[others] = self.pool.act(games, others, acting[others], self.number)
        if self._is_cloning and len(taught := np.flatnonzero(self.pool.teaches[acting])):
            self.demonstrations.add(as_tensor(games.copy(taught)), self._actions[taught])
        games.step(self._actions)
        finished = games.finished
        if finished.any():
            rows = np.flatnonzero(finished)
            self.buffer.end_games(rows, outcomes_of(games.copy(rows), self.pool.config.partition))
            self.rulesets.begin(games, finished, seed=None)

    def _decide(self, rows: NDArray[np.int64]) -> None:
        """Let the policy choose in these rows, (m,), and note the decisions."""
        if not len(rows):
            return
        asked = self._games if len(rows) == len(self._games) else self._games.copy(rows)
        decisions = choose(self._policy, asked, self._generator.random(len(rows), np.float32))
        self._actions[rows] = decisions.actions.numpy()
        self.buffer.add(rows, asked.player, decisions)

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
