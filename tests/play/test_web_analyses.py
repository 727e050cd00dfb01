"""Analyses of `ursuppe web`: what a page may ask for, what it is told, and how many there are at once."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ursuppe_env import Games, Ruleset
from ursuppe_play.analysis import CourseAnalysis, PastDecision, analyst_for
from ursuppe_play.web import analyses

from support.web import PERSON, RANDOM, begin, choose, client, settled


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 0.5)
    monkeypatch.setattr("ursuppe_play.analysis.analysts.PLAYOUTS", 1)
    monkeypatch.setattr("ursuppe_play.analysis.analysts.FEWEST_PLAYOUTS", 10)
    with client(tmp_path / "games") as opened:
        yield opened


def a_game(page: TestClient) -> tuple[str, dict[str, Any]]:
    """One that waits for its person, after some decisions of the others."""
    game = begin(page, players=3, seed=3, seats=[RANDOM, RANDOM, PERSON])
    view = settled(page, game)
    for _ in range(2):
        view = choose(page, game, view)
    return game, view


def told(page: TestClient, game: str, of: str = "") -> list[dict[str, Any]]:
    """All that an analysis of a game, or of the decision at a frame, tells until it ends."""
    with page.stream("GET", f"/api/games/{game}{of}/analysis") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]


def messages(page: TestClient, game: str, of: str = "") -> list[dict[str, Any]]:
    """The same of one that comes to its end."""
    found = told(page, game, of)
    assert [message["isOver"] for message in found] == [False] * (len(found) - 1) + [True]
    assert found[-1]["error"] is None
    return found


def heard_of(page: TestClient, game: str, frame: int):
    """What the server hears of an analysis, in this thread, so that it can be closed."""
    return page.app.state.analyses.listen(page.app.state.hall.table(game), frame)


def test_a_decision_of_the_past_is_judged_by_what_was_taken(page: TestClient):
    game, view = a_game(page)
    story = page.get(f"/api/games/{game}/story").json()
    frame = max(frame for frame, one in enumerate(story) if one["player"] is not None)
    (*_, last) = messages(page, game, f"/frames/{frame}")
    judgement = last["judgement"]
    assert judgement["player"] == story[frame]["player"]
    assert judgement["actions"][judgement["taken"]]["words"] in story[frame]["words"]
    assert judgement["gave_away"] is not None
    assert view["frame"] == len(story)


def test_all_decisions_are_judged_and_known_the_second_time(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    game, _ = a_game(page)
    story = page.get(f"/api/games/{game}/story").json()
    asked = [frame for frame, one in enumerate(story) if one["player"] is not None]
    heard = messages(page, game)
    found = [decision for message in heard for decision in message["decisions"]]
    assert [decision["frame"] for decision in found] == asked
    assert [decision["number"] for decision in found] == list(range(1, len(asked) + 1))
    assert all(message["total"] == len(asked) for message in heard)
    assert set(heard[-1]["mistakes"]) <= set(range(len(asked)))

    def fail(*_: Any) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr("ursuppe_play.analysis.analysts.Examination.think", fail)
    again = messages(page, game)
    assert [decision for message in again for decision in message["decisions"]] == found


@pytest.mark.parametrize(("of", "agent"), [("/frames/{}", "search:policy=duel"), ("", "policy:duel")])
def test_a_duel_is_analysed_by_the_policy_for_duels(
    page: TestClient, monkeypatch: pytest.MonkeyPatch, of: str, agent: str
):
    asked = []
    monkeypatch.setattr(analyses, "analyst_for", lambda spec, **more: asked.append(spec) or analyst_for(spec, **more))
    game = begin(page, seed=3, teams=[[0, 2], [1, 3]], seats=[PERSON, RANDOM] * 2)
    view = settled(page, game)
    choose(page, game, view)
    heard = messages(page, game, of.format(view["frame"]))
    found = [one for message in heard for one in message.get("decisions", [message])]
    judgement = found[-1]["judgement"]
    assert asked == [agent]
    for chances in [judgement["chances"], *(action["chances"] for action in judgement["actions"])]:
        assert chances[:2] == pytest.approx(chances[2:])
        assert sum(chances) == pytest.approx(2)


def test_a_few_look_at_the_decision_at_hand_until_one_goes(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 60.0)
    monkeypatch.setattr(analyses, "MOST_ANALYSES", 2)
    game, view = a_game(page)
    heard = [heard_of(page, game, view["frame"]) for _ in range(2)]
    for one in heard:
        judgement = next(filter(None, one))["judgement"]
        assert [action["action"] for action in judgement["actions"]] == [one["action"] for one in view["choices"]]
        assert (judgement["player"], judgement["taken"]) == (2, None)
    running = list(page.app.state.analyses._running)
    error = "2 analyses are under way; stop one, or wait until one is over"
    assert told(page, game, f"/frames/{view['frame']}") == [{"refused": error}]
    heard.pop(0).close()
    heard.append(heard_of(page, game, view["frame"]))
    assert "judgement" in next(filter(None, heard[-1]))
    for one in heard:
        one.close()
    deadline = time.monotonic() + 20
    while not all(one.is_over for one in running):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_cannot_be_analysed_is_refused(page: TestClient):
    game, _ = a_game(page)
    story = page.get(f"/api/games/{game}/story").json()
    chance = next(frame for frame, one in enumerate(story) if one["player"] is None)
    assert told(page, game, f"/frames/{chance}") == [{"refused": "nobody decides there; look at a decision"}]
    assert told(page, begin(page, seats=[PERSON] * 4)) == [{"refused": "nobody has decided anything yet"}]


def test_a_course_is_judged_in_order_and_can_be_stopped():
    games = Games(1, Ruleset(players=3), seed=1)
    decisions = []
    for _ in range(12):
        before, player = games.copy(), int(games.player[0])
        (action,) = games.step_random()
        decisions.append(PastDecision(before, games.actions.text(int(action), player)))
    course = CourseAnalysis(decisions, analyst_for("search:sims=4"), seconds=60)
    course.start()
    news = 0
    while len(course.judgements) < 3:
        news = course.news(news, timeout=60)
    threading.Thread(target=course.stop).start()
    while not course.is_over:
        course.news(news, timeout=1)
    done = len(course.judgements)
    assert 3 <= done <= 12
    for judgement, decision in zip(course.judgements, decisions, strict=False):
        assert judgement.actions[judgement.taken].action == decision.taken
        assert judgement.player == decision.games.player[0]


def test_a_decision_after_the_course_is_new():
    games = Games(1, seed=1)
    text = games.actions.text(int(games.legal()[0].argmax()), int(games.player[0]))
    memory: dict[bytes, Any] = {}
    for decisions in ([PastDecision(games, text)], [PastDecision(games, text), PastDecision(games, text)]):
        course = CourseAnalysis(decisions, analyst_for("search:sims=4"), 60, memory)
        course.start()
        while not course.is_over:
            course.news(10, timeout=1)
        assert len(course.judgements) == len(decisions)
        assert len(memory) == 1
