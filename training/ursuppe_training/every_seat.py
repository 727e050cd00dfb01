"""MaskablePPO that learns from the decisions of all seats that its policy has, in every game."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from ursuppe_env import Games
from ursuppe_training.lessons import Lessons
from ursuppe_training.paced import PacedPPO
from ursuppe_training.saved_games import as_games, as_tensor
from ursuppe_training.seat_buffer import SeatBuffer


class EverySeatPPO(PacedPPO):
    """The losses of MaskablePPO on trajectories of all seats.

    It steps ``games`` itself, one decision a game at a time; of the environment that Stable-Baselines3 wants, only the
    spaces matter.
    """

    games: Games
    lessons: Lessons
    lesson_weight: float = 0.0  # 0: there are none
    rollout_buffer: SeatBuffer  # type: ignore[assignment]

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._beside = ThreadPoolExecutor(1)  # opponents decide there while the policy decides here

    def collect_rollouts(  # type: ignore[override]
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: SeatBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play until the buffer has a rollout; False if the callback stops it."""
        self.policy.set_training_mode(False)
        rollout_buffer.begin()
        self.lessons.begin()
        callback.on_rollout_start()
        while not rollout_buffer.is_full:
            self.num_timesteps += self._play_a_step(rollout_buffer)
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.finish()
        callback.on_rollout_end()
        return True

    def _play_a_step(self, buffer: SeatBuffer) -> int:
        """One decision in each game; returns how many are learned from."""
        games = self.games
        is_learning = self.mixture.is_learning(games)
        learning, others = np.flatnonzero(is_learning), np.flatnonzero(~is_learning)
        actions = np.empty(len(games), np.int64)
        theirs = self._beside.submit(self.mixture.act, games, others)
        if len(learning):
            actions[learning] = self._choose(buffer, learning)
        actions[others] = theirs.result()
        if len(others):
            self._watch(others[self.mixture.is_teaching(games, others)], actions)
        games.step(actions)
        self._end_games(buffer)
        return len(learning)

    def train(self) -> None:
        """Update the policy by what came out of its decisions, then by what its teachers did."""
        super().train()
        if self.lesson_weight > 0:
            self.lessons.learn(self.policy, self.lesson_weight)

    def _watch(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note what teachers do in these rows, (n,), of the (N,) actions."""
        if self.lesson_weight > 0 and len(rows):
            watched = self.games.copy(rows)
            self.lessons.add(*self._seen(watched), torch.as_tensor(actions[rows], device=self.device))

    def _seen(self, games: Games) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, F) observations and (n, A) masks of who is about to act."""
        observations = torch.as_tensor(games.observe(), device=self.device)
        return observations, torch.as_tensor(games.legal().view(np.bool_), device=self.device)

    def _choose(self, buffer: SeatBuffer, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw the actions, (n,), of the present policy in these rows, (n,), and note the decisions."""
        asked = self.games if len(rows) == len(self.games) else self.games.copy(rows)
        observations, masks = self._seen(asked)
        with torch.no_grad():
            actions, values, log_probs = self.policy(observations, action_masks=masks)
        seats = asked.state["player"].astype(np.int64)
        buffer.add(rows, seats, observations, masks, actions, log_probs, values[:, 0].cpu().numpy())
        return actions.cpu().numpy()

    def _end_games(self, buffer: SeatBuffer) -> None:
        """Give the games that are over their rewards, and begin the next ones."""
        finished = self.games.finished
        rows = np.flatnonzero(finished)
        if len(rows):
            buffer.end(rows, self.reward.of(self.games, rows))
            self.games.reset(finished)

    # ------------------------------------------------------------------ resuming

    def saved_games(self) -> dict[str, Any]:
        """Where the games stand, and the decisions that wait for their successor."""
        return {"states": as_tensor(self.games), "waiting": self.rollout_buffer.state_dict()}

    def restore_games(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        self.games = as_games(saved["states"], self.games.ruleset)
        self.rollout_buffer.load_state_dict(saved["waiting"])
