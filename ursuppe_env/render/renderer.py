"""What ``render_mode`` means, for all environments."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.line import quoted
from ursuppe_env.render.screen import Screen
from ursuppe_env.rules.ruleset import Ruleset

RENDER_MODES = ("human", "rgb_array", "ansi")


class Renderer:
    """Draws the games of an environment in its render mode.

    Args:
        mode: "human" (the cell of a notebook, else a window), "rgb_array", "ansi" or None.
        frames_per_second: at most so many pictures are shown a second with "human".
        modes: those of the environment.

    Raises:
        ValueError: there is no such mode.
    """

    def __init__(self, mode: str | None, frames_per_second: float, modes: Sequence[str] = RENDER_MODES) -> None:
        if mode is not None and (not isinstance(mode, str) or mode not in modes):
            raise ValueError(f"render_mode is {quoted(mode)}; it must be {', '.join(map(repr, modes))} or None")
        self.mode = mode
        self._screen = Screen(frames_per_second)

    def draw(self, game: np.void, ruleset: Ruleset, last_action: str | None) -> str | NDArray[np.uint8] | None:
        """Draw a game from its record: text with "ansi", (H, W, 3) uint8 with "rgb_array"; "human" shows it.

        Raises:
            ValueError: the mode is None.
            RuntimeError: "human", but there is neither a notebook nor a display.
        """
        # Drawing is imported when it is used: most programs train, and start faster without it.
        if self.mode is None:
            raise ValueError(
                "render_mode is None; make the environment with render_mode='human', 'rgb_array' or 'ansi' to draw it"
            )
        if self.mode == "ansi":
            from ursuppe_env.render.ansi import draw_ansi

            return draw_ansi(game, ruleset, last_action)
        from ursuppe_env.render.svg import draw_svg

        picture = draw_svg(game, ruleset, last_action)
        if self.mode == "human":
            self._screen.show(picture)
            return None
        from ursuppe_env.render.png import to_array

        return to_array(picture)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Renderer, (self.mode, self._screen.frames_per_second)  # a copy has no window yet
