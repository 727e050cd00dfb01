"""An analysis of one decision that goes on while somebody looks."""

import time
from threading import Condition, Thread

from ursuppe_agents.analysis.analysts import Analyst
from ursuppe_agents.analysis.judgement import Judgement, judge
from ursuppe_env import Games
from ursuppe_env.validation import checked_decisions

_NEWS_EVERY = 0.1  # seconds


class LiveAnalysis:
    """Thinks about a decision in a thread of its own, and can be asked at any time what it has found.

    Args:
        games: a batch of one, as it stands at a decision; a copy of it is looked at.
        analyst: from ``analyst_for``; each analysis needs one of its own.
        seconds: that it thinks at most.
        taken: the text of the action that was taken; None: none yet.

    Raises:
        ValueError: ``games`` are several or wait for no player, or ``seconds`` is not positive.

    It begins with ``start`` and ends by itself, by ``stop`` from any thread, or with the process.
    """

    def __init__(self, games: Games, analyst: Analyst, seconds: float, taken: str | None = None) -> None:
        if len(games) != 1:
            raise ValueError(f"games has {len(games)} games; an analysis is about one")
        checked_decisions([0], games.player)
        if not seconds > 0:
            raise ValueError(f"seconds is {seconds!r}; it must be more than 0")
        self._games = games.copy()
        self._analyst = analyst
        self._seconds = seconds
        self._taken = taken
        self._changed = Condition()
        self._judgement: Judgement | None = None
        self._news = 0  # how many judgements there have been
        self._is_over = False
        self._is_stopped = False
        self._error: Exception | None = None
        self._thread = Thread(target=self._think, name="analysis", daemon=True)

    def start(self) -> None:
        """Begin to think.

        Raises:
            RuntimeError: it has begun before.
        """
        self._thread.start()

    def stop(self) -> None:
        """Think no more; returns at once. It is over some milliseconds later."""
        self._is_stopped = True

    @property
    def is_over(self) -> bool:
        """Has it ended? Then the judgement stays as it is."""
        return self._is_over

    @property
    def error(self) -> Exception | None:
        """Why it ended, if something went wrong."""
        return self._error

    @property
    def judgement(self) -> Judgement | None:
        """What it has found so far; None until the first look is over."""
        return self._judgement

    def news(self, known: int, timeout: float) -> int:
        """Wait until there is something new.

        Args:
            known: what this returned before; 0 at first.
            timeout: seconds to wait at most.

        Returns:
            The number of judgements there have been: more than ``known``, unless it is over, or time was.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._news > known or self._is_over, timeout)
            return self._news

    def _think(self) -> None:
        try:
            self._think_on()
        except Exception as error:  # it is told whoever looks
            self._error = error
        finally:
            with self._changed:
                self._is_over = True
                self._changed.notify_all()

    def _think_on(self) -> None:
        end = time.monotonic() + self._seconds
        examination = self._analyst.examine(self._games)
        while not self._is_stopped and time.monotonic() < end and examination.go_on():
            due = time.monotonic() + _NEWS_EVERY
            while not self._is_stopped and time.monotonic() < min(due, end) and examination.go_on():
                pass
            judgement = judge(self._games, examination.opinion(), self._taken)
            with self._changed:
                self._judgement = judgement
                self._news += 1
                self._changed.notify_all()
