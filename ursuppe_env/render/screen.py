"""What ``render_mode`` means, for all environments; with "human", the cell of a notebook, or else a window."""

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.line import quoted
from ursuppe_env.rules.ruleset import Ruleset

RENDER_MODES = ("human", "rgb_array", "ansi")
_TICK = 0.02  # seconds between two looks at what the person does with the window


class Screen:
    """Shows one picture after the other in the same place, at most so many a second."""

    def __init__(self, frames_per_second: float) -> None:
        self.frames_per_second = frames_per_second
        self._view: _Cell | _Window | None = None
        self._shown: str | None = None
        self._due = 0.0  # when the next picture may come

    def show(self, svg: str) -> None:
        """Show this picture in place of the last one, when that has had its time.

        ``RuntimeError``: there is neither a notebook nor a display.
        """
        if self._view is None:
            shell = _notebook()
            self._view = _Window() if shell is None else _Cell(shell)
        if svg == self._shown:
            return
        self._view.wait_until(self._due)
        self._view.show(svg)
        self._shown = svg
        self._due = time.monotonic() + 1 / self.frames_per_second

    def close(self) -> None:
        """Close the window, if there is one; the next picture opens another."""
        if self._view is not None:
            self._view.close()
        self._view = self._shown = None


class Renderer(Screen):
    """Draws the games of an environment in its render mode, one of ``modes`` or None."""

    def __init__(self, mode: str | None, frames_per_second: float, modes: Sequence[str] = RENDER_MODES) -> None:
        if mode is not None and (not isinstance(mode, str) or mode not in modes):
            raise ValueError(f"render_mode is {quoted(mode)}; it must be {', '.join(map(repr, modes))} or None")
        super().__init__(frames_per_second)
        self.mode, self._modes = mode, modes

    def draw(self, game: np.void, ruleset: Ruleset, last_action: str | None) -> str | NDArray[np.uint8] | None:
        """Draw a game from its record: text with "ansi", (H, W, 3) uint8 with "rgb_array"; "human" shows it.

        ``ValueError``: the mode is None; ``RuntimeError``: "human", but there is neither a notebook nor a display.
        """
        # Drawing is imported when it is used: most programs train, and start faster without it.
        if self.mode is None:
            modes = " or ".join(map(repr, self._modes))
            raise ValueError(f"render_mode is None; make the environment with render_mode={modes} to draw it")
        if self.mode == "ansi":
            from ursuppe_env.render.ansi import draw_ansi

            return draw_ansi(game, ruleset, last_action)
        from ursuppe_env.render.svg import draw_svg

        picture = draw_svg(game, ruleset, last_action)
        if self.mode == "human":
            self.show(picture)
            return None
        from ursuppe_env.render.png import to_array

        return to_array(picture)

    def __reduce__(self) -> tuple[Any, ...]:
        return Renderer, (self.mode, self.frames_per_second, self._modes)  # a copy has no window yet


def _notebook() -> Any:
    """The shell of a Jupyter kernel, if this program runs in one."""
    ipython = sys.modules.get("IPython")  # nobody runs in a kernel without having imported it
    shell = ipython.get_ipython() if ipython else None
    return shell if hasattr(shell, "kernel") else None


class _Cell:
    """The output of a notebook's cell; each cell that draws gets a picture of its own."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._execution: int | None = None
        self._handle: Any = None

    def show(self, svg: str) -> None:
        from IPython.display import SVG, display

        if self._execution == self._shell.execution_count:
            self._handle.update(SVG(svg))
        else:
            self._execution = self._shell.execution_count
            self._handle = display(SVG(svg), display_id=True)

    def wait_until(self, moment: float) -> None:
        time.sleep(max(0, moment - time.monotonic()))

    def close(self) -> None:
        """The picture stays in the notebook."""


class _Window:
    """A window of tkinter. Once a person has closed it, nothing is shown any more."""

    def __init__(self) -> None:
        try:
            import tkinter

            self._root: tkinter.Tk | None = tkinter.Tk()
        except Exception as error:  # there is no tkinter, or its TclError: no display
            raise RuntimeError(
                f"render_mode 'human' needs a notebook or a window, and no window can be opened ({error}); "
                "use render_mode='ansi' or 'rgb_array'"
            ) from None
        self._root.title("Ursuppe")
        self._root.resizable(False, False)
        self._root.protocol("WM_DELETE_WINDOW", self.close)
        self._image = tkinter.PhotoImage(master=self._root)
        tkinter.Label(self._root, image=self._image, borderwidth=0).pack()

    def show(self, svg: str) -> None:
        from ursuppe_env.render.png import to_png

        if self._root is not None:
            self._image.configure(data=to_png(svg))
            self._root.update()

    def wait_until(self, moment: float) -> None:
        while self._root is not None and time.monotonic() < moment:
            self._root.update()
            time.sleep(_TICK)

    def close(self) -> None:
        if self._root is not None:
            self._root.destroy()
            self._root = None
