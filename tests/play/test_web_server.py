"""The server of ``ursuppe web``: every route, what it refuses, and what it tells."""

import asyncio
import gzip
import json
import re
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from starlette.testclient import TestClient

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import agent_names
from ursuppe_env import Games, Ruleset
from ursuppe_env.records import check, read_records, record_games, write_records
from ursuppe_env.records.film import frames
from ursuppe_env.records.page import VIEWER
from ursuppe_env.records.reel import reel_of
from ursuppe_env.render.svg import draw_svg
from ursuppe_env.render.svg.theme import style_sheet
from ursuppe_lab.arena import Tournament, play_tournament, summarise
from ursuppe_play.analysis.report import PAGE as ANALYSIS_PAGE
from ursuppe_play.names import spec_title
from ursuppe_play.web import app, forms
from ursuppe_play.web.app import PAGE
from ursuppe_play.web.arena import ArenaRun
from ursuppe_play.web.tables import asking, hall, table
from ursuppe_play.web.tables.hall import Hall
from ursuppe_play.web.tables.storage import GameStore
from ursuppe_play.web.views import THEME, marks

from support.command import refusal
from support.records import left_after
from support.web import ADDRESS, PERSON, RANDOM, SHORT, begin, choose, client, settled


@pytest.fixture
def page(tmp_path: Path):
    with client(tmp_path / "games") as opened:
        yield opened


def refused(answer, status: int) -> str:
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert "\n" not in error
    return error


def begun(page: TestClient, seed: int = 2):
    """A game against two random agents, when the person is asked first."""
    game = begin(page, players=3, seed=seed, seats=[PERSON, RANDOM, RANDOM])
    return game, settled(page, game)


# ---------------------------------------------------------------------- playing


def test_one_click_begins_a_game_against_three_agents(page: TestClient):
    view = settled(page, begin(page))
    assert [seat["who"] for seat in view["seats"]] == ["person", "agent", "agent", "agent"]
    assert view["own"] == [0]
    assert view["choices"]
    assert view["picture"].startswith("<svg")


def test_a_whole_game_is_played_and_its_record_is_right(page: TestClient, tmp_path: Path):
    (game, view), rng = begun(page, seed=4), np.random.default_rng(4)
    while not view["isOver"]:
        assert view["question"]["player"] == 0
        view = choose(page, game, view, int(rng.integers(len(view["choices"]))))
    assert view["ranks"][0]["player"] == view["question"]["player"]
    answer = page.get(f"/api/games/{game}/record")
    assert "attachment" in answer.headers["content-disposition"]
    (tmp_path / "got.jsonl").write_bytes(answer.content)
    (record,) = read_records(tmp_path / "got.jsonl")
    assert check(record) is None
    assert record.agents == ["person", "random", "random"]
    story = page.get(f"/api/games/{game}/story").json()
    assert len(story) == view["frame"]
    assert story[0]["words"].startswith("environment card: ")
    assert {happening["player"] for happening in story} == {None, 0, 1, 2}
    assert story[-1]["round"] == record.result["rounds"]
    frame = page.get(f"/api/games/{game}/frames/{view['frame']}").json()
    assert frame["picture"] == view["picture"]
    assert frame["words"] == story[-1]["words"]
    assert page.get(f"/api/games/{game}/frames/0").json()["words"] == ""
    assert "has not come so far" in refused(page.get(f"/api/games/{game}/frames/99999"), 404)


def test_what_happened_since_the_last_own_decision_is_told_with_its_frames(page: TestClient):
    game, view = begun(page, seed=4)
    view = choose(page, game, view)
    assert view["news"][0]["words"].startswith("you: take start place")
    frames = [one["frame"] for one in view["news"]]  # an event has a line or more
    assert frames == sorted(frames)
    assert set(frames) == set(range(frames[0], view["frame"] + 1))


def test_undo_and_redo(page: TestClient):
    game, view = begun(page)
    for change, says in (("undo", "nothing to take back"), ("redo", "nothing to take again")):
        assert says in refused(page.post(f"/api/games/{game}/{change}", json={"version": view["version"]}), 409)
    while not view["canUndo"]:
        before, view = view, choose(page, game, view)
    after = view
    assert page.post(f"/api/games/{game}/undo", json={"version": view["version"]}).status_code == 200
    view = settled(page, game)
    assert view["choices"] == before["choices"]
    assert view["picture"] == before["picture"]
    assert view["canRedo"]
    assert view["version"] > after["version"]
    assert page.post(f"/api/games/{game}/redo", json={"version": view["version"]}).status_code == 200
    again = settled(page, game)
    assert again["picture"] == after["picture"]
    assert not again["canRedo"]


def test_only_what_is_legal_and_due_is_chosen(page: TestClient):
    game, view = begun(page)
    answer = page.post(f"/api/games/{game}/choose", json={"action": "fly", "version": view["version"]})
    assert "'fly' cannot be chosen; possible are: start 1" in refused(answer, 409)
    assert settled(page, game)["version"] == view["version"]
    hint = page.get(f"/api/games/{game}/hint").json()
    assert hint["action"] in [choice["action"] for choice in view["choices"]]
    choose(page, game, view)
    body = {"action": hint["action"], "version": view["version"]}  # of a second tab
    assert "the game has gone on" in refused(page.post(f"/api/games/{game}/choose", json=body), 409)


