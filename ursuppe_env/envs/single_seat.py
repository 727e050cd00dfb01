"""Gymnasium environments of one learner among opponents: one game, or many at once."""

from collections.abc import Mapping
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.envs.learner import FRAMES_PER_SECOND, LearnerGames
from ursuppe_env.envs.options import LearnerOptions
from ursuppe_env.envs.rulesets import RulesetArgument
from ursuppe_env.line import quoted
from ursuppe_env.render.screen import RENDER_MODES
from ursuppe_env.validation import checked_array, checked_mask, checked_seed

_SEEDS = 2**63  # of the first game, if none is given

Info = dict[str, Any]


class UrsuppeEnv(LearnerGames, gymnasium.Env[NDArray[np.float32], np.int64]):
    """One game of Ursuppe in which the learner has one seat: ``gymnasium.make("ursuppe_env/Ursuppe-v0")``.

    With ``teams`` it has one team and decides for all its colours: ``gymnasium.make("ursuppe_env/UrsuppeDuel-v0")`` is
    the game of two players with two colours each. It sees and acts as the colour that decides: ``info["seat"]`` says
    which one, and ``info["own_seats"]``, (P,) int8, which seats are its own, counted from that seat as in observations.

    ``step`` takes the learner's action and lets the opponents act until the learner is asked again, or the game is
    over. Observations are (F,) float32, actions 0 ... A-1. The legal ones are in ``info["action_mask"]``, (A,) int8,
    which ``action_space.sample`` takes, and in ``action_masks()``, (A,) bool, which MaskablePPO asks for. The reward
    comes with the end of the game, whoever ends it, and is 0 before. An illegal action ends the game with reward -1.
    The ``info`` of the end has ``is_success``, whether the learner won, ``illegal_action``, whether that is how it
    ended, and ``markers``, (P,), the places on the track of the learner's seat and those after it. Where rulesets
    differ, ``info["ruleset"]`` is that of the game. A game is never truncated.

    Args:
        ruleset: a ``RulesetArgument``; default: 4 players, edition 1998.
        render_mode: "human", "rgb_array", "ansi" or None.
        **options: ``LearnerOptions``. One that contradicts the ruleset is a ``ValueError``, an unknown one a
            ``TypeError``.

    Attributes:
        games: the ``Games`` of one game; treat it as read-only.
        seats: (1,) int64, the learner's seat; with teams that of its colour that decides, or did last.
        teams: the ``Teams`` (``ursuppe_env.teams``), or None.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}

    def __init__(
        self, ruleset: RulesetArgument = None, *, render_mode: str | None = None, **options: Unpack[LearnerOptions]
    ) -> None:
        super().__init__(1, ruleset, 1, render_mode, self.metadata["render_modes"], **options)
        self.observation_space, self.action_space = self._spaces()
        self._last_action: str | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin a new game, and play until the learner is asked.

        Args:
            seed: 0 ... 2**64 - 1, fixes all chance and the learner's seat. Without one the first game's seed comes
                from the operating system, and later games follow from the first one's.
            options: accepted and ignored.
        """
        seed = None if seed is None else checked_seed("seed", seed)
        super().reset(seed=seed)
        if seed is None and not self._has_begun:
            seed = int(self.np_random.integers(_SEEDS))
        self._begin(np.ones(1, np.bool_), seed)
        self._last_action = None
        if self.render_mode == "human":
            self.render()
        return self._look()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Take the learner's action, and play until it is asked again or the game is over.

        Raises:
            ValueError: the action is not in the action space (nothing is changed then), or an opponent's is illegal.
            gymnasium.error.ResetNeeded: the game has not begun, or is over.
        """
        self._refuse_games_that_are_over()
        array = checked_array("action", action)
        if array.dtype.kind not in "iu" or array.ndim != 0:
            right = f"it must be one integer from 0 to {self.games.num_actions - 1}"
            raise ValueError(f"action is {quoted(action)}; {right}")
        seat = int(self.seats[0])
        terminated = bool(self._act([action])[0])
        self._last_action = self.games.actions.text(int(action), seat)
        if self.render_mode == "human":
            self.render()
        reward, info = 0.0, {}
        if terminated:
            outcome = self._outcome(np.zeros(1, np.int64))
            reward = float(outcome.rewards[0])
            info = {"is_success": bool(outcome.is_success[0]), "illegal_action": bool(outcome.illegal_action[0])}
            info["markers"] = outcome.markers[0]
        return self._look()[0], reward, terminated, False, self._info() | info

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) bool, True where an action is legal; all True once the game is over."""
        return super().action_masks()[0]

    def _info(self) -> Info:
        info: Info = {"action_mask": self._masks[0].copy()}
        if self.teams is not None:
            seat = int(self.seats[0])
            info |= {"seat": seat, "own_seats": self.teams.own_seats[seat].copy()}
        if self._source.varies:
            info["ruleset"] = self.games.ruleset_of(0)
        return info

    def render(self) -> str | NDArray[np.uint8] | None:
        """The board, the track and the players, and what the learner did last.

        (H, W, 3) uint8 with ``render_mode`` "rgb_array", text with "ansi"; with "human" it is shown, as each ``reset``
        and ``step`` does. ``ValueError``: the mode is None. ``RuntimeError``: there is neither notebook nor display.
        """
        return self._renderer.draw(self.games.state[0], self.games.ruleset_of(0), self._last_action)

    def close(self) -> None:
        """Close the window of ``render_mode`` "human"."""
        self._renderer.close()


