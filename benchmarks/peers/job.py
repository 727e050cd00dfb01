"""The job that every trainer does: its games, as the peers take them, and the watch that is held on it."""

import time
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray
from stable_baselines3.common.vec_env import VecEnv

from ursuppe_agents import make_agent
from ursuppe_env import Games, UrsuppeVector
from ursuppe_env.envs.options import View
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.envs.sb3 import Indices, StepReturn, UrsuppeVecEnv
from ursuppe_env.rules.state import STATE
from ursuppe_training.config import SELF, TrainingConfig, read_config

THREADS = 2  # for all of them
ITERATIONS = 2  # rollouts with their updates, from nothing; the first one does not count
_ROLLOUT = 128  # decisions of each game; PufferLib's minibatches are of whole rows of them

#: Who learns, and who plays in the other seats: the same policy, which learns there as well, or an agent.
SEATS = {"every seat": SELF, "one seat": "random"}


class Times(NamedTuple):
    """Seconds of a rollout and of the update after it."""

    collecting: float
    updating: float


class Measured(NamedTuple):
    """What a trainer took for the job, one entry an iteration, and the weights that its network has."""

    times: list[Times]
    weights: int


class Watch:
    """Tells collecting and updating apart in a loop that does them by turns."""

    def __init__(self) -> None:
        self._began: list[float] = []  # collecting, updating, collecting, ...

    def collecting(self) -> None:
        """The trainer collects, from now on or still."""
        if len(self._began) % 2 == 0:
            self._began.append(time.perf_counter())

    def updating(self) -> None:
        """The trainer updates, from now on or still."""
        if len(self._began) % 2 == 1:
            self._began.append(time.perf_counter())

    def stop(self) -> list[Times]:
        """The last update is over; all times."""
        ends = [*self._began[1:], time.perf_counter()]
        seconds = [end - began for began, end in zip(self._began, ends, strict=True)]
        return [Times(*pair) for pair in zip(seconds[::2], seconds[1::2], strict=True)]


def job(seats: str) -> TrainingConfig:
    """The network, epochs and minibatches of ``standard``, with the cheapest opponents; one of ``SEATS``."""
    settings = {"opponents": {SEATS[seats]: 1.0}, "teachers": (), "rulesets": "given", "rollout": _ROLLOUT}
    config = read_config("standard").changed(settings)
    return config.changed({"steps": ITERATIONS * decisions(config)})


def decisions(config: TrainingConfig) -> int:
    """That are learned from in an iteration."""
    return config.rollout * config.envs


def vec_env(config: TrainingConfig) -> VecEnv:
    """The games of a job."""
    [opponent] = config.opponents
    return EverySeatVecEnv(config) if opponent == SELF else OneSeatVecEnv(config, opponent)


class States(View):
    """The bytes of a game's state, of which our network is made its inputs, in place of an observation."""

    def __init__(self) -> None:
        super().__init__(False, np.float32)

    def size(self, players: int) -> int:
        return STATE.itemsize

    def bounds(self, source: RulesetSource) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.zeros(STATE.itemsize, np.float32), np.full(STATE.itemsize, 255, np.float32)

    def of(
        self,
        games: Games,
        seat: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
        masks: NDArray[np.int8] | None = None,
    ) -> NDArray[Any]:
        states = games.state.view(np.uint8).reshape(len(games), STATE.itemsize)
        if masks is not None:
            masks[:] = games.legal()
        if out is None:
            return states.astype(np.float32)
        out[:] = states
        return out


class OneSeatVecEnv(UrsuppeVecEnv):
    """``UrsuppeVecEnv`` with states for observations: a learner among agents."""

    def __init__(self, config: TrainingConfig, opponent: str) -> None:
        act = make_agent(opponent, config.seed).act
        super().__init__(config.envs, config.ruleset, seed=config.seed, opponent=act, reward=config.reward)
        self._view = States()
        self.observation_space = self._view.space(self._source)


class EverySeatVecEnv(VecEnv):
    """Each step is a decision of whoever is about to act in a game; its reward is that player's own.

    For measuring only: a trainer that takes the next row for the next state of the same player credits players with
    what others did.
    """

    def __init__(self, config: TrainingConfig) -> None:
        self._games = UrsuppeVector(config.envs, config.ruleset, reward=config.reward)
        self._seed = config.seed
        self.render_mode = None
        space = spaces.Box(0, 255, (STATE.itemsize,), np.float32)
        super().__init__(config.envs, space, spaces.Discrete(self._games.num_actions))

    def reset(self) -> NDArray[np.float32]:
        self._now = self._games.reset(self._seed)
        return self._look()

    def _look(self) -> NDArray[np.float32]:
        return States().of(self._games.games)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> StepReturn:
        actors = self._now.current_player.astype(np.int64)
        self._now = self._games.step(self._actions)
        rewards = self._now.rewards[np.arange(self.num_envs), actors]
        return self._look(), rewards, self._now.terminated.copy(), [{} for _ in actors]

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) bool, True where an action is legal."""
        return self._now.action_mask.astype(np.bool_)

    def close(self) -> None:
        """Nothing to close."""

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        return list(getattr(self, method_name)(*args, **kwargs))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        return [False] * self.num_envs


class MaskedGames:
    """A job's games as CleanRL uses Gymnasium's vectors; masks stand behind observations, for a network."""

    def __init__(self, config: TrainingConfig) -> None:
        self._env = vec_env(config)
        box = self._env.observation_space
        assert isinstance(box, spaces.Box)
        self.single_action_space = spaces.Discrete(self._env.action_space.n)  # type: ignore[attr-defined]
        actions = np.ones(self.single_action_space.n, np.float32)
        low, high = np.append(box.low, 0 * actions), np.append(box.high, actions)
        self.single_observation_space = spaces.Box(low, high, dtype=np.float32)  # a state, and 1 for each legal action

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin; (N, S + A) what is seen."""
        return self._with_masks(self._env.reset()), {}

    def step(self, actions: NDArray[np.integer[Any]]) -> tuple[Any, ...]:
        """What is seen then, (N,) rewards, whether games ended, and whether they were cut short: never."""
        observations, rewards, dones, _ = self._env.step(actions.astype(np.int64))
        return self._with_masks(observations), rewards, dones, 0 * dones, {}

    def close(self) -> None:
        """Nothing to close."""

    def _with_masks(self, observations: Any) -> NDArray[np.float32]:
        return np.concatenate([observations, self._env.action_masks()], axis=1, dtype=np.float32)  # type: ignore[attr-defined]
