"""The progress bar of long commands, and Ctrl-C during them.

The bar is on stderr, with the time left; without a terminal it is a line now and then.
"""

import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, TypeVar

from rich import progress
from rich.console import Console
from rich.markup import render

from ursuppe_env.line import in_minutes

_Thing = TypeVar("_Thing")
_BETWEEN_LINES = 30.0  # seconds
# Seconds over which the time left is estimated. Deep searches count a batch of games each quarter of an hour, trainings
# in bursts: over rich's own half minute they would seem to end much too soon.
_ESTIMATED_OVER = 3600.0


class Interrupts:
    """Makes Ctrl-C one ``KeyboardInterrupt``, never two, and never none, between ``listen`` and ``leave``.

    Python raises it wherever it is at the moment, and what is called back there sometimes drops it: compiled libraries,
    or Python itself in destructors. Then it is raised again at the next update of the progress. Polars raises a second
    one of its own while it is at work, because it has a handler beside Python's; ours replaces both. A program with
    another handler, or one that ignores Ctrl-C, keeps to that. A command and its progress bar listen, nested.
    """

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


class InterruptibleProgress(progress.Progress):
    """A progress bar during which Ctrl-C is one ``KeyboardInterrupt``, as ``interrupts`` says."""

    _is_listening = False
    _told = 0.0  # when the last line was written

    def start(self) -> None:
        """Begin to show the bar and to listen to Ctrl-C."""
        self._told = time.monotonic()
        if not self._is_listening:
            self._is_listening = True
            interrupts.listen()
        super().start()

    def stop(self) -> None:
        """Take the bar away, and give Ctrl-C back to its earlier handler."""
        super().stop()
        if self._is_listening:
            self._is_listening = False
            interrupts.leave()

    def update(self, task_id: progress.TaskID, **changes: Any) -> None:
        """As in the base class; raises ``KeyboardInterrupt`` if Ctrl-C was pressed."""
        interrupts.raise_again()
        super().update(task_id, **changes)
        self._tell()

    def advance(self, task_id: progress.TaskID, advance: float = 1) -> None:
        """As in the base class; raises ``KeyboardInterrupt`` if Ctrl-C was pressed."""
        interrupts.raise_again()
        super().advance(task_id, advance)
        self._tell()

    def _tell(self) -> None:
        """Write how far the first task is, if nobody sees the bar and the last line is some time ago."""
        now = time.monotonic()
        if not self.disable or now - self._told < _BETWEEN_LINES:
            return
        self._told = now
        task = self.tasks[0]
        of_all = "" if task.total is None else f" of {task.total:,.0f}"
        left = "" if task.time_remaining is None else f", {in_minutes(task.time_remaining)} left"
        print(f"{render(task.description).plain}: {task.completed:,.0f}{of_all}{left}", file=sys.stderr, flush=True)

    def each(self, things: Iterable[_Thing], description: str, total: int | None) -> Iterator[_Thing]:
        """The things one by one, counted by a task of their own as they are asked for.

        The base class has ``track`` for it, with a thread that counts: that one would be interrupted as well.
        """
        task = self.add_task(description, total=total)
        for thing in things:
            yield thing
            self.advance(task)


def progress_bar() -> InterruptibleProgress:
    """A progress bar with counts, elapsed time and time left."""
    console = Console(stderr=True)
    return InterruptibleProgress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        speed_estimate_period=_ESTIMATED_OVER,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