def test_several_people_share_a_screen(page: TestClient):
    game = begin(page, players=3, seed=2, seats=[PERSON | {"name": "Anna"}, PERSON | {"name": "Bea"}, RANDOM])
    view, asked = settled(page, game), set()
    assert view["own"] == [0, 1]
    assert [seat["name"] for seat in view["seats"]] == ["Anna", "Bea", "Random"]
    for _ in range(12):
        asked.add(view["question"]["player"])
        assert not any("you" in one["words"] for one in view["news"])
        view = choose(page, game, view)
    assert asked == {0, 1}


CODE = re.compile(r"player \d(?!’s$)|player_\d|colour \d|movement_\d|[a-z]+_[a-z_]*\b|deterministic")


def test_people_see_names_and_no_code(page: TestClient):
    policy = {"agent": "policy", "parameters": {"model": "default", "deterministic": False}}
    game = begin(page, players=3, seed=4, seats=[PERSON | {"name": "A & <b>"}, RANDOM, policy])
    page.post(f"/api/games/{game}/seats/1", json={"agent": "random"})
    view, rng = settled(page, game), np.random.default_rng(3)
    told = set()
    while not view["isOver"]:
        assert view["question"]["text"]
        told |= {choice["words"] for choice in view["choices"]} | {one["words"] for one in view["news"]}
        told |= {view["question"]["text"], *view["question"]["facts"]}
        view = choose(page, game, view, int(rng.integers(len(view["choices"]))))
    reel = page.get(f"/api/games/{game}/reel").json()
    told |= {line for moment in reel["moments"] for line in (moment["now"], *moment["told"])}
    told |= {re.sub("<[^>]*>", "", element) for element in reel["elements"]}
    told |= {one["words"] for one in page.get(f"/api/games/{game}/story").json()}
    told |= set(page.get("/api/games").json()[0]["players"])
    assert not [text for text in told if CODE.search(text)]
    assert any("A & <b> eats" in text or "A & <b> receives" in text for text in told)
    assert 'data-gene="movement_1"' in view["picture"]  # where marks look for it
    assert "A &amp; &lt;b&gt;" in "".join(reel["elements"])
    assert any("Movement I" in text for text in told)
    assert any(re.search(r"\b(1|an?) (orange|light blue|yellow)\b", text) for text in told)


def test_agents_are_called_by_their_titles():
    assert spec_title("policy:model=default,deterministic=false") == "Policy"
    assert spec_title("policy:model=duel,deterministic=true") == "Policy (model duel, deterministic)"
    assert spec_title("my_bots:MyBot:depth=3") == "my_bots:MyBot:depth=3"  # not loaded to be called something
    assert spec_title("grow:nonsense=1") == "grow:nonsense=1"


def test_a_duel(page: TestClient):
    """Two players with two colours each."""
    game = begin(page, seed=3, teams=[[0, 2], [1, 3]], seats=[PERSON, RANDOM, PERSON, RANDOM], **SHORT)
    view, asked = settled(page, game), set()
    assert view["teams"] == [[0, 2], [1, 3]]
    assert view["own"] == view["you"] == [0, 2]
    assert [seat["name"] for seat in view["seats"]] == ["Person 0", "Random 1", "Person 2", "Random 3"]
    while not view["isOver"]:
        asked.add(view["question"]["player"])
        view = choose(page, game, view)
    assert asked == {0, 2}
    markers = {one["player"]: one["place"] for one in view["ranks"]}
    best = max(((0, 2), (1, 3)), key=lambda team: min(markers[seat] for seat in team))
    assert view["question"]["player"] == best[0]
    assert "win: of a team the worst place counts" in view["question"]["text"]
    assert page.get("/api/games").json()[0]["winners"] == list(best)
    record = page.get(f"/api/games/{game}/record").json()
    assert record["teams"] == [[0, 2], [1, 3]]
    assert "one plays all its seats" in refused(
        page.post("/api/games", json={"teams": [[0, 2], [1, 3]], "seats": [PERSON, RANDOM, RANDOM]}), 400
    )
    assert settled(page, begin(page, teams=[[0, 2], [1, 3]]))["own"] == [0, 2]


def test_an_agent_that_is_asked_for_the_first_time_is_said_to_prepare(page: TestClient, monkeypatch):
    monkeypatch.setattr(asking, "_known", set())
    game = begin(page, players=3, seed=3, seats=[RANDOM] * 3)
    page.post(f"/api/games/{game}/pace", json={"seconds": None})
    while True:  # until nothing has changed between the two looks at what is known
        is_known = "random" in asking._known
        view = page.get(f"/api/games/{game}").json()
        if view["waitsFor"] and is_known == ("random" in asking._known):
            break
    assert view["isPreparing"] != is_known
    asking._known.add("random")
    assert not page.get(f"/api/games/{game}").json()["isPreparing"]


def test_agents_among_themselves_go_at_any_pace(page: TestClient):
    game = begin(page, players=3, seed=2, seats=[RANDOM] * 3)
    page.post(f"/api/games/{game}/pace", json={"seconds": None})
    assert page.get(f"/api/games/{game}").json()["pace"] is None
    time.sleep(0.3)
    before = page.get(f"/api/games/{game}").json()["version"]
    time.sleep(0.3)
    assert page.get(f"/api/games/{game}").json()["version"] == before
    page.post(f"/api/games/{game}/pace", json={"seconds": 0})
    assert settled(page, game)["isOver"]
    assert "must be a number from 0 to 10" in refused(page.post(f"/api/games/{game}/pace", json={"seconds": 11}), 400)


