"""Games of ``ursuppe web`` survive: real processes, killed at any moment, and files that were cut off anywhere."""

import json
import random
import signal
import socket
import sqlite3
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.records import Record, check
from ursuppe_env.records.format import result
from ursuppe_play.web.forms import SeatForm
from ursuppe_play.web.tables.storage import FILE, Beginning, GameStore
from ursuppe_play.web.tables.table import Table, new_tokens

from support.web import PERSON, RANDOM, Server, begin, choose, client, settled

SEATS = [PERSON, RANDOM, RANDOM]


def events_told(server: Server, game: str) -> tuple[int, list]:
    """The version of the game, and the events that the server would write into a record."""
    record = server.ask(f"/api/games/{game}/record")
    return server.ask(f"/api/games/{game}")["version"], record["events"]


def test_a_killed_server_comes_back_to_the_same_game_at_the_same_decision(
    tmp_path: Path, request: pytest.FixtureRequest
):
    """Four times: whatever a page has been told is there again, event by event."""
    rng = random.Random(1)
    server = Server(tmp_path)
    request.addfinalizer(lambda: server.process.kill())  # of the last one, whatever happens
    game = server.ask("/api/games", {"players": 3, "seed": 1, "seats": SEATS})["id"]
    for _ in range(4):
        told: list = []
        try:
            for _ in range(rng.randrange(1, 6)):
                view = server.until_asked(game)
                if view["isOver"]:
                    game = server.ask("/api/games", {"players": 3, "seed": rng.randrange(99), "seats": SEATS})["id"]
                    view = server.until_asked(game)
                told = events_told(server, game)[1]
                if view["canUndo"] and rng.random() < 0.3:
                    server.ask(f"/api/games/{game}/undo", {"version": view["version"]})
                    told = []
                action = rng.choice(view["choices"])["action"]
                body = {"action": action, "version": server.ask(f"/api/games/{game}")["version"]}
                try:
                    server.ask(f"/api/games/{game}/choose", body)
                    version, told = events_told(server, game)  # agents may have gone on since it answered
                    assert version >= len(told)
                except HTTPError:
                    pass  # after an undo it may be no legal action
        finally:
            time.sleep(rng.random() / 50)  # while the agents are at it
            server.kill()
        server = Server(tmp_path)
        _, events = events_told(server, game)
        assert events[: len(told)] == told
        assert server.until_asked(game)
    server.kill()


def told_of(view: dict) -> bytes:
    return f'data: {{"version": {view["version"]}}}\n'.encode()


