"""The progress bar of long commands: on stderr, with the time left, only where a person can see it."""

import signal
import threading
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class InterruptibleProgress(Progress):
    """A progress bar during which Ctrl-C is one ``KeyboardInterrupt``, never two, and never none.

    Python raises it wherever it is at the moment, and compiled libraries that are called back there sometimes drop it:
    then it is raised again at the next update. Polars raises a second one of its own while it is at work, because it
    has a handler beside Python's; ours replaces both. Whoever has another handler, or ignores Ctrl-C, keeps to that.
    """

    _is_interrupted = False

    def start(self) -> None:
        """Begin to show the bar and to listen to Ctrl-C."""
        is_main = threading.current_thread() is threading.main_thread()  # no other thread may set handlers
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._interrupt)
        super().start()

    def stop(self) -> None:
        """Take the bar away, and leave Ctrl-C to Python again."""
        super().stop()
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def update(self, task_id: TaskID, **changes: Any) -> None:
        """Change a task, as in the base class.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        if self._is_interrupted:
            raise KeyboardInterrupt
        super().update(task_id, **changes)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._is_interrupted = True
        raise KeyboardInterrupt


def progress_bar() -> InterruptibleProgress:
    """A progress bar with counts, elapsed time and time left."""
    console = Console(stderr=True)
    return InterruptibleProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