def test_a_game_begins_from_a_position(page: TestClient):
    games = Games(1, Ruleset(players=3, income=12), seed=5)
    games.play_random(70)
    game = begin(page, position=games.to_dict(0), seats=[PERSON] * 3)
    view = settled(page, game)
    assert view["question"]["player"] == games.player[0]
    assert len(view["choices"]) == games.legal()[0].sum()
    position = page.get(f"/api/games/{game}/position").json()
    assert position["streams"]["seed"] == "5"  # JavaScript would round a large number
    assert Games.from_dict(position).state[0] == games.state[0]


def test_what_an_uploaded_record_has_is_not_taken_back(page: TestClient):
    record = next(record_games(1, Ruleset(players=3), seed=2))
    ends = [number for number, event in enumerate(record.events, 1) if len(event) == 3][40:60]
    for number in ends:
        game = page.post("/api/records", content=json.dumps(left_after(record, number).to_dict()).encode()).json()["id"]
        for player in range(3):
            page.post(f"/api/games/{game}/seats/{player}", json=PERSON)
        view = settled(page, game)
        assert not view["canUndo"]
        answer = page.post(f"/api/games/{game}/undo", json={"version": view["version"]})
        assert "nothing to take back" in refused(answer, 409)
        view = choose(page, game, view)
        if view["canUndo"]:  # chance did not follow
            assert page.post(f"/api/games/{game}/undo", json={"version": view["version"]}).status_code == 200


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_a_record_is_looked_at_and_played_on(page: TestClient, tmp_path: Path, name: str):
    records = list(record_games(2, Ruleset(players=3), agents=["<b>x</b>", "b", "c"]))
    write_records(tmp_path / name, records)
    answer = page.post("/api/records?game=2", content=(tmp_path / name).read_bytes())
    view = settled(page, answer.json()["id"])
    assert page.get("/api/games").json()[0]["isRecord"]
    assert view["isOver"]
    assert view["seats"][0]["name"] == "<b>x</b>"  # the page sets it as a text
    story = page.get(f"/api/games/{view['id']}/story").json()
    assert sum(one["player"] is not None or one["words"][:5] != "round" for one in story) == len(records[1].events)
    part = left_after(records[0], 60)
    game = page.post("/api/records", content=json.dumps(part.to_dict()).encode()).json()["id"]
    view = page.get(f"/api/games/{game}").json()
    assert view["choices"] == []
    for player, seat in enumerate((PERSON, RANDOM, RANDOM)):
        page.post(f"/api/games/{game}/seats/{player}", json=seat)
    view = settled(page, game)
    assert view["choices"]
    assert page.get(f"/api/games/{game}/story").json()[0]["words"].startswith("environment card")


def test_a_game_is_replayed_here_and_as_one_page_that_needs_no_server(page: TestClient, tmp_path: Path):
    (record,) = record_games(1, Ruleset(players=3, **SHORT["ruleset"]), agents=["<b>x</b>", "b", "c"])
    write_records(tmp_path / "game.jsonl", [record])
    game = page.post("/api/records", content=(tmp_path / "game.jsonl").read_bytes()).json()["id"]
    assert page.get(f"/games/{game}/replay").headers["content-type"].startswith("text/html")
    reel = page.get(f"/api/games/{game}/reel").json()
    plain = reel_of(frames(record), record)
    assert reel["players"] == record.agents
    assert len(reel["pictures"]) == len(plain["pictures"])
    assert page.get(f"/api/games/{game}/reel").json() == reel
    assert app._reel_at.cache_info().hits >= 1
    whole = page.get(f"/api/games/{game}/replay.html")
    assert "attachment" in whole.headers["content-disposition"]
    assert "<b>x</b>" not in whole.text
    assert not re.search(r"""(src|href)=["']?(https?:)?/""", whole.text)
    style = page.get("/page/theme.css")
    assert style.headers["content-type"].startswith("text/css")
    assert style.text == style_sheet()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{}", "line 1: format is None"),
        (b"nonsense", "line 1: not JSON"),
        (b"", "there is no record in the file"),
        (b"\n\nnonsense", "line 3: not JSON"),
        (gzip.compress(b"{}", mtime=0)[:-9], "not a whole gzip file"),
    ],
)
def test_a_strange_record_is_refused_in_words(page: TestClient, content: bytes, says: str):
    assert says in refused(page.post("/api/records", content=content), 400)


def test_an_impossible_record_is_refused_where_it_is(page: TestClient):
    (record,) = record_games(1, Ruleset(players=3))
    text = json.dumps(record.to_dict() | {"events": record.events[:5] + record.events[6:]})
    assert "event 5 is" in refused(page.post("/api/records", content=text.encode()), 400)


def test_a_position_without_dice_gets_new_ones(page: TestClient):
    position = {"players": 3, "decision": "buy", "player": 2, "bp": [9, 9, 9]}
    seeds = [page.get(f"/api/games/{begin(page, position=position)}/position").json()["streams"]["seed"] for _ in "12"]
    assert seeds[0] != seeds[1]


