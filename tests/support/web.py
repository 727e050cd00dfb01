"""A server for tests: in this process, or as one of its own."""

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from starlette.testclient import TestClient

from ursuppe_play.web.app import make_app
from ursuppe_play.web.tables.storage import GameStore

ADDRESS = "http://127.0.0.1:8000"
#: Who sits in a seat, as a page says it.
RANDOM, PERSON = {"who": "agent", "agent": "random"}, {"who": "person"}
#: Games that are over soon.
SHORT: dict[str, Any] = {"ruleset": {"environment": [["west", 9], ["none", 14]]}}


@contextmanager
def client(folder: Path, **arguments: Any) -> Iterator[TestClient]:
    """A page of a server in this process."""
    app = make_app(GameStore(folder), **arguments)
    with TestClient(app, base_url=ADDRESS, headers={"origin": ADDRESS}) as page:
        yield page


def begin(page: TestClient, **form: Any) -> str:
    """The identity of a new game."""
    answer = page.post("/api/games", json=form)
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def settled(page: TestClient, game: str, query: str = "") -> dict[str, Any]:
    """The game when it waits for a person, stands still or is over."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        view = page.get(f"/api/games/{game}{query}").json()
        is_moving = view["waitsFor"] is not None and not any(seat["trouble"] for seat in view["seats"])
        if view["isOver"] or (view["question"]["title"] == "to decide" and not is_moving):
            return view
        time.sleep(0.01)
    raise AssertionError(view)


def choose(page: TestClient, game: str, view: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """Take the action of this number, and look again when the others have had their turns."""
    action = view["choices"][number]["action"]
    answer = page.post(f"/api/games/{game}/choose", json={"action": action, "version": view["version"]})
    assert answer.status_code == 200, answer.text
    return settled(page, game)


class Server:
    """``ursuppe web`` as a process.

    Args:
        folder: of its games.
        arguments: further ones of the command.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "ursuppe_env", "web", "--port", "0", "--no-browser", "--folder", str(folder)]
        self.process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.link = self._link()
        self.address = re.match(r"http://[^/]+", self.link)[0]

    def ask(self, path: str, body: object = None) -> Any:
        """What the server answers a page of its own."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"origin": self.address, "content-type": "application/json"}
        with urlopen(Request(self.address + path, data, headers), timeout=60) as answer:
            return json.load(answer)

    def until_asked(self, game: str) -> Any:
        """The game as soon as a person is asked, or it is over."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            view = self.ask(f"/api/games/{game}")
            if view["choices"] or view["isOver"]:
                return view
            time.sleep(0.01)
        raise AssertionError(view)

    def _link(self) -> str:
        told = b""
        deadline = time.monotonic() + 120
        while b"\n" not in told:
            assert self.process.poll() is None, self.process.stderr.read().decode()
            assert time.monotonic() < deadline
            if select.select([self.process.stdout], [], [], 1)[0]:
                told += os.read(self.process.stdout.fileno(), 4096)
        return re.search(r"Ursuppe is at (\S+)", told.decode())[1]

    def kill(self) -> None:
        """Without a warning."""
        self.process.kill()
        self.process.communicate()
