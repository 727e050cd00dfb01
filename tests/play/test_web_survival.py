"""Games of ``ursuppe web`` survive: real processes, killed at any moment, and logs that were cut off anywhere."""

import json
import random
import signal
import socket
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.records import check, read_records
from ursuppe_play.web.forms import SeatForm
from ursuppe_play.web.storage import Beginning, GameFolder, GamesFolder
from ursuppe_play.web.tables import Table, new_tokens

from support.web import Server, begin, choose, client, settled

SEATS = [{"who": "person"}, {"who": "agent", "agent": "random"}, {"who": "agent", "agent": "random"}]


def ask(server: Server, path: str, body: object = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    headers = {"origin": server.address, "content-type": "application/json"}
    with urlopen(Request(server.address + path, data, headers), timeout=60) as answer:
        return json.load(answer)


def events_told(server: Server, game: str) -> tuple[int, list]:
    """The version of the game, and the events that the server would write into a record."""
    with urlopen(Request(f"{server.address}/api/games/{game}/record"), timeout=60) as answer:
        record = json.load(answer)
    return ask(server, f"/api/games/{game}")["version"], record["events"]


def until_asked(server: Server, game: str) -> dict:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        view = ask(server, f"/api/games/{game}")
        if view["choices"] or view["isOver"]:
            return view
        time.sleep(0.01)
    raise AssertionError(view)


def test_a_killed_server_comes_back_to_the_same_game_at_the_same_decision(tmp_path: Path):
    """Twenty times: whatever a page has been told is there again, event by event."""
    rng = random.Random(1)
    server = Server(tmp_path)
    game = ask(server, "/api/games", {"players": 3, "seed": 1, "seats": SEATS})["id"]
    for _ in range(20):
        told: list = []
        try:
            for _ in range(rng.randrange(1, 6)):
                view = until_asked(server, game)
                if view["isOver"]:
                    game = ask(server, "/api/games", {"players": 3, "seed": rng.randrange(99), "seats": SEATS})["id"]
                    view = until_asked(server, game)
                told = events_told(server, game)[1]
                if view["canUndo"] and rng.random() < 0.3:
                    ask(server, f"/api/games/{game}/undo", {"version": view["version"]})
                    told = []
                action = rng.choice(view["choices"])["action"]
                body = {"action": action, "version": ask(server, f"/api/games/{game}")["version"]}
                try:
                    ask(server, f"/api/games/{game}/choose", body)
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
        assert until_asked(server, game)
    server.kill()


def test_a_server_that_is_asked_to_end_does_so_in_one_line(tmp_path: Path):
    server = Server(tmp_path)
    ask(server, "/api/games", {})
    server.process.send_signal(signal.SIGINT)
    out, err = server.process.communicate(timeout=30)
    assert b"Traceback" not in out + err
    assert err.decode().splitlines()[-1:] in ([], ["ursuppe: interrupted"])
    folder = GamesFolder(tmp_path)
    assert len(list(folder.games())) == 1
    folder.close()


@pytest.mark.parametrize("times", [1, 2])
def test_pages_that_listen_and_clients_that_have_gone_leave_no_traceback(tmp_path: Path, times: int):
    server = Server(tmp_path)
    game = ask(server, "/api/games", {"players": 3, "seed": 1, "seats": [SEATS[0]] * 3})["id"]
    host = server.address.removeprefix("http://")
    with socket.create_connection(host.split(":")) as gone:  # in the middle of what it sends
        head = f"POST /api/games HTTP/1.1\r\nHost: {host}\r\nOrigin: {server.address}\r\n"
        gone.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{".encode())
    with urlopen(f"{server.address}/api/games/{game}/events", timeout=30) as events:
        events.readline()
        began = time.monotonic()
        for _ in range(times):
            server.process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        out, err = server.process.communicate(timeout=30)
    assert (out + err).decode().splitlines()[-1:] == ["ursuppe: interrupted"]
    assert b"Traceback" not in err
    assert b"ERROR" not in err
    assert time.monotonic() - began < 10


def test_changes_are_told_while_a_page_listens(tmp_path: Path):
    server = Server(tmp_path)
    try:
        game = ask(server, "/api/games", {"players": 3, "seed": 1, "seats": SEATS})["id"]
        view = until_asked(server, game)
        with urlopen(f"{server.address}/api/games/{game}/events", timeout=30) as events:
            assert events.headers["content-type"].startswith("text/event-stream")
            assert events.readline() == b"retry: 1000\n"
            assert events.readline() == f'data: {{"version": {view["version"]}}}\n'.encode()
            body = {"action": view["choices"][0]["action"], "version": view["version"]}
            ask(server, f"/api/games/{game}/choose", body)
            lines = [events.readline() for _ in range(3)]
        assert json.loads(lines[1].removeprefix(b"data: "))["version"] > view["version"]
    finally:
        server.kill()


def test_a_log_may_end_anywhere(tmp_path: Path):
    """As a killed process leaves it: the lines that are whole count, and the game goes on from there."""
    with client(tmp_path) as page:
        game = begin(page, players=3, seed=5, seats=SEATS)
        view = settled(page, game)
        for _ in range(8):
            view = choose(page, game, view)
    folder = tmp_path / "games" / game
    whole = (folder / "log.jsonl").read_bytes()
    rng = random.Random(5)
    for length in [0, 1, len(whole) - 1, *rng.sample(range(len(whole)), 12)]:
        (folder / "log.jsonl").write_bytes(whole[:length])
        story = GameFolder(folder).story()
        lines = whole[:length].count(b"\n")
        assert story.length == lines
        assert (folder / "log.jsonl").read_bytes() == b"".join(whole.splitlines(keepends=True)[:lines])
        with client(tmp_path) as page:
            assert settled(page, game)["choices"]


def test_undo_and_changes_of_seats_survive(tmp_path: Path):
    with client(tmp_path) as page:
        game = begin(page, players=3, seed=2, seats=SEATS)
        view = settled(page, game)
        while not view["canUndo"]:
            view = choose(page, game, view)
        page.post(f"/api/games/{game}/undo", json={"version": view["version"]})
        page.post(f"/api/games/{game}/seats/1", json={"who": "person", "name": "Bea"})
        before = settled(page, game)
    with client(tmp_path) as page:
        after = settled(page, game)
        assert after == before
        page.post(f"/api/games/{game}/seats/0", json=SEATS[1])
        page.post(f"/api/games/{game}/seats/1", json=SEATS[1])
        assert settled(page, game)["isOver"]
    (record,) = read_records(tmp_path / "games" / game / "record.jsonl")
    assert check(record) is None


def test_dice_and_cards_come_as_they_would_have_come(tmp_path: Path):
    """All persons, so that nothing else decides: with and without a restart after each decision."""
    persons = [{"who": "person"}] * 3
    with client(tmp_path / "a") as page:
        whole = begin(page, players=3, seed=9, seats=persons)
        view = settled(page, whole)
        for _ in range(12):
            view = choose(page, whole, view)
        expected = page.get(f"/api/games/{whole}/position").json()
    with client(tmp_path / "b") as page:
        parted = begin(page, players=3, seed=9, seats=persons)
    for _ in range(12):
        with client(tmp_path / "b") as page:
            choose(page, parted, settled(page, parted))
    with client(tmp_path / "b") as page:
        assert page.get(f"/api/games/{parted}/position").json() == expected


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda table: table | {"format": "other/1"}, "it must be a JSON object with format 'ursuppe-table/1'"),
        (lambda table: table | {"players": 9}, "players is 9"),
        (lambda table: table | {"seats": [{"who": "ghost"}]}, "who is 'ghost'"),
        (lambda table: {key: value for key, value in table.items() if key != "seed"}, "KeyError: 'seed'"),
        (lambda table: [], "it must be a JSON object"),
    ],
)
def test_a_damaged_beginning_is_said_in_words(tmp_path: Path, change, says: str):
    folder = GamesFolder(tmp_path)
    beginning = Beginning(Ruleset(players=3), 1, tuple(SeatForm(who="person") for _ in range(3)), new_tokens(3), 0.0)
    identity, game = folder.make(beginning)
    assert game.beginning() == beginning
    file = tmp_path / "games" / identity / "table.json"
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    with pytest.raises(ValueError, match=r"table\.json is damaged: ") as raised:
        Table(identity, game)
    assert says in str(raised.value)
    folder.close()