def test_games_are_listed_and_removed(page: TestClient):
    first, second = begin(page, seats=[PERSON | {"name": "A"}]), begin(page)
    listed = page.get("/api/games").json()
    assert {one["id"] for one in listed} == {first, second}
    assert page.delete(f"/api/games/{first}").status_code == 200
    assert [one["id"] for one in page.get("/api/games").json()] == [second]
    assert "no such game" in refused(page.get(f"/api/games/{first}"), 404)
    assert "no such game" in refused(page.delete(f"/api/games/{first}"), 404)


def test_a_damaged_game_is_said_and_leaves_the_others_alone(tmp_path: Path):
    with client(tmp_path) as page:
        good = begin(page)
    store = GameStore(tmp_path)
    bad = store.make(store.beginning(good))
    store.append(bad, ["event", 3], ["event", ["card", ["west", 6]]])
    store.close()
    with client(tmp_path) as page:
        listed = {one["id"]: one for one in page.get("/api/games").json()}
        assert f"line 1 of game {bad} cannot be read" in listed[bad]["damaged"]
        assert "damaged" not in listed[good]
        assert f"game {bad} cannot be read" in refused(page.get(f"/api/games/{bad}"), 409)
        assert page.delete(f"/api/games/{bad}").status_code == 200
    store = GameStore(tmp_path)
    assert (store.games(), store.story(bad).length) == ([good], 0)
    store.close()


# ---------------------------------------------------------------------- forms


def test_the_form_is_made_from_the_rulesets_table(page: TestClient):
    offers_ = page.get("/api/offers").json()
    # No page starts a program.
    assert offers_["agents"] == [name for name in agent_names() if name not in ("process", "sb3")]
    fields = {field["name"]: field for field in offers_["ruleset"]["fields"]}
    assert fields["income"]["meaning"] == "BP in phase 4"
    assert fields["free_stay"]["kind"] == "switch"
    assert offers_["ruleset"]["printed"]["1998-5"]["income"] == 11
    game = begin(page, players=5, edition="1997", ruleset={"income": 12, "price": {"speed": 9}}, seed=3)
    assert "changed numbers" in page.get(f"/api/games/{game}").json()["heading"]


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"players": 7}, "players is 7; it must be an integer from 3 to 6"),
        ({"edition": "2020"}, "edition is '2020'; it must be one of '1998', '1997'"),
        ({"ruleset": {"income": 1000}}, "income"),
        ({"ruleset": {"wings": 1}}, "wings"),
        ({"seed": -1}, "seed is -1"),
        ({"colour": "red"}, "there is no setting 'colour'"),
        ({"seats": [{"who": "ghost"}]}, "seats[0]: who is 'ghost'"),
        ({"seats": [{"who": "recorded"}]}, "who = 'recorded'"),
        ({"seats": [{}] * 5}, "seats has 5 entries; there are 4 players"),
        ({"seats": [{"agent": "nobody"}]}, "there is no agent 'nobody'"),
        ({"seats": [{"agent": "os:system"}]}, "there is no agent 'os:system'"),
        ({"seats": [{"agent": "process", "parameters": {"command": "true"}}]}, "there is no agent 'process'"),
        ({"seats": [{"agent": "search:ms=5"}]}, "there is no agent 'search:ms=5'"),
        ({"seats": [{"agent": "search", "parameters": {"ms": 60_000}}]}, "it must be a number from 1 to 8000"),
        ({"seats": [{"agent": "search", "parameters": {"sims": 10**9}}]}, "it must be an integer from 1 to 5000"),
        ({"seats": [{"agent": "search", "parameters": {"ms": 9999}}]}, "agent 'search': ms is 9999"),
        ({"seats": [{"agent": "search", "parameters": {"policy": "/etc/passwd"}}]}, "one of 'default', 'duel'"),
        ({"seats": [{"agent": "search", "parameters": {"ms": 10**400}}]}, "it must be a number from 1 to 8000"),
        ({"seats": [{"agent": "search", "parameters": {"depth": 3}}]}, "there is no setting 'depth'; there are ms"),
        ({"seats": [{"agent": "policy", "parameters": {"model": "evil.zip"}}]}, "it must be one of 'default', 'duel'"),
        ({"seats": [{"who": "person", "name": "x" * 41}]}, "seats[0]: name"),
        ({"position": {"decision": "buy", "player": 2, "bp": [9, 9, 1, 9]}}, "only 'pass' is legal"),
        ({"position": {"finished": True, "markers": [50, 2, 3, 4]}}, "the game is over in this position"),
        ([], "it must be a JSON object"),
    ],
)
def test_what_cannot_be_played_is_refused_in_words(page: TestClient, form, says: str):
    assert says in refused(page.post("/api/games", json=form), 400)
    assert page.get("/api/games").json() == []


def test_an_agent_with_parameters(page: TestClient):
    offered = page.get("/api/agents/search").json()
    assert offered["ms"] == {"kind": "number", "default": 20.0, "low": 1, "high": 8000}
    assert offered["policy"]["choices"] == list(forms.POLICIES)
    assert "there is no agent 'x'" in refused(page.get("/api/agents/x"), 400)
    seat = {"agent": "search", "parameters": {"sims": 2}}
    game = begin(page, players=3, seats=[PERSON, seat, RANDOM])
    assert page.get(f"/api/games/{game}").json()["seats"][1]["name"] == "Search (sims 2)"


