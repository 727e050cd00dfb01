"""Many games and all their seats: one decision a game and step, in arrays."""

from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.envs.options import EnvironmentOptions, check_options
from ursuppe_env.envs.rewards import final_rewards
from ursuppe_env.envs.rulesets import RulesetArgument, rulesets_of, seed_from_system
from ursuppe_env.games import Games
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.validation import aligned_empty, check_output, checked_flag, checked_integers, checked_mask


class TimeStep(NamedTuple):
    """What ``reset`` and ``step`` of ``UrsuppeVector`` give; one row a game.

    Attributes:
        observations: (N, F) float32, or of the dtype that is asked for, seen by the player who decides.
        action_mask: (N, A) int8, 1 where the action is legal; never empty: all 1 where a game is over.
        current_player: (N,) int8, the player who decides; -1 where a game is over.
        rewards: (N, P) float32, of every player for this step; 0 unless it ended the game. With teams (N, T), of every
            team.
        terminated: (N,) bool, is the game over, or was it until it was followed by the row's next one?
    """

    observations: NDArray[Any]
    action_mask: NDArray[np.int8]
    current_player: NDArray[np.int8]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]


class UrsuppeVector:
    """N games in which every decision of every player is asked for: for self-play.

    ``step`` takes one action in each game, that of ``current_player``. With ``autoreset`` a game that ends is followed
    at once by the row's next one: its row has ``terminated`` True and the ``rewards`` of the game that ended, but
    ``observations``, ``action_mask`` and ``current_player`` of the first decision of the new one; the final positions
    are in ``final_games``. Without it a finished game stays: ``terminated`` stays True, its rewards are given once, its
    observation is 0, and every action is allowed and ignored, until ``reset(mask=...)``.

    Args:
        num_games: N, at least 1.
        ruleset: a ``RulesetArgument``; default: 4 players, edition 1998.
        autoreset: follow a finished game by the row's next one.
        threads: as for ``Games``.
        **options: ``EnvironmentOptions``. Teams are for the rewards; decisions are those of the single colours all the
            same. An argument that is out of its range is a ``ValueError``, which names it.

    Attributes:
        teams: the ``Teams`` (``ursuppe_env.teams``), or None. ``teams.team_of[current_player]`` are the teams that
            decide, ``teams.own_seats[current_player]`` (N, P) which seats are theirs, counted as in the observations.
        games: the ``Games``, in which everything about the positions can be looked up; treat it as read-only.
        final_games: with ``autoreset``, the games that the last step ended, in the order of their rows, which are
            ``terminated``; None if it ended none. ``final_games.observe(seat)`` gives (n, F) terminal observations.
    """

    def __init__(
        self,
        num_games: int,
        ruleset: RulesetArgument = None,
        *,
        autoreset: bool = True,
        threads: int | None = None,
        **options: Unpack[EnvironmentOptions],
    ) -> None:
        self._source, self._view, self.reward, self.teams = check_options(ruleset, **options)
        self.games = Games(num_games, self._source.rulesets, threads=threads)
        self.autoreset = checked_flag("autoreset", autoreset)
        self.final_games: Games | None = None
        self._finished: NDArray[np.bool_] | None = None  # after the last step; None before the first reset
        self._own = self.buffers()

    @property
    def num_players(self) -> int:
        """P, the number of players."""
        return self.games.num_players

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rulesets that games are played with; a function's are here as long as a game is."""
        return self.games.rulesets

    @property
    def ruleset_index(self) -> NDArray[np.int32]:
        """(N,) which of ``rulesets`` each game is played with."""
        return self.games.ruleset_index

    @property
    def num_actions(self) -> int:
        """A, the number of action ids."""
        return self.games.num_actions

    @property
    def observation_size(self) -> int:
        """F, the length of an observation."""
        return self._view.size(self.num_players)

    def observation_bounds(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The smallest and largest value of each number of an observation, whatever the ruleset: two (F,) arrays."""
        return self._view.bounds(self._source)

    def buffers(self) -> TimeStep:
        """New arrays of the right shapes and dtypes for ``out``; their contents mean nothing yet."""
        n = len(self.games)
        return TimeStep(
            observations=aligned_empty((n, self.observation_size), self._view.dtype),
            action_mask=aligned_empty((n, self.num_actions), np.int8),
            current_player=np.empty(n, np.int8),
            rewards=np.empty((n, self.num_players if self.teams is None else len(self.teams)), np.float32),
            terminated=np.empty(n, np.bool_),
        )

    def reset(self, seed: int | None = None, mask: ArrayLike | None = None, out: TimeStep | None = None) -> TimeStep:
        """Begin new games in all rows, or in those of a mask; returns their first decisions, with rewards of 0.

        Args:
            seed: 0 ... 2**64 - 1: begin this seed's games, row i with its i-th. None: each row goes on to its next
                game; at the first reset of all, the seed comes from the operating system.
            mask: (N,) bool, the rows to begin anew; the others stay as they are. The first reset has none.
            out: as for ``step``.

        Raises:
            ValueError: an argument is out of its range; nothing is changed then.
        """
        out = self._checked(out)
        if self._finished is None:
            if mask is not None:
                raise ValueError("the first reset begins all games; it must be without a mask")
            seed = seed_from_system() if seed is None else seed
        self._source.begin(self.games, None if mask is None else checked_mask(mask, len(self.games)), seed)
        self.final_games = None
        self._finished = self.games.finished
        out.rewards.fill(0)
        out.terminated[:] = self._finished
        return self._ask(out)

    def step(self, actions: ArrayLike, out: TimeStep | None = None) -> TimeStep:
        """Take one action in each game.

        Args:
            actions: (N,) integers, one a game; those of finished games are ignored.
            out: ``buffers()`` to write into and to return. None: the environment's own, which the next ``reset`` or
                ``step`` overwrites.

        Raises:
            ValueError: an action is illegal, or an argument of the wrong kind; nothing is changed then. (The error of
                a function that gives rulesets comes when games have moved: only ``reset`` helps.)
            RuntimeError: there was no ``reset`` before.
        """
        if self._finished is None:
            raise RuntimeError("step before reset; call reset() first")
        out = self._checked(out)
        before = self._finished
        if not self.autoreset:  # those of finished games are ignored, which ``Games`` does not
            actions = np.where(before, -1, checked_integers("actions", actions, len(before)))
        self.games.step(actions)
        finished = self.games.finished
        out.terminated[:] = finished
        out.rewards.fill(0)
        self.final_games = None
        if finished.any():
            self._end(finished, finished & ~before, out)
        return self._ask(out)

    def _end(self, finished: NDArray[np.bool_], ended: NDArray[np.bool_], out: TimeStep) -> None:
        """Fill in the rewards of the games that the step ended; begin the next ones, or mark what is over."""
        rows = np.flatnonzero(ended)
        if rows.size > 0:
            final = self.games.copy(rows)
            out.rewards[rows] = final_rewards(self.reward, final.markers, rulesets_of(final), teams=self.teams)
            if self.autoreset:
                self._source.begin(self.games, ended, None)
                self.final_games = final
        if not self.autoreset:
            self._finished = finished

    def _ask(self, out: TimeStep) -> TimeStep:
        """Fill in the decisions that the games stand at."""
        self._view.of(self.games, out=out.observations, masks=out.action_mask)
        out.current_player[:] = self.games.state["player"]
        if not self.autoreset:
            out.action_mask[out.terminated] = 1
        return out

    def _checked(self, out: TimeStep | None) -> TimeStep:
        """The arrays to write into: those given, if all are right, or the environment's own."""
        if out is None:
            return self._own
        if not isinstance(out, TimeStep):
            raise ValueError(f"out is a {type(out).__name__}; it must be a TimeStep, as buffers() makes it")
        right: tuple[NDArray[Any], ...] = self._own
        for name, array, own in zip(TimeStep._fields, out, right, strict=True):
            check_output(array, own.shape, own.dtype, f"out.{name}")
        return out
