"""What others need of a policy: how likely actions are, chances of winning, and what it was trained on."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games, Ruleset


@runtime_checkable
class Predictor(Protocol):
    """Gives chances of winning."""

    def values(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Each player's chance of winning, (n, P), by seat; in sum 1.

        Args:
            games: as they stand; left as they are.
            rows: (n,) the games to evaluate; in each of them a player, ``games.player``, is about to act.

        Raises:
            ValueError: it cannot evaluate such games; the message says why.
        """


@runtime_checkable
class Evaluator(Predictor, Protocol):
    """Evaluates many positions at once; a trained policy (``policy:...``) is one.

    Each position as if it were alone: a search must not depend on other searches.
    """

    def priors(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """The prior probability of each action, (n, A); 0 where it is illegal, in sum 1. Otherwise as ``values``."""


def evaluator_of(agent: object) -> object:
    """What evaluates positions for an agent, if anything does: that by which it searches, or the agent itself."""
    return getattr(agent, "evaluator", agent)


class Origin(NamedTuple):
    """Where a policy comes from."""

    digest: str  # of its file: two files with the same one hold the same policy
    in_words: str  # what it was trained on, for how long, with which settings
    actor: str  # digest of all that its actions depend on: of its file as it would be without a critic of its own


@runtime_checkable
class Trained(Protocol):
    """Knows where it comes from, and which rulesets it was trained on; a trained policy (``policy:...``) does."""

    def origin(self, players: int) -> Origin:
        """Where that comes from what plays with so many players.

        Raises:
            ValueError: it cannot play with so many players.
        """

    def unfamiliar(self, ruleset: Ruleset) -> list[str]:
        """What of a ruleset lies outside what it was trained on, in words: a line for each field.

        Raises:
            ValueError: it cannot play with so many players.
        """


class TrainedElsewhereWarning(UserWarning):
    """A policy plays with another ruleset than it was trained with, which was one alone, or in other teams."""
