"""Analyses for pages: of the decision that is looked at, and of all decisions so far; a few at once.

An analysis runs as long as a page listens to it, and for a limited time. What agents it asks is written here: a page
names none.
"""

import threading
import time
from collections.abc import Generator
from functools import lru_cache
from typing import Any

from ursuppe_env.extras import extra
from ursuppe_play.hints import policy_for
from ursuppe_play.names import Names
from ursuppe_play.session import game_at_state
from ursuppe_play.web.forms import Refusal
from ursuppe_play.web.tables.table import Table

with extra("web"):
    from ursuppe_play.analysis import CourseAnalysis, Judgement, LiveAnalysis, PastDecision, analyst_for, mistakes_among

_OF_DECISION, _OF_GAME = "search:policy={policy}", "policy:{policy}"  # who looks at one decision, and who at all
_SECONDS, _SECONDS_OF_A_GAME = 60.0, 600.0
MOST_ANALYSES = 4
_PAUSE = 0.2  # seconds between two messages
_GAMES_REMEMBERED = 8


class Analyses:
    """The analyses of a server."""

    def __init__(self) -> None:
        self._running: set[LiveAnalysis | CourseAnalysis] = set()
        self._lock = threading.Lock()

    def listen(self, table: Table, frame: int | None) -> Generator[dict[str, Any] | None]:
        """Analyse the decision at a frame, or all so far, until this is closed: what is found, as JSON, as it is found.

        Yields:
            ``judgement`` of the decision; or of the ``total`` decisions those judged since the last message, and the
            numbers of all ``mistakes``. None from time to time; only ``refused``, with the reason, if so.
        """
        try:
            analysis, frames = self._begun(table, frame)
        except (Refusal, ValueError) as refusal:
            yield {"refused": " ".join(str(refusal).split())}
            return
        news, told, is_over = 0, 0, False
        try:
            while not is_over:
                is_over = analysis.is_over
                known, news = news, analysis.news(news, timeout=1.0)
                if news == known and not is_over:
                    yield None
                    continue
                if isinstance(analysis, LiveAnalysis):
                    judgement = analysis.judgement and analysis.judgement.told(table.names).as_dict()
                    found: dict[str, Any] = {"judgement": judgement}
                else:
                    found = _found_of_game(analysis, table.names, frames, told)
                    told += len(found["decisions"])
                error = None if analysis.error is None else " ".join(str(analysis.error).split())
                yield {**found, "isOver": is_over, "error": error}
                time.sleep(_PAUSE)
        finally:
            analysis.stop()
            self._running.discard(analysis)

    def close(self) -> None:
        """Stop all."""
        for analysis in list(self._running):
            analysis.stop()

    def _begun(self, table: Table, frame: int | None) -> tuple[LiveAnalysis | CourseAnalysis, list[int]]:
        """An analysis that runs, with the frames of its decisions if it is of a game; an error says why not."""
        with table.looked_at() as session:
            happenings, now = list(session.happenings), session.games.copy()
        agent = (_OF_GAME if frame is None else _OF_DECISION).format(policy=policy_for(table.teams))
        analyst = analyst_for(agent, teams=table.teams)
        frames: list[int] = []
        decisions: list[PastDecision] = []
        analysis: LiveAnalysis | CourseAnalysis
        if frame is None:
            for number, one in enumerate(happenings):
                if one.action is not None:
                    frames.append(number)
                    decisions.append(PastDecision(game_at_state(one.before, one.ruleset), one.action))
            if not decisions:
                raise Refusal(409, "nobody has decided anything yet")
            analysis = CourseAnalysis(decisions, analyst, _SECONDS_OF_A_GAME, _memory(table.identity))
        else:
            taken = None
            if frame < len(happenings):
                taken, now = happenings[frame].action, game_at_state(happenings[frame].before, now.ruleset)
            if now.player[0] < 0:
                raise Refusal(409, "nobody decides there; look at a decision")
            analysis = LiveAnalysis(now, analyst, _SECONDS, taken)
        with self._lock:
            if len(self._running) >= MOST_ANALYSES:
                raise Refusal(429, f"{MOST_ANALYSES} analyses are under way; stop one, or wait until one is over")
            self._running.add(analysis)
        analysis.start()
        return analysis, frames


@lru_cache(_GAMES_REMEMBERED)
def _memory(game: str) -> dict[bytes, Judgement]:
    """What is known of a game; that of games which nobody has asked about for long is forgotten."""
    return {}


def _found_of_game(analysis: CourseAnalysis, names: Names, frames: list[int], told: int) -> dict[str, Any]:
    judgements = list(analysis.judgements)
    return {
        "total": len(frames),
        "decisions": [
            {
                "number": number + 1,
                "frame": frames[number],
                "round": int(analysis.decisions[number].games.rounds[0]),
                "judgement": judgements[number].told(names).as_dict(),
            }
            for number in range(told, len(judgements))
        ],
        "mistakes": [number for number, is_one in enumerate(mistakes_among(judgements)) if is_one],
    }