# ---------------------------------------------------------------------- agents in trouble


class Trouble(Agent):
    """Does what the test says."""

    behaviour = "raise"

    def act(self, games: Games, rows):
        if self.behaviour == "raise":
            raise RuntimeError("no\nidea")
        if self.behaviour == "sleep":
            time.sleep(1)
        return np.array([{"illegal": 10**6, "sleep": 0}.get(self.behaviour, 0.5)])


@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        ("raise", "failed: RuntimeError: no idea"),
        ("illegal", "answered 1000000, which is no legal action"),
        ("half", "which is not one action"),
        ("sleep", "has not answered within 0.2 seconds"),
    ],
)
def test_an_agent_in_trouble_is_said_and_another_goes_on(page: TestClient, monkeypatch, behaviour: str, says: str):
    make = table.make_agent
    monkeypatch.setattr(Trouble, "behaviour", behaviour)
    monkeypatch.setattr(asking, "LONGEST_FIRST_DECISION", 0.2 if behaviour == "sleep" else 300)
    monkeypatch.setattr(table, "make_agent", lambda spec, rng: Trouble(rng) if spec == "grow" else make(spec, rng))
    game = begin(page, players=3, seed=1, seats=[RANDOM, {"agent": "grow"}, RANDOM], **SHORT)
    view = settled(page, game)
    assert says in view["seats"][1]["trouble"]
    assert not view["isOver"]
    assert view["waitsFor"] == 1
    page.post(f"/api/games/{game}/seats/1", json=RANDOM)
    view = settled(page, game)
    assert view["isOver"]
    assert view["seats"][1]["trouble"] is None


def test_a_full_disk_is_said_and_nothing_has_happened(page: TestClient, monkeypatch):
    game, view = begun(page)

    def full(self, game, *lines):
        return append(self, game, *lines, ["event", "x" * 10**6])

    append = GameStore.append
    with monkeypatch.context() as patch:
        patch.setattr(GameStore, "append", full)
        base = page.app.state.hall._store._base
        base.execute("PRAGMA max_page_count = 100")
        body = {"action": view["choices"][0]["action"], "version": view["version"]}
        answer = page.post(f"/api/games/{game}/choose", json=body)
        assert "it cannot be written, and has not happened: database or disk is full" in refused(answer, 507)
        assert page.get(f"/api/games/{game}").json()["picture"] == view["picture"]
    assert choose(page, game, view)["version"] > view["version"]


def test_a_game_goes_on_when_there_is_space_again(page: TestClient, monkeypatch):
    append, failures = GameStore.append, iter("123")

    def full_for_a_while(self, *arguments):
        if next(failures, None) is not None:
            raise OSError("disk is full")
        append(self, *arguments)

    monkeypatch.setattr(table, "_TRIES_AGAIN", 0.01)
    monkeypatch.setattr(GameStore, "append", full_for_a_while)
    view = settled(page, begin(page, players=3, seed=1, seats=[RANDOM, RANDOM, RANDOM], **SHORT))
    assert (view["isOver"], view["trouble"]) == (True, None)


def test_an_agent_that_cannot_be_made_leaves_no_game(page: TestClient, monkeypatch):
    def fails(spec, generator):
        raise ValueError("there is no library for it")

    monkeypatch.setattr(hall, "make_agent", fails)
    assert "no library" in refused(page.post("/api/games", json={}), 400)
    assert page.get("/api/games").json() == []


# ---------------------------------------------------------------------- strangers


def test_only_this_machines_names_are_answered(page: TestClient):
    for host in ("evil.example", "evil.example:8000", "10.0.0.7:8000", ""):
        assert "is not one of this server" in refused(page.get("/api/games", headers={"host": host}), 403)
    for host in ("localhost:8000", "127.0.0.1:1", "[::1]:8000", "LOCALHOST"):
        assert page.get("/api/games", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:9000", "https://127.0.0.1:8000", ""]
)
def test_no_other_site_changes_anything(page: TestClient, origin: str):
    assert "must come from a page of this server" in refused(
        page.post("/api/games", json={}, headers={"origin": origin}), 403
    )
    assert page.get("/api/games").json() == []


def test_forms_of_other_sites_are_no_json(page: TestClient):
    answer = page.post("/api/games", content="{}", headers={"content-type": "text/plain"})
    assert "must carry JSON" in refused(answer, 400)


def test_every_answer_has_the_headers(page: TestClient):
    game = begin(page)
    for path in ("/", "/editor", f"/games/{game}", "/page/style.css", "/api/games", "/nothing", f"/api/games/{game}"):
        headers = page.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/arena/{long}", 404),
        ("/api/arena/{long}", 404),
        ("/api/games/{game}/frames/{long}", 404),
        ("/api/games/{game}/events?as={long}", 403),
        ("/api/games/{game}?as=٣", 403),
        ("/games/{game}/join?seat={long}", 403),
    ],
)
def test_a_number_of_5000_digits_is_nothing_that_is_here(page: TestClient, path: str, status: int):
    refused(page.get(path.format(game=begin(page), long="9" * 5000)), status)


