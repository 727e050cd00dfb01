"""What the observations of an environment have in them, and as which numbers."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.games import Games
from ursuppe_env.observation import observation_size
from ursuppe_env.observation.formats import observation_dtype
from ursuppe_env.validation import checked_flag


class View:
    """How the players of an environment see its games (docs/observation.md).

    Args:
        observe_rules: show the ruleset of each game, too.
        dtype: float32, float16 or uint8.

    Raises:
        ValueError: an argument is not one of these.
    """

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
