"""The pictures of the documentation: an opening, the middle and the end of one game, and another one that moves.

``python docs/gallery.py`` writes them into ``docs/images``.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from ursuppe_agents import make_agent
from ursuppe_env.files import write_atomically
from ursuppe_env.games import Games
from ursuppe_env.render.png import to_image
from ursuppe_env.render.svg import Picture
from ursuppe_env.render.svg.theme import THEMES

IMAGES = Path(__file__).parent / "images"
_SEED, _INDEX = 1, 2584  # a game of random players in which much happens
_DECISIONS = {"opening": 25, "midgame": 133, "final": None}
_MOVING_SEED, _SHOWN, _SIZE, _COLOURS, _DURATION = 7, range(30, 190, 4), (480, 461), 48, 350  # decisions; milliseconds


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


def moving() -> bytes:
    """A GIF of the policy of the package in all seats: every fourth decision of some rounds."""
    frames = list(_frames())
    palette = frames[0].quantize(_COLOURS, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    content = BytesIO()
    first.save(content, "GIF", save_all=True, append_images=others, duration=_DURATION, loop=0, optimize=True)
    return content.getvalue()


def _frames() -> Iterator[Image.Image]:
    games, agent, row = Games(1, seed=_MOVING_SEED), make_agent("policy:default", _MOVING_SEED), np.zeros(1, np.int64)
    for decision in range(_SHOWN.stop):
        action, player = int(agent.act(games, row)[0]), int(games.player[0])
        games.step([action])
        if decision in _SHOWN:
            text = f"player_{player}: {games.actions.text(action, player)}"
            yield to_image(games.svg(0, text)).resize(_SIZE, Image.Resampling.LANCZOS)


if __name__ == "__main__":
    write_atomically(IMAGES / "game.gif", moving())
    for name, picture in gallery().items():
        write_atomically(IMAGES / name, picture.encode())
