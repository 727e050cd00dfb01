"""Who plays in the games of a group: drawn when a game begins, and kept to its end."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.cuda.arrays import Array
from ursuppe_env.extras import extra
from ursuppe_env.teams import SCORES
from ursuppe_training.kernels import bodies
from ursuppe_training.kernels.memory import Chains, Memory, Shared
from ursuppe_training.opponents.pool import OpponentPool

with extra("train"):
    import torch


class SeatedOpponents:
    """The opponents in the games of a group.

    Args:
        num_games: N.
        pool: whose weights, names and networks count.
        memory: where the games are.

    Attributes:
        acting: (N,) int64 the number of who acts; NONE where a game stands still.
        networks: (N,) int64 which of the networks acts, the learning policy being the first; or NONE.
        scripts: (N, P) int64, in the place of the seat that acts: which of the scripted agents, or NONE.
        goes_on: (N,) bool, whether a game is to go on.
        learns: (N,) bool, whether the learning policy acts.
        teaches: (N,) bool, whether a teacher acts.
        who_plays: (N, P) int64 what the critic is told of who plays in each seat.
        finished: (N,) bool, which games are over.
        roles: (O, NUM_ROLES) in the processor's memory.

    All of these but the last are shared by kernels and torch.
    """

    roles: NDArray[np.int64]

    def __init__(self, num_games: int, pool: OpponentPool, memory: Memory) -> None:
        players = pool.sides.players
        self._pool = pool
        self._memory = memory
        self._keys = memory.filled((num_games,), np.uint64, 0)
        self._seated = memory.filled((num_games, players), np.int64, 0)
        self._outcomes = memory.empty((num_games, players, 3), np.float32)
        self._counted = memory.empty((num_games, bodies.NUM_COUNTS), np.int64)
        self._ones = torch.ones(num_games * bodies.NUM_COUNTS, dtype=torch.int64, device=memory.device)
        self.acting = memory.filled((num_games,), np.int64, bodies.NONE)
        self.networks = memory.filled((num_games,), np.int64, bodies.NONE)
        self.scripts = memory.filled((num_games, players), np.int64, bodies.NONE)
        self.goes_on = memory.filled((num_games,), np.bool_, False)
        self.learns = memory.filled((num_games,), np.bool_, False)
        self.teaches = memory.filled((num_games,), np.bool_, False)
        self.who_plays = memory.filled((num_games, players), np.int64, 0)
        self.finished = memory.filled((num_games,), np.bool_, False)
        self.begin_rollout()

    def begin_rollout(self) -> None:
        """Take the weights, names and networks of the pool as they are now."""
        pool, copied = self._pool, self._memory.kernels.from_host
        sides = copied(np.array([pool.whole_tables])), copied(pool.sides.team_of), len(pool.sides)
        self._drawn_by = copied(pool.borders), *sides, pool.learner
        self._ends_by = *sides, SCORES.index(pool.sides.score), pool.learner
        self.roles = pool.roles
        self._roles = copied(self.roles)
        room = bodies.NUM_COUNTS * len(self.roles) + 1
        self._wins = torch.zeros(room, dtype=torch.int64, device=self._memory.device)

    def see_who_acts(self, states: Array, counts: Shared) -> None:
        """Draw the opponents of new games, and see who is about to act.

        Args:
            states: (N,) of the games.
            counts: of their buffer.
        """
        written = (
            *(self._keys, self._seated, self.acting, self.networks, self.scripts),
            *(self.goes_on, self.learns, self.teaches, self.who_plays),
        )
        arrays = [shared.array for shared in written]
        self._memory.kernels.launch(
            bodies.see_who_acts, len(arrays[0]), states, counts.array, *self._drawn_by, self._roles, *arrays
        )

    def end_games(self, states: Array, rules: Array, chains: Chains) -> None:
        """See which games are over, note what became of their seats, and count who has won.

        Args:
            states: (N,) of the games.
            rules: (R,) their rulesets.
            chains: of their buffer.
        """
        last, _, is_final, finals = chains
        written = [shared.array for shared in (self._seated, last, is_final, finals, self._outcomes)]
        found = self._counted.array, self.finished.array
        self._memory.kernels.launch(
            *(bodies.end_game, len(self._ones) // bodies.NUM_COUNTS, states, rules, *self._ends_by),
            *(*written, len(self.roles), *found),
        )
        self._wins.index_add_(0, self._counted.tensor.flatten(), self._ones)

    def end_rollout(self) -> None:
        """Tell the pool who has won. Waits for the GPU."""
        self._pool.count(self._wins[:-1].view(bodies.NUM_COUNTS, -1).cpu().numpy())

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The games, and who is in their seats."""
        return {"keys": self._keys.tensor.view(torch.int64).cpu().clone(), "seats": self._seated.tensor.cpu().clone()}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these."""
        if len(saved["keys"]):  # there are none before the first rollout
            self._keys.tensor.view(torch.int64).copy_(saved["keys"])
            self._seated.tensor.copy_(saved["seats"])