def test_answers_are_compressed_but_for_what_is_told_bit_by_bit(page: TestClient):
    game = begin(page, seats=[PERSON] * 4)
    answer = page.get(f"/api/games/{game}")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.num_bytes_downloaded < len(answer.content) / 5


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e%2fapp.py", "/page/none.js", "/games/../../etc/passwd"]
)
def test_no_file_but_those_of_the_page_is_served(page: TestClient, path: str):
    answer = page.get(path)
    assert answer.status_code == 404, answer.text[:100]
    assert all(page.get(f"/viewer/{name}").status_code == 200 for name in ("dom.js", "viewer.css", "figures.js"))


def test_the_page_is_small_checked_and_loads_nothing_from_elsewhere():
    files = [*PAGE.iterdir(), *VIEWER.iterdir(), *ANALYSIS_PAGE.iterdir()]
    assert sum(file.stat().st_size for file in files) < 300_000
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), file.name
        assert "innerHTML" not in text
        assert file.suffix != ".js" or text.startswith("// @ts-check\n"), file.name
        assert file.suffix != ".html" or not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=|<style", text), (
            file.name
        )


def test_uploads_have_a_limit(page: TestClient):
    large = b" " * (hall.MOST_UPLOAD + 1)
    assert "more than 5,000,000 bytes" in refused(page.post("/api/records", content=large), 413)
    answer = page.post("/api/games", content=large, headers={"content-type": "application/json"})
    assert "more than 5,000,000 bytes" in refused(answer, 413)
    bomb = gzip.compress(b"\n" * (hall.MOST_UPLOAD + 1))
    assert "holds more than" in refused(page.post("/api/records", content=bomb), 413)


def test_there_is_a_limit_of_games(page: TestClient, monkeypatch):
    monkeypatch.setattr("ursuppe_play.web.tables.hall.MOST_GAMES", 2)
    begin(page), begin(page)
    assert "remove one that is no longer needed" in refused(page.post("/api/games", json={}), 429)


def test_another_address_needs_the_token_of_its_link(tmp_path: Path):
    with client(tmp_path, host="0.0.0.0", token="secret") as page:
        assert page.get("/").status_code == 200  # it holds nothing
        assert "open the link that it has printed" in refused(page.get("/api/games"), 403)
        assert "open the link that it has printed" in refused(page.post("/api/games", json={}), 403)
        assert "not right" in refused(page.get("/enter?token=wrong"), 403)
        assert "is not one of this server" in refused(page.get("/api/games", headers={"host": "evil.example"}), 403)
        answer = page.get("/enter?token=secret", follow_redirects=False)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert page.get("/api/games").json() == []
        assert page.get("/api/games", headers={"host": "192.0.2.7:8000"}).status_code == 200


def test_the_token_stays_the_same(tmp_path: Path):
    store = GameStore(tmp_path)
    token = store.token()
    store.close()
    again = GameStore(tmp_path)
    assert again.token() == token
    assert len(token) >= 32
    assert all((file.stat().st_mode & 0o077) == 0 for file in tmp_path.iterdir())
    again.close()


def test_a_folder_that_is_there_stays_as_it_is_and_what_is_no_file_is_named(tmp_path: Path):
    tmp_path.chmod(0o755)
    GameStore(tmp_path).close()
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    (tmp_path / "odd" / "games.sqlite").mkdir(parents=True)
    with pytest.raises(OSError, match=r"Is a directory: .*games\.sqlite"):
        GameStore(tmp_path / "odd")


def test_who_has_no_right_to_it_is_refused_before_what_it_sends_is_looked_at(tmp_path: Path):
    with client(tmp_path, host="0.0.0.0", token="secret") as page:
        refused(page.post("/api/games", content=b"[[", headers={"content-type": "application/json"}), 403)


def test_each_person_has_a_link_for_one_seat(tmp_path: Path):
    with client(tmp_path, host="0.0.0.0", token="secret") as owner:
        owner.get("/enter?token=secret")
        linked = PERSON | {"link": True}
        game = begin(owner, players=3, seed=3, seats=[linked | {"name": "Anna"}, linked | {"name": "Bea"}, RANDOM])
        view = settled(owner, game)
        assert view["own"] == []
        assert view["choices"] == []
        anna, bea = (TestClient(owner.app, base_url=ADDRESS, headers={"origin": ADDRESS}) for _ in range(2))
        assert "not right" in refused(anna.get(f"/api/games/{game}?as=0"), 403)
        answer = anna.get(view["seats"][0]["link"], follow_redirects=False)
        assert answer.headers["location"] == f"/games/{game}?as=0"
        bea.get(view["seats"][1]["link"])
        assert "not right" in refused(anna.get(f"/games/{game}/join?seat=1&token=wrong"), 403)
        asked = set()
        for _ in range(10):
            player = settled(owner, game)["question"]["player"]
            asked.add(player)
            mine, other = (anna, bea) if player == 0 else (bea, anna)
            view = mine.get(f"/api/games/{game}?as={player}").json()
            assert view["own"] == [player]
            assert not view["isOwner"]
            assert all(seat["link"] is None for seat in view["seats"])
            assert "seed" not in mine.get(f"/api/games/{game}/record?as={player}").json()
            assert "dice to come" in refused(mine.get(f"/api/games/{game}/position?as={player}"), 403)
            body = {"action": view["choices"][0]["action"], "version": view["version"]}
            theirs = other.post(f"/api/games/{game}/choose?as={1 - player}", json=body)
            assert f"{view['seats'][player]['name']} is to decide now" in refused(theirs, 403)
            assert "not right" in refused(other.post(f"/api/games/{game}/choose?as={player}", json=body), 403)
            assert mine.post(f"/api/games/{game}/choose?as={player}", json=body).status_code == 200
        assert asked == {0, 1}
        assert "whoever has started the server" in refused(anna.get("/api/games"), 403)
        assert "whoever has started the server" in refused(anna.get(f"/api/games/{game}"), 403)
        assert "can give this seat" in refused(anna.post(f"/api/games/{game}/seats/1?as=0", json=RANDOM), 403)
        assert anna.post(f"/api/games/{game}/seats/0?as=0", json=RANDOM).status_code == 200  # resigns
        assert anna.get(f"/api/games/{game}?as=0").json()["own"] == []  # and looks on
        assert "can give this seat" in refused(anna.post(f"/api/games/{game}/seats/0?as=0", json=PERSON), 403)
        stop = {"seconds": None}
        for player, one in ((0, anna), (1, bea)):
            assert "the pace" in refused(one.post(f"/api/games/{game}/pace?as={player}", json=stop), 403)
        assert owner.post(f"/api/games/{game}/pace", json=stop).status_code == 200


