"""Ctrl-C during commands: one ``KeyboardInterrupt``, never two, and never none.

Python raises it wherever it is at the moment, and what is called back there sometimes drops it: compiled libraries, or
Python itself in destructors. Then it is raised again at the next update of the progress. Polars raises a second one of
its own while it is at work, because it has a handler beside Python's; ours replaces both. A program with another
handler, or one that ignores Ctrl-C, keeps to that.
"""

import signal
import sys
import threading
from types import FrameType
from typing import Any


class Interrupts:
    """Listens to Ctrl-C between ``listen`` and ``leave``, which may be nested: a command, and its progress bar."""

    def __init__(self) -> None:
        self._depth = 0
        self.is_pressed = False  # since it began to listen

    def listen(self) -> None:
        """Begin; once more where something else, such as Polars, has put its handler beside Python's since."""
        self._depth += 1
        if self._depth == 1:
            self.is_pressed = False
        is_main = threading.current_thread() is threading.main_thread()  # no other thread may set handlers
        if is_main and signal.getsignal(signal.SIGINT) in (signal.default_int_handler, self._interrupt):
            signal.signal(signal.SIGINT, self._interrupt)
            sys.unraisablehook = _tell_all_but_interrupts

    def leave(self) -> None:
        """End, and leave Ctrl-C to Python again."""
        self._depth -= 1
        if self._depth == 0 and signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = sys.__unraisablehook__

    def raise_again(self) -> None:
        """Raise ``KeyboardInterrupt`` if Ctrl-C was pressed, which may have been dropped."""
        if self.is_pressed and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self.is_pressed = True
        raise KeyboardInterrupt


def _tell_all_but_interrupts(error: Any) -> None:
    """For errors that Python cannot raise: a Ctrl-C among them comes again, and need not be told."""
    if not issubclass(error.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(error)


#: Of the process: there is one Ctrl-C.
interrupts = Interrupts()
