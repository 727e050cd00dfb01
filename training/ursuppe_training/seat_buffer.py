"""The decisions of many games and seats, each seat's own trajectory with its advantages.

A decision's successor is the same seat's next one in that game, whoever acts in between; a game's last decision of a
seat is followed by the final reward, also if the game ends on somebody else's turn. A decision whose successor is not
yet known when a rollout ends waits for the next one.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples

_PER_DECISION = ("observations", "masks", "actions", "log_probs")  # as tensors


class _End(NamedTuple):
    """Games, (n,), ended with these rewards, (n, P)."""

    games: NDArray[np.int64]
    rewards: NDArray[np.float32]


class SeatBuffer:
    """Decisions to learn from, with the interface that ``MaskablePPO.train`` asks for.

    Args:
        buffer_size: decisions of a rollout; as many of one step more fit in.
        observation_space: of one seat; (F,).
        action_space: A actions.
        device: where the data are.
        gae_lambda: of the generalised advantage estimate.
        gamma: discount between two decisions of a seat.
        n_envs: not looked at; it belongs to the interface.
        num_games: N.
        players: P.

    Attributes:
        values: (M,) what the critic expected at the decisions of the rollout that is finished.
        returns: (M,) what it should have expected.
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
        self._discount = gamma
        self._fade = gamma * gae_lambda
        capacity = buffer_size + num_games + num_games * players  # with the last step, and those that waited
        self.observations = torch.empty((capacity, observation_space.shape[0]), device=device)
        self.masks = torch.empty((capacity, int(action_space.n)), dtype=torch.bool, device=device)
        self.actions = torch.empty(capacity, dtype=torch.int64, device=device)
        self.log_probs = torch.empty(capacity, device=device)
        self._values = np.empty(capacity, np.float32)
        self._games = np.empty(capacity, np.int64)
        self._seats = np.empty(capacity, np.int64)
        self._used = 0
        self._waiting = np.empty(0, np.int64)  # numbers of the decisions without a successor
        self.begin()

    def begin(self) -> None:
        """Begin a rollout with the decisions that wait for their successor."""
        count = len(self._waiting)
        for name in _PER_DECISION:
            tensor = getattr(self, name)
            tensor[:count] = tensor[self._waiting]
        for array in (self._values, self._games, self._seats):
            array[:count] = array[self._waiting]
        self._used = count
        self._full = count + self._size
        self._waiting = np.arange(count)
        self._history: list[slice | _End] = [slice(0, count)]  # decisions of one step, or the end of games

    @property
    def is_full(self) -> bool:
        """Are there as many new decisions as a rollout has?"""
        return self._used >= self._full

    def add(
        self,
        games: NDArray[np.int64],
        seats: NDArray[np.int64],
        observations: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        log_probs: torch.Tensor,
        values: NDArray[np.float32],
    ) -> None:
        """One decision in each of these n games; none of a game or seat comes twice in a step."""
        step = slice(self._used, self._used + len(games))
        self._used = step.stop
        self._history.append(step)
        self._games[step], self._seats[step], self._values[step] = games, seats, values
        self.observations[step], self.masks[step] = observations, masks
        self.actions[step], self.log_probs[step] = actions, log_probs

    def end(self, games: NDArray[np.int64], rewards: NDArray[np.float32]) -> None:
        """These n games ended after the last step, with these (n, P) rewards."""
        self._history.append(_End(games, rewards))

    def finish(self) -> None:
        """Work out the advantages of all decisions whose successor is known."""
        next_value, next_advantage, reward = (np.zeros(self._shape, np.float32) for _ in range(3))
        is_known = np.zeros(self._shape, np.bool_)
        advantages = np.zeros(self._used, np.float32)
        has_successor = np.zeros(self._used, np.bool_)
        for step in reversed(self._history):
            if isinstance(step, _End):
                is_known[step.games] = True
                next_value[step.games] = next_advantage[step.games] = 0
                reward[step.games] = step.rewards
                continue
            at = self._games[step], self._seats[step]
            surprise = reward[at] + self._discount * next_value[at] - self._values[step]
            has_successor[step] = is_known[at]
            advantages[step] = np.where(is_known[at], surprise + self._fade * next_advantage[at], 0)
            is_known[at] = True
            next_value[at], next_advantage[at], reward[at] = self._values[step], advantages[step], 0
        self._complete = np.flatnonzero(has_successor)
        self._waiting = np.flatnonzero(~has_successor)
        self.values = self._values[self._complete]
        self._advantages = advantages[self._complete]
        self.returns = self.values + self._advantages

    def get(self, batch_size: int) -> Iterator[MaskableRolloutBufferSamples]:
        """All decisions that are complete, in batches of about this size and random order."""
        device = self.observations.device
        where = torch.from_numpy(self._complete).to(device)
        values, advantages, returns = (
            torch.from_numpy(array).to(device) for array in (self.values, self._advantages, self.returns)
        )
        order = torch.randperm(len(where)).to(device)
        for batch in order.tensor_split(max(len(where) // batch_size, 1)):
            rows = where[batch]
            yield MaskableRolloutBufferSamples(
                observations=self.observations[rows],
                actions=self.actions[rows],
                old_values=values[batch],
                old_log_prob=self.log_probs[rows],
                advantages=advantages[batch],
                returns=returns[batch],
                action_masks=self.masks[rows],
            )

    # ------------------------------------------------------------------ resuming

    def state_dict(self) -> dict[str, torch.Tensor]:
        """The decisions that wait for their successor."""
        saved = {name: getattr(self, name)[self._waiting].clone() for name in _PER_DECISION}
        for name in ("_values", "_games", "_seats"):
            saved[name] = torch.from_numpy(getattr(self, name)[self._waiting])
        return saved

    def load_state_dict(self, saved: dict[str, torch.Tensor]) -> None:
        """Wait with these decisions."""
        count = len(saved["actions"])
        for name in _PER_DECISION:
            getattr(self, name)[:count] = saved[name]
        for name in ("_values", "_games", "_seats"):
            getattr(self, name)[:count] = saved[name].numpy()
        self._waiting = np.arange(count)
        self.begin()
