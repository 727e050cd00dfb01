"""What is drawn, and in which colours."""

from dataclasses import dataclass

import numpy as np

from ursuppe_env.render.svg.theme import Theme
from ursuppe_env.rules.ruleset import Ruleset

WIDTH = 800  # px of the whole picture
MARGIN = 12


@dataclass(frozen=True)
class Scene:
    """A game, the numbers it is played with, and the colours it is drawn in."""

    game: np.void
    ruleset: Ruleset
    theme: Theme

    @property
    def players(self) -> range:
        """The players of the game."""
        return range(self.ruleset.players)
