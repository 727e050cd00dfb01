"""A Stable-Baselines3 ``VecEnv`` of one learner among opponents, all its games in one ``Games``."""

import time
import warnings
from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.envs.learner import LearnerGames
from ursuppe_env.envs.options import LearnerOptions
from ursuppe_env.envs.rulesets import RulesetArgument, seed_from_system
from ursuppe_env.extras import extra
from ursuppe_env.line import quoted

with extra("train"):
    from stable_baselines3.common.vec_env import VecEnv

Indices = int | Iterable[int] | None
_MAY_BE_SET = ("opponent", "reward", "seat", "team")
StepReturn = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]

_WITHOUT_MASKS = (
    "an illegal action has ended a game with reward -1, and nobody has asked for the action masks; evaluate a model "
    "that was trained with masks by sb3_contrib.common.maskable.evaluation.evaluate_policy or MaskableEvalCallback, "
    "not by those of stable_baselines3"
)


class UrsuppeVecEnv(LearnerGames, VecEnv):
    """N games in which the learner has one seat, or one team, and is asked for one action a game and step.

    After its actions the opponents act until each game waits for the learner again. A game that ends gives its reward
    and is followed by the row's next one, in a new seat. Use it with ``MaskablePPO``, which asks for the action masks:
    an illegal action ends the game with reward -1. Evaluate a model that was trained with masks by ``evaluate_policy``
    of ``sb3_contrib.common.maskable.evaluation`` or ``MaskableEvalCallback``: those of Stable-Baselines3 itself ask for
    no masks, so that nearly every game ends at once with -1. An illegal action where nobody has asked for the masks is
    a ``UserWarning`` that says so.

    Args:
        num_envs: N, at least 1.
        ruleset: a ``RulesetArgument``; default: 4 players, edition 1998.
        seed: 0 ... 2**64 - 1, of the games and of the learner's seats, or None for one from the operating system. The
            same seed and actions give the same data.
        threads: as for ``Games``.
        render_mode: "rgb_array" or None.
        **options: ``LearnerOptions``. An argument that is out of its range is a ``ValueError``, which names it.

    Attributes:
        games: the ``Games``; treat it as read-only.
        seats: (N,) int64, the learner's seat in each game; with teams that of its colour that decides, or did last.
        teams: the ``Teams`` (``ursuppe_env.teams``), or None.
    """

    def __init__(
        self,
        num_envs: int,
        ruleset: RulesetArgument = None,
        *,
        seed: int | None = 0,
        threads: int | None = None,
        render_mode: str | None = None,
        **options: Unpack[LearnerOptions],
    ) -> None:
        LearnerGames.__init__(self, num_envs, ruleset, threads, render_mode, ("rgb_array",), **options)
        VecEnv.__init__(self, num_envs, *self._spaces())
        self.seed(seed)
        self._actions: NDArray[np.int64] | None = None
        self._masks_asked = False  # since the last step
        self._decisions = np.zeros(num_envs, np.int64)  # of the learner, in the game under way
        self._started = time.perf_counter()

    # ------------------------------------------------------------------ playing

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Begin this seed's games at the next ``reset``, row i with its i-th; returns it once for each of the games.

        Args:
            seed: 0 ... 2**64 - 1; None takes one from the operating system.
        """
        seed = seed_from_system() if seed is None else seed
        self.games.reset(np.zeros(self.num_envs, np.bool_), seed)  # of no game: is it a seed?
        self._seed: int | None = int(seed)  # for the next reset; None: go on with the streams
        return [seed] * self.num_envs

    def reset(self) -> NDArray[np.float32]:
        """Begin new games; returns the (N, F) observations of the learner's first decisions."""
        self._begin(np.ones(self.num_envs, np.bool_), self._seed)
        self._seed = None
        self._actions = None
        self._decisions[:] = 0
        self._reset_options()
        return self._look()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> StepReturn:
        """Take the actions and let the opponents act.

        Returns:
            Observations (N, F) float32 and rewards (N,) float32 of the learner, dones (N,) bool, and infos. That of a
            game that ended has ``terminal_observation`` (F,), seen from the learner's seat, ``episode`` with the sum of
            its rewards ``r``, number of its decisions ``l`` and seconds since the start ``t``, ``is_success``, whether
            the learner won, ``illegal_action``, whether that is how it ended, ``markers`` (P,), the places on the track
            of the learner's seat and those after it, and ``TimeLimit.truncated``, which is False; where rulesets
            differ, ``ruleset``, too. Those of games that go on are empty.

        Raises:
            ValueError: an action is not in the action space (nothing is changed then), or an opponent's is illegal.
            gymnasium.error.ResetNeeded: the games have not begun.
        """
        if self._actions is None:
            raise RuntimeError("step_wait() without step_async(actions)")
        actions, self._actions = self._actions, None
        self._refuse_games_that_are_over()
        dones = self._act(actions)
        if not self._masks_asked and self._forfeited.any():
            warnings.warn(_WITHOUT_MASKS, stacklevel=3)  # who called step()
        self._masks_asked = False
        self._decisions += 1
        rewards = np.zeros(self.num_envs, np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            self._end(np.flatnonzero(dones), rewards, infos)
            self._begin(dones)
            self._decisions[dones] = 0
        return self._look(), rewards, dones, infos

    def _end(self, rows: NDArray[np.int64], rewards: NDArray[np.float32], infos: list[dict[str, Any]]) -> None:
        """Fill in the rewards and infos of the games that are over."""
        outcome = self._outcome(rows)
        rewards[rows] = outcome.rewards
        seconds = round(time.perf_counter() - self._started, 6)
        for i, (row, observation) in enumerate(zip(rows.tolist(), self._look_at_end(rows), strict=True)):
            infos[row] = {
                "terminal_observation": observation,
                "episode": {"r": float(outcome.rewards[i]), "l": int(self._decisions[row]), "t": seconds},
                "is_success": bool(outcome.is_success[i]),
                "illegal_action": bool(outcome.illegal_action[i]),
                "markers": outcome.markers[i],
                "TimeLimit.truncated": False,
            }
            if self._source.varies:
                infos[row]["ruleset"] = self.games.ruleset_of(row)

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) bool, True where an action is legal."""
        self._masks_asked = True
        return super().action_masks()

    # ------------------------------------------------------------------ what else a VecEnv must have

    def close(self) -> None:
        """Nothing to close."""

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """A picture of each game, (H, W, 3) uint8, with ``render_mode`` "rgb_array"; ``render`` tiles them."""
        return self._pictures()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """The attribute, once for each of the games asked for; of ``seats``, which has one for each, theirs."""
        value = getattr(self, attr_name)
        rows = self._rows(indices)
        return self.seats[rows].tolist() if attr_name == "seats" else [value for _ in rows]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set ``opponent``, ``reward``, ``seat`` or ``team`` of the whole environment.

        ``AttributeError``: it is none of these. ``ValueError``: it is to be set for some of the games only, or to what
        it cannot be.
        """
        if attr_name not in _MAY_BE_SET:
            raise AttributeError(f"{quoted(attr_name)} cannot be set; what can is {', '.join(_MAY_BE_SET)}")
        if len(set(self._rows(indices))) != self.num_envs:
            raise ValueError(f"{attr_name} can only be set for all {self.num_envs} games, not for {quoted(indices)}")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """Call a method of the games; they have one, ``action_masks``. ``AttributeError``: it is another one."""
        if method_name != "action_masks":
            what = f"no method {quoted(method_name)}, only 'action_masks'"
            raise AttributeError(f"the games of a UrsuppeVecEnv have {what}")
        masks = self.action_masks(*args, **kwargs)
        return [masks[row] for row in self._rows(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """False for each of the games: they are in no wrappers of their own."""
        return [False for _ in self._rows(indices)]

    def _rows(self, indices: Indices) -> list[int]:
        rows = [int(row) for row in self._get_indices(indices)]
        for row in rows:
            if not -self.num_envs <= row < self.num_envs:
                raise ValueError(f"indices has {row}; there are {self.num_envs} games")
        return [row % self.num_envs for row in rows]
