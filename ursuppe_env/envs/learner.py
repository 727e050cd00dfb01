"""What the environments for one learner share: N games, in each of which it has one seat, or team, among opponents."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.envs.opponents import Opponents, check_opponents, play_others
from ursuppe_env.envs.options import EnvironmentOptions, LearnerOptions, check_options
from ursuppe_env.envs.rewards import ILLEGAL_ACTION_REWARD, check_reward, final_rewards
from ursuppe_env.envs.rulesets import RulesetArgument, rulesets_of
from ursuppe_env.games import Games
from ursuppe_env.line import quoted
from ursuppe_env.parsing import is_integer
from ursuppe_env.render.screen import Renderer
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.teams import tell_teams
from ursuppe_env.validation import checked_integers, checked_num_games

FRAMES_PER_SECOND = 2  # of render_mode "human"


class LearnerOutcome(NamedTuple):
    """How games ended for the learner; arrays of one entry a game."""

    rewards: NDArray[np.float32]
    is_success: NDArray[np.bool_]  # did the learner win?
    illegal_action: NDArray[np.bool_]  # did an illegal action of the learner end the game?
    markers: NDArray[np.int16]  # (n, P) places on the track, of the learner's seat and those after it


class LearnerGames:
    """N games, each either waiting for the learner's action or over.

    An action that is not legal ends the learner's part in that game: it gets -1, and the game is over. Arguments are
    those of ``UrsuppeVectorEnv``, and the render modes of the environment.

    Attributes:
        games: the ``Games``; treat it as read-only.
        teams: the ``Teams`` (``ursuppe_env.teams``), or None.
        seats: (N,) int64, the learner's seat in each game; with teams that of its colour that decides, or did last.
        reward: may be set, for the games that end from now on.
        seat, team: may be set, for the games that begin from now on.
        opponent: may be set, and plays from now on.
    """

    def __init__(
        self,
        num_envs: int,
        ruleset: RulesetArgument,
        threads: int | None,
        render_mode: str | None,
        render_modes: Sequence[str],
        *,
        seat: int | None = None,
        team: int | None = None,
        opponent: Opponents = None,
        **options: Unpack[EnvironmentOptions],
    ) -> None:
        self._source, self._view, self.reward, self.teams = check_options(ruleset, LearnerOptions, **options)
        num_games = checked_num_games("num_envs", num_envs)
        self.games = Games(num_games, self._source.rulesets, threads=threads)
        self.seats = np.zeros(num_games, np.int64)
        self._sides = np.zeros(num_games, np.int64)  # the learner's seat, with teams its team
        self.seat = seat
        self.team = team
        self.opponent = opponent
        self._masks = np.zeros((num_games, self.games.num_actions), np.int8)
        self._over = np.ones(num_games, np.bool_)
        self._forfeited = np.zeros(num_games, np.bool_)
        self._has_begun = False
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, FRAMES_PER_SECOND, render_modes)

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """The rulesets that games are played with; a function's are here as long as a game is."""
        return self.games.rulesets

    @property
    def reward(self) -> str:
        """The kind of reward."""
        return self._reward

    @reward.setter
    def reward(self, kind: str) -> None:
        self._reward = check_reward(kind)

    @property
    def seat(self) -> int | None:
        """The learner's seat; None if it is drawn for each game."""
        return self._seat

    @seat.setter
    def seat(self, seat: int | None) -> None:
        _check_side("seat", seat, self.games.num_players)
        if seat is not None and self.teams is not None:
            raise ValueError(f"seat is {seat}, but the learner plays a team; give team")
        self._seat = seat

    @property
    def team(self) -> int | None:
        """The learner's team; None if it is drawn for each game, or there are no teams."""
        return self._team

    @team.setter
    def team(self, team: int | None) -> None:
        if team is not None and self.teams is None:
            raise ValueError(f"team is {quoted(team)}, but there are no teams; give teams, or seat")
        _check_side("team", team, 0 if self.teams is None else len(self.teams))
        self._team = team

    @property
    def opponent(self) -> Opponents:
        """Who plays the other seats."""
        return self._opponent

    @opponent.setter
    def opponent(self, opponent: Opponents) -> None:
        self._opponent = check_opponents(opponent, self.games.num_players, self.teams)

    def action_masks(self) -> NDArray[np.bool_]:
        """(N, A) bool, True where an action is legal; all True where the game is over."""
        return self._masks.astype(np.bool_)

    # ------------------------------------------------------------------ for the environments

    def _spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        return self._view.space(self._source), spaces.Discrete(self.games.num_actions)

    def _begin(self, rows: NDArray[np.bool_], seed: int | None = None) -> None:
        """Begin new games in the rows of this (N,) mask, and play until the learner is asked.

        It is asked in every game, since there is always more than one space to set up an amoeba.
        """
        self._source.begin(self.games, rows, seed)
        side, sides = (self._seat, self.games.num_players) if self.teams is None else (self._team, len(self.teams))
        if side is not None:
            self._sides[rows] = side
        else:  # uniformly random, each drawn from the key of its game alone, whatever the others are
            self._sides[rows] = (self.games.state["key"][rows] >> np.uint64(32)) * np.uint64(sides) >> np.uint64(32)
        self.seats[rows] = self._sides[rows] if self.teams is None else self.teams.first_seats[self._sides[rows]]
        self._over[rows] = self._forfeited[rows] = False
        self._has_begun = True
        self._play_others()

    def _act(self, actions: ArrayLike) -> NDArray[np.bool_]:
        """Take the (N,) actions in the games that are not over, and let the opponents act; (N,) which games ended now.

        ``ValueError``: the actions are not in the action space (nothing is changed then), or an opponent's is illegal
        (all games are over then).
        """
        actions = np.where(self._over, 0, checked_integers("actions", actions, len(self.seats)))
        wrong = (actions < 0) | (actions >= self.games.num_actions)
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"game {row}: action is {actions[row]}; it must be 0 ... {self.games.num_actions - 1}")
        asked = ~self._over
        legal = self._masks[np.arange(len(actions)), actions] == 1
        acts = asked & legal
        if acts.all():
            self.games.step(actions)
        else:
            rows = np.flatnonzero(acts)
            self.games.step(actions[rows], rows)
        self._play_others()
        self._forfeited |= asked & ~legal
        self._over = self.games.finished | self._forfeited
        return self._over & asked

    def _play_others(self) -> None:
        tell_teams(self.opponent if isinstance(self.opponent, Sequence) else [self.opponent], self.teams)
        try:
            play_others(self.games, self._sides, self.opponent, self.teams)
        except BaseException:
            self._over[:] = True  # the games stand where the learner is not asked; only a reset of all helps
            self._has_begun = False
            raise
        player = self.games.state["player"]
        np.copyto(self.seats, player, where=player >= 0)

    def _outcome(self, rows: NDArray[np.int64]) -> LearnerOutcome:
        """How these (n,) games, which are over, ended for the learner."""
        sides, forfeited, final = self._sides[rows], self._forfeited[rows], self.games.copy(rows)
        rewards = final_rewards(self.reward, final.markers, rulesets_of(final), teams=self.teams)
        own = np.where(forfeited, ILLEGAL_ACTION_REWARD, rewards[np.arange(len(rows)), sides]).astype(np.float32)
        winners = final.winner if self.teams is None else self.teams.winner(final.markers)
        seats = (self.seats[rows, np.newaxis] + np.arange(final.num_players)) % final.num_players
        markers = np.take_along_axis(final.markers, seats, axis=1)
        return LearnerOutcome(own, (winners == sides) & ~forfeited, forfeited, markers)

    def _pictures(self) -> list[Any]:
        games = self.games
        return [self._renderer.draw(game, games.ruleset_of(row), None) for row, game in enumerate(games.state)]

    def _look(self) -> NDArray[Any]:
        """(N, F) what the learner sees, the end of a game too; the masks of its decisions are kept."""
        observations = self._view.of(self.games, self.seats, masks=self._masks)
        self._masks[self._over] = 1
        if not self._masks.any(axis=1).all():  # masked policies would take any action at all, without an error
            raise RuntimeError(f"game {int(self._masks.any(axis=1).argmin())} asks the learner but allows no action")
        return observations

    def _look_at_end(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """(n, F) what the learner sees of these (n,) games."""
        return self._view.of(self.games.copy(rows), self.seats[rows])

    def _refuse_games_that_are_over(self) -> None:
        if self._over.any():
            raise ResetNeeded(f"game {int(self._over.argmax())} has not begun, or is over; call reset() first")


def _check_side(name: str, side: Any, number: int) -> None:
    if side is not None and not (is_integer(side) and 0 <= side < number):
        raise ValueError(f"{name} is {quoted(side)}; it must be 0 ... {number - 1}, or None for any")
