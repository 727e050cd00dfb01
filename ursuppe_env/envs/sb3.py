"""A Stable-Baselines3 ``VecEnv`` of one learner among opponents, all its games in one ``Games``."""

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from ursuppe_env.envs.opponents import Opponent, play_others
from ursuppe_env.envs.rewards import check_reward, final_rewards
from ursuppe_env.games import Games
from ursuppe_env.observation import observation_bounds
from ursuppe_env.rules.ruleset import Ruleset

Indices = int | Iterable[int] | None
StepReturn = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class UrsuppeVecEnv(VecEnv):
    """N games in which the learner has one seat and is asked for one action a game and step.

    After its actions the opponents act until each game waits for the learner again. A game that ends gives its reward
    and is followed by the row's next one, in a new seat. Use it with ``MaskablePPO``, which asks for the action masks.

    Args:
        num_envs: N, at least 1.
        ruleset: the numbers to play with; default: 4 players, edition 1998.
        seed: 0 ... 2**64 - 1, of the games and of the learner's seats. The same seed and actions give the same data.
        reward: "win", "rank" or "margin" (``ursuppe_env.envs.rewards``), given at the end of a game.
        seat: the learner's seat, 0 ... P-1; None: drawn for each game.
        opponent: who plays all other seats; None: uniformly random.
        threads: as for ``Games``.

    Raises:
        ValueError: an argument is out of its range; the message names it.

    Attributes:
        games: the ``Games``; treat it as read-only.
        seats: (N,) int64, the learner's seat in each game.
    """

    def __init__(
        self,
        num_envs: int,
        ruleset: Ruleset | None = None,
        seed: int = 0,
        reward: str = "win",
        seat: int | None = None,
        opponent: Opponent | None = None,
        threads: int | None = None,
    ) -> None:
        self.games = Games(num_envs, ruleset, seed=seed, threads=threads)
        players = self.games.num_players
        if seat is not None and (isinstance(seat, bool) or seat not in range(players)):
            raise ValueError(f"seat is {seat!r}; it must be 0 ... {players - 1}, or None for any")
        self.reward = check_reward(reward)
        self.seat = seat
        self.opponent = opponent
        self.seats = np.zeros(num_envs, np.int64)
        self.render_mode: str | None = None
        self._seed: int | None = seed  # for the next reset; None: go on with the streams
        self._generator = np.random.default_rng(seed)
        self._masks = np.zeros((num_envs, self.games.num_actions), np.int8)
        self._actions: NDArray[np.int64] | None = None
        self._decisions = np.zeros(num_envs, np.int64)  # of the learner, in the game under way
        self._started = time.perf_counter()
        low, high = observation_bounds(self.games.ruleset)
        super().__init__(num_envs, spaces.Box(low, high, dtype=np.float32), spaces.Discrete(self.games.num_actions))

    # ------------------------------------------------------------------ playing

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Begin this seed's games at the next ``reset``; None takes a seed from the operating system."""
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> NDArray[np.float32]:
        """Begin new games; returns the (N, F) observations of the learner's first decisions."""
        self._begin(np.ones(self.num_envs, np.bool_), self._seed)
        self._seed = None
        self._actions = None
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self._ask()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> StepReturn:
        """Take the actions and let the opponents act.

        Returns:
            Observations (N, F) float32 and rewards (N,) float32 of the learner, dones (N,) bool, and infos; that of a
            game that ended has ``terminal_observation`` (F,), seen from the learner's seat, ``episode`` with
            the sum of its rewards ``r``, number of its decisions ``l`` and seconds since the start ``t``, and
            ``is_success``, whether the learner won.

        Raises:
            ValueError: an action is illegal; nothing is changed then.
        """
        if self._actions is None:
            raise RuntimeError("step_wait() without step_async(actions)")
        actions, self._actions = self._actions, None
        self.games.step(actions)
        self._decisions += 1
        play_others(self.games, self.seats, self.opponent)
        done = self.games.finished
        rewards = np.zeros(self.num_envs, np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if done.any():
            self._end(np.flatnonzero(done), rewards, infos)
            self._begin(done)
        return self._ask(), rewards, done, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) bool, the legal actions of the decisions that the learner is asked for."""
        return self._masks.view(np.bool_)

    def _ask(self) -> NDArray[np.float32]:
        """The observations of the learner's decisions; their masks are kept for ``action_masks``."""
        self.games.legal(out=self._masks)
        if not self._masks.any(axis=1).all():  # MaskablePPO would take any action at all, without an error
            raise RuntimeError(f"game {int(self._masks.any(axis=1).argmin())} asks the learner but allows no action")
        return self.games.observe()

    def _end(self, rows: NDArray[np.int64], rewards: NDArray[np.float32], infos: list[dict[str, Any]]) -> None:
        """Fill in the rewards and infos of the games that are over."""
        seats = self.seats[rows]
        ended = self.games.copy(rows)
        rewards[rows] = final_rewards(self.reward, ended.markers, ended.ruleset)[np.arange(len(rows)), seats]
        won = ended.winner == seats
        seconds = round(time.perf_counter() - self._started, 6)
        for row, observation, is_success in zip(rows.tolist(), ended.observe(seats), won.tolist(), strict=True):
            episode = {"r": float(rewards[row]), "l": int(self._decisions[row]), "t": seconds}
            infos[row] = {"terminal_observation": observation, "episode": episode, "is_success": is_success}

    def _begin(self, rows: NDArray[np.bool_], seed: int | None = None) -> None:
        """Begin new games in the rows of this (N,) mask, and play until the learner is asked."""
        while rows.any():
            self.games.reset(rows, seed)
            if seed is not None:
                self._generator = np.random.default_rng(seed)
            if self.seat is None:
                self.seats[rows] = self._generator.integers(self.games.num_players, size=int(rows.sum()))
            else:
                self.seats[rows] = self.seat
            self._decisions[rows] = 0
            play_others(self.games, self.seats, self.opponent)
            rows, seed = self.games.finished, None  # over before the learner was asked: nothing to learn from

    # ------------------------------------------------------------------ what else a VecEnv must have

    def close(self) -> None:
        """Nothing to close."""

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute of the whole environment, once for each of the games asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the whole environment.

        Raises:
            ValueError: it is to be set for some of the games only.
        """
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"{attr_name} can only be set for all {self.num_envs} games, not for {indices!r}")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Call a method of the whole environment; its N results are those of the games.

        Raises:
            AttributeError: the only method with a result for each game is ``action_masks``.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the games of a UrsuppeVecEnv have no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks(*args, **kwargs)
        return [masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """False for each of the games: they are in no wrappers of their own."""
        return [False for _ in self._get_indices(indices)]