def test_a_new_person_has_a_new_link_and_the_old_one_ends(tmp_path: Path):
    linked = PERSON | {"link": True}

    def link(owner: TestClient) -> str:
        return owner.get(f"/api/games/{game}").json()["seats"][0]["link"]

    with client(tmp_path) as owner:
        game = begin(owner, players=3, seed=3, seats=[linked | {"name": "Anna"}, PERSON, PERSON])
        anna, bea = (TestClient(owner.app, base_url=ADDRESS, headers={"origin": ADDRESS}) for _ in range(2))
        first = link(owner)
        anna.get(first)
        assert anna.get(f"/api/games/{game}?as=0").status_code == 200
        assert owner.post(f"/api/games/{game}/seats/0", json=linked | {"name": "Bea"}).status_code == 200
        second = link(owner)
        assert second != first
        assert "not right, or no longer" in refused(anna.get(f"/api/games/{game}?as=0"), 403)
        assert "not right, or no longer" in refused(anna.get(first), 403)
        bea.get(second)
        assert bea.get(f"/api/games/{game}?as=0").json()["own"] == [0]
    with client(tmp_path) as owner:  # after a new start, too
        assert link(owner) == second
        assert owner.post(f"/api/games/{game}/seats/0", json=RANDOM).status_code == 200
        assert "not right, or no longer" in refused(owner.get(second), 403)


# ---------------------------------------------------------------------- the editor, and what is drawn


def test_the_editor_is_told_what_a_position_is(page: TestClient):
    view = page.post("/api/positions", json={"decision": "buy", "player": 2, "bp": [9, 9, 9, 9]}).json()
    assert view["question"]["player"] == 2
    assert "Yellow – buy: which gene to buy" in view["picture"]
    assert not re.search(r"player \d(?!’s)", re.sub("<[^>]*>", "", view["picture"]))
    assert "buy speed" in [choice["action"] for choice in view["choices"]]
    assert Games.from_dict(view["position"]).player[0] == 2


@pytest.mark.parametrize(
    ("position", "place"),
    [
        ({"decision": "buy", "player": 0, "markers": [2, 2, 3, 4]}, "markers"),
        ({"decision": "buy", "player": 0, "food": {"1": [99, 0, 0, 0]}}, "food"),
        ({"decision": "buy", "player": 0, "bp": [-1, 0, 0, 0]}, "bp"),
        ({"decision": "buy", "player": 0, "genes": [{"wings": 1}, {}, {}, {}]}, "genes"),
        ({"decision": "buy", "player": 0, "amoebas": [[[1, 20, 0]], [], [], []]}, "amoebas"),
        ({"decision": "buy", "player": 0, "amoebas": [[[1, 1, 9]], [], [], []]}, "amoebas"),
        ({"decision": "buy", "player": 0, "card": ["west", 7]}, "card"),
        ({"decision": "fly"}, "decision"),
        ({}, "decision"),
        ([], "decision"),
    ],
)
def test_what_is_impossible_is_said_where_it_is(page: TestClient, position, place: str):
    view = page.post("/api/positions", json=position).json()
    assert view["place"] == place, view["error"]


@pytest.mark.parametrize("players", [3, 6])
def test_every_mark_is_on_the_picture(players: int):
    """Seldom drawn so: whatever an action says it is chosen at can be found."""
    games = Games(8, Ruleset(players=players, edition="1997"), seed=players)
    seen = set()
    while not games.finished.all():
        for row in np.flatnonzero(games.player >= 0)[:1]:
            game, player = games.state[row], int(games.player[row])
            texts = [games.actions.text(int(id), player) for id in np.flatnonzero(games.legal()[row])]
            selectors = {selector for text in texts for selector in marks(game, games.ruleset, text)}
            seen |= {text.split()[0] for text in texts if marks(game, games.ruleset, text)}
            drawing = ElementTree.fromstring(draw_svg(game, games.ruleset, theme=THEME))
            for selector in selectors:
                path = re.sub(r"(?:^| )\.([\w-]+)", r'//*[@class="\1"]', selector).replace("[data-", "[@data-")
                assert len(drawing.findall(f".{path}")) == 1, selector
        games.play_random(7)
    assert {"start", "space", "move", "drift", "west", "buy"} <= seen


