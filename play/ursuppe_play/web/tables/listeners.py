"""Telling pages of changes, as server-sent events."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable

_HEARTBEAT = 15.0  # seconds after which a quiet connection is shown to live; one that is dead is noticed then


class Listeners:
    """The pages that look at one game.

    ``notify`` may be called from any thread; several changes while a page is busy come to it as one.
    """

    def __init__(self) -> None:
        self._wake: set[Callable[[], object]] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def notify(self) -> None:
        """Tell all pages that something has changed."""
        with self._lock:
            for wake in self._wake:
                wake()

    def close(self) -> None:
        """Nothing changes any more: the events of all pages end."""
        self._is_closed = True
        self.notify()

    async def events(self, state: Callable[[], str]) -> AsyncGenerator[str]:
        """The text of the events for one page: the state, in a line, at once and after each change, until ``close``."""
        changed, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        try:
            with self._lock:
                self._wake.add(wake)
            yield f"retry: 1000\ndata: {state()}\n\n"
            while not self._is_closed:
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                changed.clear()
                yield f"data: {state()}\n\n"
        finally:
            with self._lock:
                self._wake.discard(wake)
