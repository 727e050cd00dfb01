"""A part of a run's games, which a thread plays while others play the rest."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.extras import extra
from ursuppe_training.networks.outcomes import outcomes_of
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.ppo.behaviour_cloning import TaughtDecisions
from ursuppe_training.ppo.buffer import SeatRolloutBuffer
from ursuppe_training.ppo.sampling import FrozenPolicy
from ursuppe_training.ppo.saved_games import as_games, as_tensor

with extra("train"):
    import torch

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
    """Games in which the policy and its opponents decide, one decision a game at a time.

    Groups share opponents' draws, which do not change during a rollout.

    Args:
        number: of the group among all.
        games: its games.
        rulesets: where those of the next games come from; this group's own, since threads share none.
        pool: of opponents.
        buffer: of the policy's decisions.
        taught: of the teachers' decisions.

    Attributes:
        number: of the group.
        games: its games.
        learned: decisions of this rollout that are learned from.
    """

    def __init__(
        self,
        number: int,
        games: Games,
        rulesets: RulesetSource,
        pool: OpponentPool,
        buffer: SeatRolloutBuffer,
        taught: TaughtDecisions,
    ) -> None:
        self.games = games
        self.number = number
        self._rulesets = rulesets
        self._pool = pool
        self._buffer = buffer
        self._taught = taught

    def begin_rollout(self, policy: FrozenPolicy, seed: Sequence[int], is_taught: bool) -> None:
        """Set what ``collect`` needs.

        Args:
            policy: that learns.
            seed: of what it draws, with the group's number.
            is_taught: note what teachers decide.
        """
        self._policy = policy
        self._generator = np.random.default_rng([*seed, self.number])
        self._is_taught = is_taught
        self.learned = 0
        self._buffer.reset()
        self._taught.reset()

    def collect(self, goes_on: Callable[[], bool]) -> None:
        """Play until the buffer has a rollout, as long as this function, asked before each step, returns True."""
        while not self._buffer.is_full and goes_on():
            self.learned += self._play_a_step()

    def _play_a_step(self) -> int:
        """One decision in each game; returns how many are learned from."""
        games = self.games
        players = self._pool.players(games, self.number)
        is_learner = self._pool.is_learner(players)
        learning, others = np.flatnonzero(is_learner), np.flatnonzero(~is_learner)
        actions = np.empty(len(games), np.int64)
        if len(learning):
            actions[learning] = self._choose(learning)
        if len(others):
            actions[others] = self._pool.act(games, others, players[others], self.number)
            if self._is_taught:
                self._note_teachers(others[self._pool.is_teacher(players[others])], actions)
        games.step(actions)
        self._end_games()
        return len(learning)

    def _choose(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw the policy's actions, (n,), in these rows, (n,), and add the decisions to the buffer."""
        asked = self.games if len(rows) == len(self.games) else self.games.copy(rows)
        seats = asked.state["player"].astype(np.int64)
        who_plays = self._pool.who_plays(self.games, rows, seats, self.number)
        decisions = self._policy.choose(asked, who_plays, self._generator.random(len(rows), np.float32))
        self._buffer.add(rows, seats, decisions)
        return decisions.actions.numpy()

    def _note_teachers(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note the actions of teachers, who act in these rows, (n,), among the (N,) actions."""
        if len(rows):
            inputs, masks = self._policy.observe(self.games.copy(rows))
            self._taught.add(inputs, torch.from_numpy(masks), torch.from_numpy(actions[rows]))

    def _end_games(self) -> None:
        """Note the outcomes of the games that are over, and begin the next ones."""
        finished = self.games.finished
        rows = np.flatnonzero(finished)
        if len(rows):
            self._buffer.end_games(rows, outcomes_of(self.games, rows, self._pool.teams))
            self._pool.note_ends(self.games, rows, self.number)
            self._rulesets.begin(self.games, finished, seed=None)

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, Any]:
        """Where the games stand and against whom, and the decisions that have no successor yet."""
        return {
            "states": as_tensor(self.games),
            "opponents": self._pool.seated(self.number).state_dict(),
            "waiting": self._buffer.state_dict(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        self.games = as_games(saved["states"], self._rulesets.rulesets, threads=1)
        self._pool.seated(self.number).load_state_dict(saved["opponents"])
        self._buffer.load_state_dict(saved["waiting"])