# ---------------------------------------------------------------------- watching an arena


def test_the_table_of_an_arena_run_grows_with_its_parts(tmp_path: Path):
    run_ = tmp_path / "run"
    tournament = Tournament(
        lineups=(("grow", "random", "random"),), num_games=60, ruleset=Ruleset(players=3), games_at_once=12
    )
    rows, _ = play_tournament(tournament, run_, workers=1)
    parts = sorted((run_ / "parts").iterdir())
    kept = {part: part.read_bytes() for part in parts}
    for part in parts:
        part.unlink()
    with client(tmp_path / "games", arenas=[ArenaRun(run_)]) as page:
        assert page.get("/arena/0").status_code == 200
        assert page.get("/api/arena").json() == ["run"]
        assert "there is no such arena run" in refused(page.get("/api/arena/1"), 404)
        assert page.get("/api/arena/0").json() == {"name": "run", "games": 0, "total": 60, "seeds": 0, "agents": []}
        parts[0].write_bytes(kept[parts[0]])
        parts[1].write_bytes(b"damaged")
        first = page.get("/api/arena/0").json()
        assert 0 < first["games"] < 60
        assert first["agents"][0]["wins"]["low"] is None  # too few seeds
        for part, content in kept.items():
            part.write_bytes(content)
        whole = page.get("/api/arena/0").json()
    assert (whole["games"], whole["seeds"]) == (len(rows), 20)
    for figures in whole["agents"]:
        expected = next(one for one in summarise(tournament, rows).agents if one.agent.capitalize() == figures["agent"])
        assert figures["wins"]["estimate"] == pytest.approx(expected.win_rate.estimate)
        assert figures["rank"] == pytest.approx(expected.rank.estimate)
        assert figures["wins"]["low"] < figures["wins"]["estimate"] < figures["wins"]["high"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (None, "has no settings.json"),
        ("{", "is damaged: not JSON"),
        ("[]", "settings.json is damaged, or of something else than an arena run"),
        ('{"seed": 1}', "lineups is missing"),
        ('{"lineups": [], "games": 6, "seed": 1}', "lineups is"),
        ('{"lineups": [[]], "games": 6, "seed": 1}', "lineups"),
        ('{"lineups": [["a", 3]], "games": 6, "seed": 1}', "lineups"),
        ('{"lineups": [["a", "b"]], "games": "6", "seed": 1}', "games is '6'"),
        ('{"lineups": [["a", "b"]], "games": 6, "seed": null}', "seed is None"),
    ],
)
def test_other_folders_are_no_arena_runs(tmp_path: Path, settings: str | None, says: str):
    if settings is not None:
        (tmp_path / "settings.json").write_text(settings)
    with pytest.raises(ValueError, match=says):
        ArenaRun(tmp_path)


# ---------------------------------------------------------------------- changes that are told


def test_a_page_is_told_of_changes():
    async def listen() -> list[str]:
        listeners, state = table.Listeners(), iter(range(100))
        events = listeners.events(lambda: str(next(state)))
        told = [await anext(events)]
        for _ in range(3):
            listeners.notify()
            listeners.notify()  # several changes come as one
            told.append(await asyncio.wait_for(anext(events), 5))
        await events.aclose()
        listeners.notify()
        return told

    assert asyncio.run(listen()) == ["retry: 1000\ndata: 0\n\n", "data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]


def test_a_game_that_is_not_looked_at_is_read_when_somebody_asks(tmp_path: Path):
    with client(tmp_path) as page:
        game = begin(page, players=3, seed=1, seats=[PERSON, RANDOM, RANDOM])
        view = choose(page, game, settled(page, game))
    again = Hall(GameStore(tmp_path))
    assert again._tables == {}
    assert (again.table(game).version, again.table(game).pace) == (view["version"], 0)
    again.close()


def test_a_game_of_agents_waits_after_a_restart(tmp_path: Path):
    with client(tmp_path) as page:
        game = begin(page, players=3, seed=1, seats=[RANDOM, RANDOM, RANDOM])
        page.post(f"/api/games/{game}/pace", json={"seconds": None})
        while (view := page.get(f"/api/games/{game}").json())["waitsFor"] is None:
            pass  # chance does not wait
    with client(tmp_path) as page:
        assert page.get(f"/api/games/{game}").json().items() >= {"version": view["version"], "pace": None}.items()
        page.post(f"/api/games/{game}/seats/0", json=PERSON)
        assert settled(page, game)["choices"]


# ---------------------------------------------------------------------- the command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--port", "99999"], "--port"),
        (["--host", "no.such.host.invalid"], "cannot listen there"),
        (["--folder", "file"], "file"),
    ],
)
def test_wrong_options_are_one_line(tmp_path: Path, monkeypatch, capsys, arguments: list[str], says: str):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    if "--folder" not in arguments:
        arguments = [*arguments, "--folder", "games"]
    assert says in refusal(capsys, "web", "--no-browser", *arguments)