class UrsuppeVectorEnv(LearnerGames, VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """N such games at once: ``gymnasium.make_vec("ursuppe_env/Ursuppe-v0", num_envs=N)``.

    Observations are (N, F) float32, actions (N,) integers, rewards (N,) float32; the infos have the keys of
    ``UrsuppeEnv`` in Gymnasium's form, ``infos["action_mask"]`` (N, A) int8 with ``infos["_action_mask"]`` (N,) bool;
    with teams ``infos["seat"]`` (N,) int64 and ``infos["own_seats"]`` (N, P) int8, likewise. Where rulesets differ,
    ``infos["ruleset_index"]`` (N,) says which of ``rulesets`` each game is played with; in ``final_info``, ``ruleset``
    (N,) has those of the games that ended.

    What follows the end of a game depends on ``autoreset_mode``, which ``metadata["autoreset_mode"]`` tells:

    - ``NEXT_STEP``, the default here as in Gymnasium: the last observation is given; the next step ignores the action,
      begins the next game, and gives reward 0. The mask between them allows every action.
    - ``SAME_STEP``: the next game begins in the same step. Its first observation and mask are given with the reward and
      the termination of the one that ended, whose last ones are in ``infos["final_obs"]`` and ``infos["final_info"]``.
      Gymnasium's wrappers of vector observations refuse it.
    - ``DISABLED``: the last observation is given; ``reset(options={"reset_mask": ...})`` must begin new games.

    Args:
        num_envs: N, at least 1.
        ruleset: a ``RulesetArgument``; default: 4 players, edition 1998.
        render_mode: "rgb_array", "ansi" or None.
        autoreset_mode: an ``AutoresetMode`` or its value, "SameStep", "NextStep" or "Disabled".
        threads: as for ``Games``.
        **options: ``LearnerOptions``. One that contradicts the ruleset is a ``ValueError``, an unknown one a
            ``TypeError``.

    Attributes:
        games: the ``Games``; treat it as read-only.
        seats: (N,) int64, the learner's seat in each game; with teams that of its colour that decides, or did last.
        teams: the ``Teams`` (``ursuppe_env.teams``), or None.
        autoreset_mode: the ``AutoresetMode``, which is also in ``metadata``.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array", "ansi"],
        "render_fps": FRAMES_PER_SECOND,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        ruleset: RulesetArgument = None,
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        **options: Unpack[LearnerOptions],
    ) -> None:
        super().__init__(num_envs, ruleset, threads, render_mode, self.metadata["render_modes"], **options)
        self.num_envs = len(self.games)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            values = ", ".join(repr(known.value) for known in AutoresetMode)
            raise ValueError(f"autoreset_mode is {quoted(autoreset_mode)}; it must be one of {values}") from None
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = self._spaces()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin new games, and play until the learner is asked.

        Args:
            seed: 0 ... 2**64 - 1: row i begins with the i-th game of this seed. Without one the seed of the first
                games comes from the operating system, and each row goes on to its next game later.
            options: ``{"reset_mask": mask}`` with (N,) bool begins new games in these rows only. It is a ``ValueError``
                if the mask is of another shape or dtype, or leaves out games at the first reset.
        """
        seed = None if seed is None else checked_seed("seed", seed)
        options = {} if options is None else options
        if not isinstance(options, Mapping):
            raise ValueError(f"options is {quoted(options)}; it must be a dict or None")
        mask = options.get("reset_mask", np.ones(self.num_envs, np.bool_))
        mask = checked_mask(mask, self.num_envs, "options['reset_mask']")
        if not self._has_begun and not mask.all():
            raise ValueError("options['reset_mask'] leaves out games, but none has begun; the first reset begins all")
        super().reset(seed=seed)
        if seed is None and not self._has_begun:
            seed = int(self.np_random.integers(_SEEDS))
        self._begin(mask, seed)
        return self._look(), self._infos(mask)

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Take the learner's actions, and play until it is asked again.

        Raises:
            ValueError: an action is not in the action space (nothing is changed then), or an opponent's is illegal.
            gymnasium.error.ResetNeeded: a game has not begun, or is over and is not reset automatically.
        """
        over = self._over.copy()
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP or not self._has_begun:
            self._refuse_games_that_are_over()
        ended = self._act(actions)
        rewards = np.zeros(self.num_envs, np.float32)
        infos: Info = {}
        if ended.any():
            infos = self._end(ended, rewards)
        if over.any():
            self._begin(over)
        return self._look(), rewards, ended, np.zeros(self.num_envs, np.bool_), infos | self._infos()

    def _end(self, ended: NDArray[np.bool_], rewards: NDArray[np.float32]) -> Info:
        """Fill in the rewards of the games that ended, and begin the next ones if that is due; returns the infos."""
        rows = np.flatnonzero(ended)
        outcome = self._outcome(rows)
        rewards[rows] = outcome.rewards
        final: Info = {}
        for key in ("is_success", "illegal_action", "markers"):
            values = getattr(outcome, key)
            final[key] = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            final[key][rows] = values
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return _masked(final, ended)
        for key, values in {"action_mask": np.ones_like(self._masks), **self._seen_from()}.items():
            values[~ended] = 0
            final[key] = values
        if self._source.varies:
            final["ruleset"] = np.full(self.num_envs, None, object)
            final["ruleset"][rows] = [self.games.ruleset_of(row) for row in rows.tolist()]
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(rows, self._look_at_end(rows), strict=True):
            observations[row] = observation
        self._begin(ended)
        return _masked({"final_obs": observations, "final_info": _masked(final, ended)}, ended)

    def _infos(self, rows: NDArray[np.bool_] | None = None) -> Info:
        """The infos of all games that go on, or of those of a mask."""
        infos = {"action_mask": self._masks.copy(), **self._seen_from()}
        if self._source.varies:
            infos["ruleset_index"] = self.games.ruleset_index
        return _masked(infos, np.ones(self.num_envs, np.bool_) if rows is None else rows)

    def _seen_from(self) -> dict[str, NDArray[Any]]:
        """With teams: the seats that are seen from, and which seats are of the same team."""
        if self.teams is None:
            return {}
        return {"seat": self.seats.copy(), "own_seats": self.teams.own_seats[self.seats]}

    def render(self) -> tuple[Any, ...]:
        """A picture of each game; see ``UrsuppeEnv.render``."""
        return tuple(self._pictures())


def _masked(values: Info, rows: NDArray[np.bool_]) -> Info:
    """Entries of a vector environment's infos, each with the mask of the games that have it."""
    return values | {f"_{key}": rows.copy() for key in values}
