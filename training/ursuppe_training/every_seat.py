"""MaskablePPO that learns from the decisions of all seats that its policy has, in every game."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from ursuppe_env import Games
from ursuppe_training.behaviour_cloning import BehaviourCloning
from ursuppe_training.saved_games import as_games, as_tensor
from ursuppe_training.seat_rollout_buffer import SeatRolloutBuffer
from ursuppe_training.self_play_ppo import SelfPlayPPO


class EverySeatPPO(SelfPlayPPO):
    """The losses of MaskablePPO on trajectories of all seats.

    It steps ``games`` itself, one decision a game at a time; of the environment that Stable-Baselines3 needs, it uses
    only the spaces.
    """

    games: Games
    observe_rules: bool
    cloning: BehaviourCloning
    cloning_weight: float = 0.0
    rollout_buffer: SeatRolloutBuffer  # type: ignore[assignment]

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._opponents_thread = ThreadPoolExecutor(1)  # they decide there while the policy decides here

    def collect_rollouts(  # type: ignore[override]
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: SeatRolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play until the buffer has a rollout; False if the callback stops it."""
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        self.cloning.reset()
        callback.on_rollout_start()
        while not rollout_buffer.is_full:
            self.num_timesteps += self._play_a_step(rollout_buffer)
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.compute_returns_and_advantages()
        callback.on_rollout_end()
        return True

    def _play_a_step(self, buffer: SeatRolloutBuffer) -> int:
        """One decision in each game; returns how many are learned from."""
        games = self.games
        is_learner = self.opponent_pool.is_learner(games)
        learning, others = np.flatnonzero(is_learner), np.flatnonzero(~is_learner)
        actions = np.empty(len(games), np.int64)
        theirs = self._opponents_thread.submit(self.opponent_pool.act, games, others)
        if len(learning):
            actions[learning] = self._choose(buffer, learning)
        actions[others] = theirs.result()
        if len(others):
            self._add_teachers(others[self.opponent_pool.is_teacher(games, others)], actions)
        games.step(actions)
        self._end_games(buffer)
        return len(learning)

    def train(self) -> None:
        """Update the policy from its own decisions with PPO, then from its teachers' by behaviour cloning."""
        super().train()
        if self.cloning_weight > 0:
            self.cloning.train(self.policy, self.cloning_weight)

    def _add_teachers(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note the actions of teachers, who act in these rows, (n,), among the (N,) actions."""
        if self.cloning_weight > 0 and len(rows):
            self.cloning.add(*self._observe(self.games.copy(rows)), torch.as_tensor(actions[rows], device=self.device))

    def _observe(self, games: Games) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, F) observations and (n, A) action masks of the players about to act."""
        observations = torch.as_tensor(games.observe(rules=self.observe_rules), device=self.device)
        return observations, torch.as_tensor(games.legal().view(np.bool_), device=self.device)

    def _choose(self, buffer: SeatRolloutBuffer, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw the policy's actions, (n,), in these rows, (n,), and add the decisions to the buffer."""
        asked = self.games if len(rows) == len(self.games) else self.games.copy(rows)
        observations, masks = self._observe(asked)
        with torch.no_grad():
            actions, values, log_probs = self.policy(observations, action_masks=masks)
        seats = asked.state["player"].astype(np.int64)
        buffer.add(rows, seats, observations, masks, actions, log_probs, values[:, 0].cpu().numpy())
        return actions.cpu().numpy()

    def _end_games(self, buffer: SeatRolloutBuffer) -> None:
        """Note the rewards of the games that are over, and begin the next ones."""
        finished = self.games.finished
        rows = np.flatnonzero(finished)
        if len(rows):
            buffer.end_games(rows, self.reward.of(self.games, rows))
            self.games.reset(finished)

    # ------------------------------------------------------------------ resuming

    def saved_games(self) -> dict[str, Any]:
        """Where the games stand, and the decisions that have no successor yet."""
        return {"states": as_tensor(self.games), "waiting": self.rollout_buffer.state_dict()}

    def restore_games(self, saved: dict[str, Any]) -> None:
        """Go on with these games."""
        self.games = as_games(saved["states"], self.games.ruleset)
        self.rollout_buffer.load_state_dict(saved["waiting"])
