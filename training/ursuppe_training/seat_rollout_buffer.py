"""A rollout buffer for many games and seats: each seat has its own trajectory, with returns and advantages.

A decision's successor is the same seat's next one in that game, regardless of who acts in between; a game's last
decision of a seat is followed by the final reward, even if the game ends on another player's turn. A decision whose
successor is not yet known when a rollout ends is carried over to the next one.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples

_TENSORS = ("observations", "action_masks", "actions", "log_probs")
_ARRAYS = ("_values", "_games", "_seats")


class _GameEnds(NamedTuple):
    """Games, (n,), that ended with these rewards, (n, P)."""

    games: NDArray[np.int64]
    rewards: NDArray[np.float32]


class SeatRolloutBuffer:
    """Decisions to learn from, with the interface that ``MaskablePPO.train`` needs.

    Args:
        buffer_size: decisions of a rollout; its last step may exceed it.
        observation_space: of one seat; (F,).
        action_space: A actions.
        device: of the data.
        gae_lambda: of generalised advantage estimation (GAE).
        gamma: discount between two decisions of a seat.
        n_envs: unused; part of the interface.
        num_games: N.
        players: P.

    Attributes:
        values: (M,) the critic's values of the decisions with a successor.
        returns: (M,) their TD(lambda) returns, which the critic learns.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Box,
        action_space: spaces.Discrete,
        device: torch.device,
        gae_lambda: float,
        gamma: float,
        n_envs: int,
        num_games: int,
        players: int,
    ) -> None:
        self._size = buffer_size
        self._shape = (num_games, players)
        self._gamma = gamma
        self._gae_lambda = gae_lambda
        capacity = buffer_size + num_games + num_games * players  # with the last step, and those carried over
        self.observations = torch.empty((capacity, observation_space.shape[0]), device=device)
        self.action_masks = torch.empty((capacity, int(action_space.n)), dtype=torch.bool, device=device)
        self.actions = torch.empty(capacity, dtype=torch.int64, device=device)
        self.log_probs = torch.empty(capacity, device=device)
        self._values = np.empty(capacity, np.float32)
        self._games = np.empty(capacity, np.int64)
        self._seats = np.empty(capacity, np.int64)
        self._used = 0
        self._pending = np.empty(0, np.int64)  # positions of the decisions without a successor
        self.reset()

    def reset(self) -> None:
        """Begin a rollout with the decisions that have no successor yet."""
        count = len(self._pending)
        for name in _TENSORS:
            tensor = getattr(self, name)
            tensor[:count] = tensor[self._pending]
        for array in (self._values, self._games, self._seats):
            array[:count] = array[self._pending]
        self._used = count
        self._full = count + self._size
        self._pending = np.arange(count)
        self._history: list[slice | _GameEnds] = [slice(0, count)]  # decisions of a step, or games that ended after it

    @property
    def is_full(self) -> bool:
        """Whether the rollout has all its new decisions."""
        return self._used >= self._full

    def add(
        self,
        games: NDArray[np.int64],
        seats: NDArray[np.int64],
        observations: torch.Tensor,
        action_masks: torch.Tensor,
        actions: torch.Tensor,
        log_probs: torch.Tensor,
        values: NDArray[np.float32],
    ) -> None:
        """Add one decision in each of these n games, which are all different."""
        step = slice(self._used, self._used + len(games))
        self._used = step.stop
        self._history.append(step)
        self._games[step], self._seats[step], self._values[step] = games, seats, values
        self.observations[step], self.action_masks[step] = observations, action_masks
        self.actions[step], self.log_probs[step] = actions, log_probs

    def end_games(self, games: NDArray[np.int64], rewards: NDArray[np.float32]) -> None:
        """Note that these n games ended after the last step, with these (n, P) rewards."""
        self._history.append(_GameEnds(games, rewards))

    def compute_returns_and_advantages(self) -> None:
        """Generalised advantage estimation, backwards through the rollout, for all decisions with a successor."""
        next_value, next_advantage, reward = (np.zeros(self._shape, np.float32) for _ in range(3))
        is_known = np.zeros(self._shape, np.bool_)
        advantages = np.zeros(self._used, np.float32)
        has_successor = np.zeros(self._used, np.bool_)
        decay = self._gamma * self._gae_lambda
        for step in reversed(self._history):
            if isinstance(step, _GameEnds):
                is_known[step.games] = True
                next_value[step.games] = next_advantage[step.games] = 0
                reward[step.games] = step.rewards
                continue
            at = self._games[step], self._seats[step]
            td_error = reward[at] + self._gamma * next_value[at] - self._values[step]
            has_successor[step] = is_known[at]
            advantages[step] = np.where(is_known[at], td_error + decay * next_advantage[at], 0)
            is_known[at] = True
            next_value[at], next_advantage[at], reward[at] = self._values[step], advantages[step], 0
        self._complete = np.flatnonzero(has_successor)
        self._pending = np.flatnonzero(~has_successor)
        self.values = self._values[self._complete]
        self._advantages = advantages[self._complete]
        self.returns = self.values + self._advantages

    def get(self, batch_size: int) -> Iterator[MaskableRolloutBufferSamples]:
        """All decisions with a successor, in random order and minibatches of about this size."""
        device = self.observations.device
        positions = torch.from_numpy(self._complete).to(device)
        values, advantages, returns = (
            torch.from_numpy(array).to(device) for array in (self.values, self._advantages, self.returns)
        )
        order = torch.randperm(len(positions)).to(device)
        for batch in order.tensor_split(max(len(positions) // batch_size, 1)):
            rows = positions[batch]
            yield MaskableRolloutBufferSamples(
                observations=self.observations[rows],
                actions=self.actions[rows],
                old_values=values[batch],
                old_log_prob=self.log_probs[rows],
                advantages=advantages[batch],
                returns=returns[batch],
                action_masks=self.action_masks[rows],
            )

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The decisions that have no successor yet."""
        saved = {name: getattr(self, name)[self._pending].clone() for name in _TENSORS}
        for name in _ARRAYS:
            saved[name] = torch.from_numpy(getattr(self, name)[self._pending])
        return saved

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Go on with these decisions."""
        count = len(saved["actions"])
        for name in _TENSORS:
            getattr(self, name)[:count] = saved[name]
        for name in _ARRAYS:
            getattr(self, name)[:count] = saved[name].numpy()
        self._pending = np.arange(count)
        self.reset()
