"""What is drawn, and in which colours.

The players' are those of Okabe and Ito, which colour-blind people can tell apart too.
"""

from dataclasses import dataclass, fields

import numpy as np

from ursuppe_env.rules.ruleset import Ruleset

WIDTH = 800  # px of the whole picture
MARGIN = 12


@dataclass(frozen=True)
class Theme:
    """The colours of everything but the players' pieces."""

    paper: str
    soup: str
    space: str
    line: str
    ink: str
    faint: str  # less important text
    panel: str
    alert: str  # what is going on: who acts, where, whom it hits
    alert_panel: str
    end_zone: str
    island: str
    island_edge: str


_LIGHT_AND_DARK = {
    "paper": ("#ffffff", "#10181c"),
    "soup": ("#bfdde0", "#1b3940"),
    "space": ("#f4fafa", "#22292d"),
    "line": ("#9cbcc0", "#4b6a72"),
    "ink": ("#14242b", "#eef4f5"),
    "faint": ("#5b6f77", "#9db0b7"),
    "panel": ("#f1f4f5", "#1b2429"),
    "alert": ("#b3261e", "#ff8a73"),
    "alert_panel": ("#fbe4e1", "#47251f"),
    "end_zone": ("#f7dcb2", "#5a4420"),
    "island": ("#efe4cb", "#3b3526"),
    "island_edge": ("#b09a68", "#8f8059"),
}

THEMES = {
    "light": Theme(**{name: light for name, (light, _) in _LIGHT_AND_DARK.items()}),
    "dark": Theme(**{name: dark for name, (_, dark) in _LIGHT_AND_DARK.items()}),
}


def _variable(name: str) -> str:
    return f"--ursuppe-{name.replace('_', '-')}"


#: The colours as variables of CSS, which ``style_sheet`` gives their values: the page that a picture is in decides.
OF_THE_PAGE = Theme(**{field.name: f"var({_variable(field.name)})" for field in fields(Theme)})


@dataclass(frozen=True)
class Colour:
    """A player's colour: what it is called, that of the pieces, of their edges, and of what is written on them."""

    name: str
    fill: str
    edge: str
    ink: str


PLAYERS = (
    Colour("orange", "#e69f00", "#8a5f00", "#000000"),
    Colour("light blue", "#56b4e9", "#256f9b", "#000000"),
    Colour("yellow", "#f0e442", "#8f8712", "#000000"),
    Colour("dark blue", "#0072b2", "#00406a", "#ffffff"),
    Colour("pink", "#cc79a7", "#854066", "#000000"),
    Colour("green", "#009e73", "#005a41", "#000000"),
)


def style_sheet() -> str:
    """CSS for a page of pictures in the theme "page": light or dark, as the reader's system prefers.

    The variables are the theme's colours, such as ``--ursuppe-end-zone``, and those of the players: ``--player-0``,
    ``--player-0-edge`` and ``--player-0-ink``, and so on.
    """
    players = "".join(
        f"--player-{number}: {paint.fill}; --player-{number}-edge: {paint.edge}; --player-{number}-ink: {paint.ink}; "
        for number, paint in enumerate(PLAYERS)
    )
    light, dark = ("".join(f"{_variable(name)}: {pair[k]}; " for name, pair in _LIGHT_AND_DARK.items()) for k in (0, 1))
    return (
        f":root {{ color-scheme: light dark; {light}{players}}}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"
    )


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
