"""MaskablePPO that learns in one seat, or team, of each game, from the native ``VecEnv`` of Stable-Baselines3."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Ruleset
from ursuppe_env.envs.learner import Outcome
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.teams import Teams
from ursuppe_training.inputs import InputsView
from ursuppe_training.opponent_pool import OpponentPool
from ursuppe_training.outcomes import Reward, outcomes_of
from ursuppe_training.saved_games import as_games, as_tensor
from ursuppe_training.self_play_ppo import SelfPlayPPO


class RewardedVecEnv(UrsuppeVecEnv):
    """``UrsuppeVecEnv`` with the inputs of networks for observations, a reward that changes over a run, and opponents
    that hear who has won.

    Attributes:
        rewards: what the end of a game is worth; to be set.
        pool: that the opponents are of; None: those that are set hear nothing.
    """

    rewards: Reward
    pool: OpponentPool | None = None

    def __init__(
        self, num_envs: int, ruleset: Ruleset, seed: int, observe_rules: bool, teams: Teams | None = None
    ) -> None:
        if teams is None:
            super().__init__(num_envs, ruleset, seed)
        else:
            super().__init__(num_envs, ruleset, seed, teams=teams.seats, score=teams.score)
        self._view = InputsView(observe_rules)
        self.observation_space = self._view.space(self._source)

    def _final_rewards(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        of_each = outcomes_of(self.games, rows, self.teams)[:, :, 0]
        if self.teams is not None:
            of_each = of_each[:, self.teams.first_seats]
        return of_each @ self.rewards.weights + np.float32(self.rewards.offset)

    def _outcome(self, rows: NDArray[np.int64]) -> Outcome:
        if self.pool is not None:
            self.pool.note_ends(self.games, rows, seats=self.seats[rows])
        return super()._outcome(rows)


class OneSeatPPO(SelfPlayPPO):
    """MaskablePPO whose games can be saved; the opponent pool plays the other seats, the present policy's too."""

    games_env: RewardedVecEnv

    def saved_games(self) -> dict[str, Any]:
        """Where the games stand and against whom, and where the learner sits."""
        assert self._last_episode_starts is not None
        return {
            "states": as_tensor(self.games_env.games),
            "opponents": self.opponent_pool.seated().state_dict(),
            "seats": self.games_env.seats.tolist(),
            "starts": self._last_episode_starts.tolist(),
        }

    def restore_games(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        games = as_games(saved["states"], self.games_env.games.ruleset)
        self.opponent_pool.seated().load_state_dict(saved["opponents"])
        self._last_obs = self.games_env.go_on_from(games, np.array(saved["seats"]))
        self._last_episode_starts = np.array(saved["starts"])
