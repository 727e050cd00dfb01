"""What all environments are asked for: which game is played, who plays together, what it is worth, what is seen."""

import difflib
from typing import Any, TypedDict, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ursuppe_env.envs.opponents import Opponents
from ursuppe_env.envs.rewards import check_reward
from ursuppe_env.envs.rulesets import RulesetArgument, RulesetSource
from ursuppe_env.games import Games
from ursuppe_env.observation import observation_size
from ursuppe_env.observation.layout import observation_dtype
from ursuppe_env.teams import Partition, Teams, teams_or_none
from ursuppe_env.validation import checked_flag


class EnvironmentOptions(TypedDict, total=False):
    """The keyword arguments of every environment, beside ``ruleset``. One that is wrong is a ``ValueError``, an
    unknown one a ``TypeError``.

    Attributes:
        num_players: P, 3 ... 6; default 4, or the ruleset's.
        players: the same as ``num_players``, as a ``Ruleset`` calls it.
        edition: "1998" (default) or "1997"; a ruleset that is given must be of it.
        reward: "win" (default), "rank" or "margin" (``ursuppe_env.envs.rewards``), given at the end of a game.
        teams: the seats of each team, such as ``((0, 2), (1, 3))``. None (default): each seat for itself.
        score: which place is a team's: of its "worst" (default) or "best" marker, or the "sum" of all.
        observe_rules: show the ruleset of each game in the observations, too (docs/observation.md). Default: no.
        dtype: of the observations: float32 (default), float16 or uint8.
    """

    num_players: int | None
    players: int | None
    edition: str | None
    reward: str
    teams: Partition | None
    score: str
    observe_rules: bool
    dtype: DTypeLike


class LearnerOptions(EnvironmentOptions, total=False):
    """The keyword arguments of the environments for one learner among opponents.

    With ``teams`` the learner plays one of them, its opponents the others.

    Attributes:
        seat: the learner's seat, 0 ... P-1. None (default): drawn for each game.
        team: the learner's team, 0 ... T-1, in place of ``seat``. None (default): drawn for each game.
        opponent: who plays the other seats: ``Opponents`` (``ursuppe_env.envs.opponents``), such as one callable
            ``(games, rows) -> actions`` for all of them. None (default): uniformly random.
    """

    seat: int | None
    team: int | None
    opponent: Opponents


class View:
    """How the players of an environment see its games: ``EnvironmentOptions``, docs/observation.md."""

    def __init__(self, observe_rules: bool, dtype: DTypeLike) -> None:
        self._rules = checked_flag("observe_rules", observe_rules)
        self.dtype = observation_dtype(dtype)

    def size(self, players: int) -> int:
        """F, the length of an observation."""
        return observation_size(players, self._rules)

    def bounds(self, source: RulesetSource) -> tuple[NDArray[Any], NDArray[Any]]:
        """The smallest and largest value of each number, whatever the ruleset: two (F,) arrays."""
        return source.bounds(self._rules, self.dtype)

    def space(self, source: RulesetSource) -> spaces.Box:
        """The space of one observation."""
        low, high = self.bounds(source)
        return spaces.Box(low, high, dtype=self.dtype.type)

    def of(
        self,
        games: Games,
        seat: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
        masks: NDArray[np.int8] | None = None,
    ) -> NDArray[Any]:
        """The (N, F) observations, as ``Games.observe`` gives them."""
        return games.observe(seat, out, self._rules, self.dtype, masks)


def check_options(
    ruleset: RulesetArgument = None,
    kind: type[EnvironmentOptions] = EnvironmentOptions,
    **options: Unpack[EnvironmentOptions],
) -> tuple[RulesetSource, View, str, Teams | None]:
    """What the games are played with, how they are seen, the kind of reward, and who plays together, if not each alone.

    ``TypeError``: there is no such option of this kind. ``ValueError``: one is out of its range, or contradicts the
    ruleset.
    """
    for name in options:
        if name not in kind.__annotations__:
            known = ["ruleset", *kind.__annotations__]
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
            raise TypeError(f"there is no option {name!r}; {hint}")
    source = RulesetSource(ruleset, options.get("num_players"), options.get("edition"), options.get("players"))
    view = View(options.get("observe_rules", False), options.get("dtype", np.float32))
    teams = teams_or_none(options.get("teams"), options.get("score", "worst"), source.players)
    return source, view, check_reward(options.get("reward", "win")), teams
