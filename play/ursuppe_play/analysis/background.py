"""Work in a thread of its own, that can be asked what it has found, waited for, and stopped from any thread."""

import time
from abc import ABC, abstractmethod
from threading import Condition, Thread


class Background(ABC):
    """Works until it is done, its time is over, or it is stopped; ends with the process.

    Args:
        seconds: that it works at most.

    Raises:
        ValueError: ``seconds`` is not positive.
    """

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise ValueError(f"seconds is {seconds!r}; it must be more than 0")
        self._seconds = seconds
        self._end = 0.0
        self._changed = Condition()
        self._news = 0  # how often there has been something new
        self._is_over = False
        self._is_stopped = False
        self._error: Exception | None = None
        self._thread = Thread(target=self._run, name="analysis", daemon=True)

    def start(self) -> None:
        """Begin.

        Raises:
            RuntimeError: it has begun before.
        """
        self._thread.start()

    def stop(self) -> None:
        """Work no more; returns at once. It is over some milliseconds later."""
        self._is_stopped = True

    @property
    def is_over(self) -> bool:
        """Has it ended? Then what it has found stays as it is."""
        return self._is_over

    @property
    def error(self) -> Exception | None:
        """Why it ended, if something went wrong."""
        return self._error

    def news(self, known: int, timeout: float) -> int:
        """Wait until there is something new.

        Args:
            known: what this returned before; 0 at first.
            timeout: seconds to wait at most.

        Returns:
            How often there has been something new: more than ``known``, unless it is over, or time was.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._news > known or self._is_over, timeout)
            return self._news

    @abstractmethod
    def _work(self) -> None:
        """Work while ``_goes_on``, and ``_tell`` of what is new."""

    def _goes_on(self) -> bool:
        return not self._is_stopped and time.monotonic() < self._end

    def _tell(self) -> None:
        with self._changed:
            self._news += 1
            self._changed.notify_all()

    def _run(self) -> None:
        self._end = time.monotonic() + self._seconds
        try:
            self._work()
        except Exception as error:  # it is told whoever looks
            self._error = error
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()
