"""Analyses of `ursuppe web`: what a page may ask for, what it is told, and how many there are at once."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ursuppe_env import Games, Ruleset
from ursuppe_play.analysis import CourseAnalysis, LiveAnalysis, PastDecision, analyst_for
from ursuppe_play.web import analyses

from support.web import begin, choose, client, settled

RANDOM = {"who": "agent", "agent": "random"}
PERSON = {"who": "person"}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 0.5)
    monkeypatch.setattr("ursuppe_play.analysis.analysts.PLAYOUTS", 1)
    monkeypatch.setattr("ursuppe_play.analysis.analysts.FEWEST_PLAYOUTS", 10)
    with client(tmp_path / "games") as opened:
        yield opened


def a_game(page: TestClient) -> tuple[str, dict[str, Any]]:
    """One that waits for its person, after some decisions of the others."""
    game = begin(page, players=4, seed=3, seats=[RANDOM, RANDOM, RANDOM, PERSON])
    view = settled(page, game)
    while view["frame"] < 12:
        action = view["choices"][0]["action"]
        page.post(f"/api/games/{game}/choose", json={"action": action, "version": view["version"]})
        view = settled(page, game)
    return game, view


def analyse(page: TestClient, game: str, **form: Any) -> str:
    answer = page.post(f"/api/games/{game}/analyses", json=form)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def messages(page: TestClient, game: str, identity: str) -> list[dict[str, Any]]:
    """All that an analysis tells until it is over."""
    told = []
    with page.stream("GET", f"/api/games/{game}/analyses/{identity}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        told += [json.loads(line[6:]) for line in answer.iter_lines() if line.startswith("data: ")]
    assert [message["isOver"] for message in told] == [False] * (len(told) - 1) + [True]
    assert told[-1]["error"] is None
    return told


def refused(answer: Any, status: int) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["error"]


def test_the_decision_at_hand_is_looked_at_and_visits_grow(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 60.0)
    game, view = a_game(page)
    identity = analyse(page, game, what="decision", frame=view["frame"])
    heard, visits = page.app.state.analyses.listen(game, identity), []
    while len(set(visits)) < 3:  # which ends long before the analysis does
        if (message := next(heard)) is not None:
            judgement = message["judgement"]
            assert [action["action"] for action in judgement["actions"]] == [one["action"] for one in view["choices"]]
            assert (judgement["player"], judgement["taken"]) == (3, None)
            visits.append(sum(action["visits"] for action in judgement["actions"]))
    heard.close()
    assert visits == sorted(visits)


def test_a_decision_of_the_past_is_judged_by_what_was_taken(page: TestClient):
    game, view = a_game(page)
    story = page.get(f"/api/games/{game}/story").json()
    frame = max(frame for frame, one in enumerate(story) if one["player"] is not None)
    (*_, last) = messages(page, game, analyse(page, game, what="decision", frame=frame))
    judgement = last["judgement"]
    assert judgement["player"] == story[frame]["player"]
    assert judgement["actions"][judgement["taken"]]["words"] in story[frame]["words"]
    assert judgement["gave_away"] is not None
    assert view["frame"] == len(story)


def test_all_decisions_are_judged_and_known_the_second_time(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    game, _ = a_game(page)
    story = page.get(f"/api/games/{game}/story").json()
    asked = [frame for frame, one in enumerate(story) if one["player"] is not None]
    told = messages(page, game, analyse(page, game, what="game"))
    found = [decision for message in told for decision in message["decisions"]]
    assert [decision["frame"] for decision in found] == asked
    assert [decision["number"] for decision in found] == list(range(1, len(asked) + 1))
    assert all(message["total"] == len(asked) for message in told)
    assert set(told[-1]["mistakes"]) <= set(range(len(asked)))

    def fail(*_: Any) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr("ursuppe_play.analysis.analysts.Examination.think", fail)
    again = messages(page, game, analyse(page, game, what="game"))
    assert [decision for message in again for decision in message["decisions"]] == found


@pytest.mark.parametrize("what", ["decision", "game"])
def test_a_duel_is_analysed_by_the_policy_for_duels(page: TestClient, monkeypatch: pytest.MonkeyPatch, what: str):
    asked = []
    monkeypatch.setattr(analyses, "analyst_for", lambda spec, **more: asked.append(spec) or analyst_for(spec, **more))
    game = begin(page, seed=3, teams=[[0, 2], [1, 3]], seats=[PERSON, RANDOM] * 2)
    view = settled(page, game)
    choose(page, game, view)
    told = messages(page, game, analyse(page, game, what=what, frame=view["frame"]))
    found = [one for message in told for one in message.get("decisions", [message])]
    judgement = found[-1]["judgement"]
    assert asked == [analyses._SPECS[what].format(policy="duel")]
    for chances in [judgement["chances"], *(action["chances"] for action in judgement["actions"])]:
        assert chances[:2] == pytest.approx(chances[2:])
        assert sum(chances) == pytest.approx(2)


def test_a_few_at_once_and_no_more(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 60.0)
    game, view = a_game(page)
    form = {"what": "decision", "frame": view["frame"]}
    begun = [analyse(page, game, **form) for _ in range(analyses.MOST_ANALYSES)]
    error = refused(page.post(f"/api/games/{game}/analyses", json=form), 429)
    assert error == "4 analyses are under way; stop one, or wait until one is over"
    assert page.delete(f"/api/games/{game}/analyses/{begun[0]}").status_code == 200
    deadline = time.monotonic() + 20
    while page.post(f"/api/games/{game}/analyses", json=form).status_code == 429:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_one_that_nobody_hears_stops_by_itself(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 60.0)
    monkeypatch.setattr(analyses, "_UNHEARD", 0.2)
    game, view = a_game(page)
    identity = analyse(page, game, what="decision", frame=view["frame"])
    running = page.app.state.analyses._running[identity]
    deadline = time.monotonic() + 20
    while not running.analysis.is_over:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_listener_that_goes_stops_it(page: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(analyses, "_SECONDS", 60.0)
    game, view = a_game(page)
    identity = analyse(page, game, what="decision", frame=view["frame"])
    found = page.app.state.analyses
    running = found._running[identity]
    heard = found.listen(game, identity)
    assert next(message for message in heard if message)["judgement"]
    heard.close()
    deadline = time.monotonic() + 20
    while not running.analysis.is_over:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_cannot_be_analysed_is_refused(page: TestClient):
    game, _ = a_game(page)
    route = f"/api/games/{game}/analyses"
    story = page.get(f"/api/games/{game}/story").json()
    chance = next(frame for frame, one in enumerate(story) if one["player"] is None)
    assert "nobody decides there" in refused(page.post(route, json={"what": "decision", "frame": chance}), 409)
    assert "what is 'all'; it must be one of 'decision', 'game'" in refused(page.post(route, json={"what": "all"}), 400)
    assert "there is no setting 'agent'" in refused(page.post(route, json={"what": "game", "agent": "x:Y"}), 400)
    assert "there is no such analysis here" in refused(page.get(f"{route}/nothing/events"), 404)
    other = begin(page, seats=[PERSON] * 4)
    mine = analyse(page, game, what="decision", frame=0) if story[0]["player"] is not None else None
    assert refused(page.get(f"/api/games/{other}/analyses/{mine}/events"), 404)
    settled(page, other)
    assert "nobody has decided anything yet" in refused(
        page.post(f"/api/games/{other}/analyses", json={"what": "game"}), 409
    )


# ---------------------------------------------------------------------- the course of a game


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
    assert isinstance(LiveAnalysis(games, analyst_for("search:sims=4"), 1).judgement, type(None))
