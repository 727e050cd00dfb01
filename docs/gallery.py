"""The pictures of the documentation: an opening, the middle and the end of one game.

``python docs/gallery.py`` writes them into ``docs/images``.
"""

from pathlib import Path

from ursuppe_env.files import write_atomically
from ursuppe_env.games import Games
from ursuppe_env.render.svg import Picture
from ursuppe_env.render.svg.theme import THEMES

IMAGES = Path(__file__).parent / "images"
_SEED, _INDEX = 1, 2584  # a game of random players in which much happens
_DECISIONS = {"opening": 25, "midgame": 133, "final": None}


def gallery() -> dict[str, Picture]:
    """Each picture by the name of its file."""
    return {
        f"{name}-{theme}.svg": _picture(decisions, theme) for name, decisions in _DECISIONS.items() for theme in THEMES
    }


def _picture(decisions: int | None, theme: str) -> Picture:
    """The game after so many decisions, or at its end."""
    games, last_action, made = Games(1, seed=_SEED, index=[_INDEX]), "", 0
    while made != decisions and not games.finished[0]:
        player = int(games.player[0])
        (action,) = games.step_random()
        last_action = f"player_{player}: {games.actions.text(int(action), player)}"
        made += 1
    return games.svg(0, last_action, theme)


if __name__ == "__main__":
    for name, picture in gallery().items():
        write_atomically(IMAGES / name, picture.encode())