@pytest.mark.parametrize("times", [1, 2])
def test_pages_hear_of_changes_and_leave_no_traceback_nor_do_clients_that_have_gone(
    request, tmp_path: Path, times: int
):
    server = Server(tmp_path)
    request.addfinalizer(server.process.kill)
    game = server.ask("/api/games", {"players": 3, "seed": 1, "seats": [PERSON] * 3})["id"]
    host = server.address.removeprefix("http://")
    with socket.create_connection(host.split(":")) as gone:  # in the middle of what it sends
        head = f"POST /api/games HTTP/1.1\r\nHost: {host}\r\nOrigin: {server.address}\r\n"
        gone.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{".encode())
    view = server.until_asked(game)
    with urlopen(f"{server.address}/api/games/{game}/events", timeout=30) as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        assert [events.readline(), events.readline()] == [b"retry: 1000\n", told_of(view)]
        body = {"action": view["choices"][0]["action"], "version": view["version"]}
        server.ask(f"/api/games/{game}/choose", body)
        assert [events.readline(), events.readline()] == [b"\n", told_of(server.ask(f"/api/games/{game}"))]
        began = time.monotonic()
        for _ in range(times):
            server.process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        out, err = server.process.communicate(timeout=30)
    assert (out + err).decode().splitlines()[-1:] == ["ursuppe: interrupted"]
    assert b"Traceback" not in err
    assert b"ERROR" not in err
    assert time.monotonic() - began < 10
    store = GameStore(tmp_path)  # whose file is free
    assert store.games() == [game]
    store.close()


def a_game(store: GameStore) -> str:
    rules = Ruleset(players=3)
    record = Record(rules, [], result(Games(1, rules), 0), seed=1)
    return store.make(Beginning(record=record, seats=[SeatForm(who="person")] * 3, tokens=new_tokens(3), made=0.0))


def test_what_a_process_was_writing_may_end_anywhere(tmp_path: Path):
    """What it has written before counts, each transaction whole."""
    store = GameStore(tmp_path / "whole")
    game = a_game(store)
    store.close()
    store = GameStore(tmp_path / "whole")
    for number in range(8):
        store.append(game, ["event", [number]], ["event", [number]])
    files = {name: (tmp_path / "whole" / name).read_bytes() for name in (FILE, f"{FILE}-wal")}
    store.close()
    log, lengths, rng = files[f"{FILE}-wal"], set(), random.Random(5)
    for number, length in enumerate([0, 1, len(log) - 1, len(log), *rng.sample(range(len(log)), 12)]):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / FILE).write_bytes(files[FILE])
        (tmp_path / str(number) / f"{FILE}-wal").write_bytes(log[:length])
        store = GameStore(tmp_path / str(number))
        story = store.story(game)
        assert story.events == [[event // 2] for event in range(story.length)]
        assert story.length % 2 == 0
        store.append(game, ["event", ["on"]])
        assert store.story(game).length == story.length + 1
        lengths.add(story.length)
        store.close()
    assert {0, 16} <= lengths
    assert len(lengths) > 4


def test_undo_changes_of_seats_and_the_dice_to_come_survive(tmp_path: Path):
    with client(tmp_path) as page:
        game = begin(page, players=3, seed=2, seats=SEATS)
        view = settled(page, game)
        while not view["canUndo"]:
            view = choose(page, game, view)
        page.post(f"/api/games/{game}/undo", json={"version": view["version"]})
        page.post(f"/api/games/{game}/seats/1", json=PERSON | {"name": "Bea"})
        before, position = settled(page, game), page.get(f"/api/games/{game}/position").json()
    with client(tmp_path) as page:
        assert settled(page, game) == before
        assert page.get(f"/api/games/{game}/position").json() == position  # with the streams of chance
        page.post(f"/api/games/{game}/seats/0", json=RANDOM)
        page.post(f"/api/games/{game}/seats/1", json=RANDOM)
        assert settled(page, game)["isOver"]
        answer = page.get(f"/api/games/{game}/record")
    assert check(Record.from_dict(answer.json())) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda table: table | {"record": table["record"] | {"players": 9}}, "players is 9"),
        (lambda table: table | {"seats": [{"agent": "gone"}]}, "there is no agent 'gone' here"),
        (lambda table: {key: value for key, value in table.items() if key != "made"}, "made is missing"),
        (lambda table: [], "must be a mapping, not list"),
    ],
)
def test_a_beginning_that_cannot_be_read_is_said_in_words(tmp_path: Path, monkeypatch, change, says: str):
    store = GameStore(tmp_path)
    beginning = store.beginning(a_game(store))
    assert Beginning(**json.loads(json.dumps(beginning.model_dump()))) == beginning
    damaged = change(beginning.model_dump())
    monkeypatch.setattr(Beginning, "model_dump", lambda self: damaged)
    game = store.make(beginning)
    with pytest.raises(ValueError, match=f"{FILE}: the beginning of game {game} cannot be read: ") as raised:
        Table(game, store)
    assert says in str(raised.value)
    store.close()


def test_a_folder_that_cannot_be_used_is_said_in_one_line(tmp_path: Path):
    store = GameStore(tmp_path / "used")
    with pytest.raises(ValueError, match="used is used by another server; stop it, or give another --folder"):
        GameStore(tmp_path / "used")
    store.close()
    whole = (tmp_path / "used" / FILE).read_bytes()
    for number, content in enumerate((b"nonsense" * 999, whole[:5000], whole[:4096] + b"\xff" * 200 + whole[4296:])):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / FILE).write_bytes(content)
        with pytest.raises(ValueError, match=f"{FILE} is damaged: .*; move it away, or give another --folder"):
            GameStore(tmp_path / str(number))
    GameStore(tmp_path / "used").close()
    with sqlite3.connect(tmp_path / "used" / FILE) as base:
        base.execute("PRAGMA user_version = 9")
    base.close()
    with pytest.raises(ValueError, match="is of another version of ursuppe-env"):
        GameStore(tmp_path / "used")
