"""An agent that tries its actions out on reseeded copies, as docs/agents.md says, plays wherever agents play."""

import json
from pathlib import Path

import numpy as np
import pytest

from ursuppe_agents.registry import make_agent
from ursuppe_agents.simple_agent import RandomAgent
from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_play.session import Session, new_game
from ursuppe_training.runs.trainer import Trainer

from support.training import TINY
from support.web import begin, choose, client, settled

LOOK_AHEAD = '''
import numpy as np
from ursuppe_agents import Agent


class LookAhead(Agent):
    """Plays one game at random to its end after each of two actions, and takes the better one."""

    def act(self, games, rows):
        return np.array([self.best(games, int(row)) for row in rows])

    def best(self, games, row):
        legal = np.flatnonzero(games.copy([row]).legal()[0])[:2]
        tried = games.copy([row] * len(legal), reseed=7)
        player = tried.player[0]
        tried.step(legal)
        while not tried.finished.all():
            tried.step_random()
        return legal[np.argmax(tried.markers[:, player])]
'''

STUDY = """
kind = "variants"
name = "Dear speed"
games = 3
seed = 1
lineups = [["looks:LookAhead"]]
measures = ["rounds"]

[base]
players = 3

[variants.dear]
price = { speed = 8 }
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch) -> None:
    """The agent in a module of the current folder."""
    (tmp_path / "looks.py").write_text(LOOK_AHEAD)
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def test_at_the_command_line():
    assert run(["arena", "looks:LookAhead", "random", "--games", "2", "--players", "3", "--workers", "1"]) == 0
    options = ["--players", "3", "--agents", "looks:LookAhead", "--seed", "1", "--rounds"]
    assert run(["record", "--games", "2", *options, "games.jsonl"]) == 0
    assert run(["check", "games.jsonl"]) == 0
    assert run(["export", "games.jsonl", "--out", "tables"]) == 0
    assert run(["balance", "study.toml", "--workers", "1", "--allow-module", "looks", "--out", "out"]) == 0
    assert json.loads(Path("out", "summary.json").read_text())


def test_beside_a_person():
    agents = [None, *(make_agent("looks:LookAhead", seat) for seat in (1, 2))]
    session = Session(new_game(Ruleset(players=3), 1), agents, ["person", "looks", "looks"])
    for _ in range(5):
        session.go_on()
        session.choose(session.choices()[0].action)
    assert session.record().events


def test_in_the_browser(tmp_path: Path, monkeypatch):
    looks = make_agent("looks:LookAhead", 0)
    monkeypatch.setattr(RandomAgent, "act", lambda self, games, rows: looks.act(games, rows))
    seats = [{"who": "person"}, *[{"who": "agent", "agent": "random"}] * 2]
    with client(tmp_path / "games") as page:
        view = settled(page, begin(page, players=3, seed=4, seats=seats))
        for _ in range(5):
            view = choose(page, view["id"], view)
        assert view["choices"]


def test_in_training():
    config = TINY.changed({"opponents": {"self": 1.0, "looks:LookAhead": 1.0}, "steps": 64, "envs": 4, "rollout": 16})
    trainer = Trainer(config)
    trainer.run()
    assert trainer.decisions >= 64
    assert all(np.isfinite(array).all() for array in trainer.policy.weights().arrays.values())
