"""Analyses that go on while somebody looks: of one decision, and of all decisions of a game."""

import time
from abc import ABC, abstractmethod
from collections.abc import MutableMapping, Sequence
from threading import Condition, Thread
from typing import NamedTuple

from ursuppe_agents.search.playouts import positions
from ursuppe_env import Games
from ursuppe_env.validation import checked_decisions
from ursuppe_play.analysis.analysts import Analyst
from ursuppe_play.analysis.judgement import Judgement, judge

_NEWS_EVERY = 0.1  # seconds


class Background(ABC):
    """Works in a thread of its own until it is done, it is stopped, or so many seconds, above 0, are over; a daemon."""

    def __init__(self, seconds: float) -> None:
        if not seconds > 0:
            raise ValueError(f"seconds is {seconds!r}; it must be more than 0")
        self.is_over = False  # has it ended? Then what it has found stays as it is
        self.error: Exception | None = None  # why it ended, if something went wrong
        self._seconds = seconds
        self._end = 0.0
        self._changed = Condition()
        self._news = 0  # how often there has been something new
        self._is_stopped = False
        self._thread = Thread(target=self._run, name="analysis", daemon=True)

    def start(self) -> None:
        """Begin; a ``RuntimeError`` if it has begun before."""
        self._thread.start()

    def stop(self) -> None:
        """Work no more; returns at once. It is over some milliseconds later."""
        self._is_stopped = True

    def news(self, known: int, timeout: float) -> int:
        """Wait until there is something new, at most so many seconds.

        Returns:
            How often there has been something new: more than ``known``, what this returned before (0 at first), unless
            it is over, or time was.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._news > known or self.is_over, timeout)
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
            self.error = error
        finally:
            with self._changed:
                self.is_over = True
                self._changed.notify_all()


class LiveAnalysis(Background):
    """Thinks about a decision in a thread of its own, and can be asked at any time what it has found.

    It begins with ``start`` and ends by itself, by ``stop`` from any thread, or with the process.

    Args:
        games: a batch of one, as it stands at a decision; a copy of it is looked at.
        analyst: from ``analyst_for``; each analysis needs one of its own.
        seconds: that it thinks at most.
        taken: the text of the action that was taken; None: none yet.

    Raises:
        ValueError: ``games`` are several or wait for no player, or ``seconds`` is not positive.

    Attributes:
        judgement: what it has found so far; None until the first look is over.
    """

    def __init__(self, games: Games, analyst: Analyst, seconds: float, taken: str | None = None) -> None:
        super().__init__(seconds)
        if len(games) != 1:
            raise ValueError(f"games has {len(games)} games; an analysis is about one")
        checked_decisions([0], games.player)
        self._games = games.copy()
        self._analyst = analyst
        self._taken = taken
        self.judgement: Judgement | None = None

    def _work(self) -> None:
        examination = self._analyst.examine(self._games)
        while not self._is_stopped and examination.go_on():  # a first look, however long its preparation took
            due = time.monotonic() + _NEWS_EVERY
            while self._goes_on() and time.monotonic() < due and examination.go_on():
                pass
            self.judgement = judge(self._games, examination.opinion(), self._taken)
            self._tell()
            if not self._goes_on():
                return


class PastDecision(NamedTuple):
    """A decision of a game: a batch of one, as it stood before it, and the text of the action that was taken."""

    games: Games
    taken: str


class CourseAnalysis(Background):
    """Judges the decisions of a game one after the other, in a thread of its own.

    Args:
        decisions: of the game.
        analyst: from ``analyst_for``; each analysis needs one of its own.
        seconds: that it thinks at most.
        memory: judgements that are known, and to which new ones are added: a game that has gone on needs only the rest.

    Attributes:
        decisions: as given.
        judgements: those that there are, in the order of the decisions; more come at the end.
    """

    def __init__(
        self,
        decisions: Sequence[PastDecision],
        analyst: Analyst,
        seconds: float,
        memory: MutableMapping[bytes, Judgement] | None = None,
    ) -> None:
        super().__init__(seconds)
        self.decisions = decisions
        self._analyst = analyst
        self._memory = {} if memory is None else memory
        self.judgements: list[Judgement] = []

    def _work(self) -> None:
        for decision in self.decisions:
            if not self._goes_on():
                return
            key = positions(decision.games.state)[0].tobytes() + decision.taken.encode()
            if key not in self._memory:
                examination = self._analyst.examine(decision.games)
                examination.think()
                self._memory[key] = judge(decision.games, examination.opinion(), decision.taken)
            self.judgements.append(self._memory[key])
            self._tell()
