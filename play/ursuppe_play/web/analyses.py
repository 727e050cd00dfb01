"""Analyses for pages: of the decision that is looked at, and of all decisions so far; a few at once.

An analysis runs as long as a page listens to it, and for a limited time. What agents it asks is written here: a page
names none.
"""

import secrets
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal

from ursuppe_agents.settings import Settings
from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_play.happenings import Happening, game_at_state
from ursuppe_play.hints import policy_for
from ursuppe_play.names import Names
from ursuppe_play.web.forms import Refusal
from ursuppe_play.web.tables.table import Table

with extra("web"):
    from ursuppe_play.analysis import (
        Analyst,
        CourseAnalysis,
        Judgement,
        LiveAnalysis,
        PastDecision,
        analyst_for,
        mistakes_among,
    )

#: Who looks at one decision, and who at all of a game.
_SPECS = {"decision": "search:policy={policy}", "game": "policy:{policy}"}
_SECONDS, _SECONDS_OF_A_GAME = 60.0, 600.0
MOST_ANALYSES = 4
_UNHEARD = 10.0  # seconds that an analysis goes on though nobody listens
_PAUSE = 0.2  # seconds between two messages
_GAMES_REMEMBERED = 8


class AnalysisForm(Settings):
    """What a page asks for.

    Attributes:
        what: the decision at a frame, or all decisions of the game so far.
        frame: that is looked at.
    """

    what: Literal["decision", "game"]
    frame: int = 0


@dataclass
class _Running:
    game: str
    names: Names
    analysis: LiveAnalysis | CourseAnalysis
    frames: list[int]  # of the decisions of a course
    is_heard: threading.Event

    def found(self, told: int) -> dict[str, Any]:
        """What is known of the decision; or the decisions judged since so many were told, and all mistakes."""
        if isinstance(self.analysis, LiveAnalysis):
            judgement = self.analysis.judgement
            return {"judgement": None if judgement is None else judgement.told(self.names).as_dict()}
        judgements = list(self.analysis.judgements)
        return {
            "total": len(self.frames),
            "decisions": [
                {
                    "number": number + 1,
                    "frame": self.frames[number],
                    "round": int(self.analysis.decisions[number].games.rounds[0]),
                    "judgement": judgements[number].told(self.names).as_dict(),
                }
                for number in range(told, len(judgements))
            ],
            "mistakes": [number for number, is_one in enumerate(mistakes_among(judgements)) if is_one],
        }


class Analyses:
    """The analyses of a server."""

    def __init__(self) -> None:
        self._running: dict[str, _Running] = {}
        self._memories: dict[str, dict[bytes, Judgement]] = {}  # by game
        self._lock = threading.Lock()

    def begin(self, table: Table, form: AnalysisForm) -> str:
        """Begin one; returns its identity.

        Raises:
            Refusal: there are too many, or nobody decides there.
            ValueError: there is no policy for this game.
        """
        with table.looked_at() as session:
            happenings, now = list(session.happenings), session.games.copy()
        teams = table.teams
        analyst = analyst_for(_SPECS[form.what].format(policy=policy_for(teams)), teams=teams)
        analysis: LiveAnalysis | CourseAnalysis
        frames: list[int] = []
        if form.what == "decision":
            analysis = _of_decision(analyst, form.frame, happenings, now)
        else:
            analysis, frames = _of_game(analyst, happenings, self._memory(table.identity))
        running = _Running(table.identity, table.names, analysis, frames, threading.Event())
        identity = secrets.token_urlsafe(9)
        with self._lock:
            self._forget_those_that_are_over()
            if len(self._running) >= MOST_ANALYSES:
                raise Refusal(429, f"{MOST_ANALYSES} analyses are under way; stop one, or wait until one is over")
            self._running[identity] = running
        running.analysis.start()
        threading.Thread(target=_stop_unheard, args=(running,), daemon=True).start()
        return identity

    def listen(self, game: str, identity: str) -> Generator[dict[str, Any] | None]:
        """What an analysis finds, as JSON, as it finds it; None from time to time. Closing it stops the analysis.

        Raises:
            Refusal: there is no such analysis.
        """
        running = self._running.get(identity)
        if running is None or running.game != game:
            raise Refusal(404, "there is no such analysis here; it may be over")
        running.is_heard.set()
        return self._messages(running)

    def stop(self, game: str, identity: str) -> None:
        """Stop an analysis, if there is one."""
        running = self._running.get(identity)
        if running is not None and running.game == game:
            running.analysis.stop()

    def close(self) -> None:
        """Stop all."""
        for running in list(self._running.values()):
            running.analysis.stop()

    def _messages(self, running: _Running) -> Generator[dict[str, Any] | None]:
        analysis, news, told = running.analysis, 0, 0
        try:
            while True:
                is_over = analysis.is_over
                found = analysis.news(news, timeout=1.0)
                if found > news or is_over:
                    news = found
                    message = running.found(told)
                    told += len(message.get("decisions", ()))
                    error = None if analysis.error is None else " ".join(str(analysis.error).split())
                    yield {**message, "isOver": is_over, "error": error}
                    time.sleep(_PAUSE)
                else:
                    yield None
                if is_over:
                    return
        finally:
            analysis.stop()

    def _memory(self, game: str) -> dict[bytes, Judgement]:
        """What is known of a game; that of games which nobody has asked about for long is forgotten."""
        with self._lock:
            memory = self._memories.pop(game, {})
            self._memories[game] = memory
            while len(self._memories) > _GAMES_REMEMBERED:
                del self._memories[next(iter(self._memories))]
            return memory

    def _forget_those_that_are_over(self) -> None:
        self._running = {name: one for name, one in self._running.items() if not one.analysis.is_over}


def _of_decision(analyst: Analyst, frame: int, happenings: list[Happening], now: Games) -> LiveAnalysis:
    frame = min(max(frame, 0), len(happenings))
    taken = None
    if frame < len(happenings):
        happening = happenings[frame]
        if happening.player is not None and happening.event is not None:
            taken = happening.event[2]
        now = game_at_state(happening.before, happening.ruleset)
    if now.player[0] < 0:
        raise Refusal(409, "nobody decides there; look at a decision")
    return LiveAnalysis(now, analyst, _SECONDS, taken)


def _of_game(
    analyst: Analyst, happenings: list[Happening], memory: dict[bytes, Judgement]
) -> tuple[CourseAnalysis, list[int]]:
    made = [
        (frame, PastDecision(game_at_state(one.before, one.ruleset), one.event[2]))
        for frame, one in enumerate(happenings)
        if one.event is not None and one.player is not None
    ]
    if not made:
        raise Refusal(409, "nobody has decided anything yet")
    decisions = [decision for _, decision in made]
    return CourseAnalysis(decisions, analyst, _SECONDS_OF_A_GAME, memory), [frame for frame, _ in made]


def _stop_unheard(running: _Running) -> None:
    if not running.is_heard.wait(_UNHEARD):
        running.analysis.stop()
