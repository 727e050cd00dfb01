"""Who plays in the games of a group: drawn when a game begins, and kept to its end."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_env.teams import SCORES
from ursuppe_training.kernels import Chains, end_games, see_who_acts
from ursuppe_training.opponents.pool import OpponentPool

with extra("train"):
    import torch


@dataclass(eq=False)
class SeatedOpponents:
    """The opponents in the games of a group."""

    num_games: int  # N
    pool: OpponentPool  # whose weights and names count

    def __post_init__(self) -> None:
        num_games, players = self.num_games, self.pool.sides.players
        self._keys = np.zeros(num_games, np.uint64)
        self._seated = np.zeros((num_games, players), np.int64)
        self._outcomes = np.empty((players, 3), np.float32)
        self._acting = np.empty(num_games, np.int64)
        self._finished = np.empty(num_games, np.bool_)

    def see_who_acts(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        """Draw the opponents of new games; the (N,) numbers of who is about to act in the games in these states."""
        pool = self.pool
        drawn_by = pool.borders, pool.config.whole_tables, pool.sides.team_of, len(pool.sides)
        see_who_acts(states, *drawn_by, pool.learner, self._keys, self._seated, self._acting)
        return self._acting

    def end_games(self, states: NDArray[np.void], rules: NDArray[np.void], chains: Chains) -> NDArray[np.bool_]:
        """See which games are over, (N,), and note what became of their seats.

        Args:
            states: (N,) of the games.
            rules: (R,) their rulesets.
            chains: of the decisions in them.
        """
        sides, (last, _, is_final, finals) = self.pool.sides, chains
        ranked_by = sides.team_of, len(sides), SCORES.index(sides.score)
        end_games(states, rules, *ranked_by, last, is_final, finals, self._outcomes, self._finished)
        return self._finished

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The games, and who is in their seats."""
        keys, seats = self._keys.view(np.int64).copy(), self._seated.copy()
        return {"keys": torch.from_numpy(keys), "seats": torch.from_numpy(seats)}

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these."""
        self._keys.view(np.int64)[:] = saved["keys"]
        self._seated[:] = saved["seats"]
