"""The example with a language model, against a local stand-in that also answers nonsense, slowly, or not at all."""

import json
import shlex
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.protocol.bot import stop_bots
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games, Ruleset

from support.bots import SHORT, play_out

EXAMPLE = Path(__file__).parents[2] / "examples" / "llm_bot.py"


class StandIn(ThreadingHTTPServer):
    """In place of a model; ``answer`` makes its answer to a question, or the whole body."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = lambda question: "I think.\n1"
        self.asked: list[dict] = []
        self.headers: list[dict] = []


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(body)
        server.headers.append(dict(self.headers))
        assert self.path == "/v1/chat/completions"
        answer = server.answer(body["messages"][-1]["content"])
        if isinstance(answer, int):
            self.send_error(answer)
            return
        if isinstance(answer, str):
            answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": answer}}]}).encode()
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)
        except OSError:  # nobody waits for it any more
            pass

    def log_message(self, *_):
        pass


@pytest.fixture
def model():
    server = StandIn()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    stop_bots()
    server.shutdown()
    server.server_close()
    thread.join()


def agent_for(model: StandIn, *options: str, port: int | None = None):
    url = f"http://127.0.0.1:{port or model.server_port}/v1"
    command = [sys.executable, str(EXAMPLE), "--url", url, "--model", "stand-in", *options]
    return make_agent(agent_spec("process", command=shlex.join(command), ms=60_000), seed=0)


def games_at_divide() -> Games:
    games = Games(1, seed=3)
    games.play_random(90)
    assert games.legal()[0].sum() == 6
    return games


def first(games: Games, number: int = 1) -> list[int]:
    return [int(np.flatnonzero(mask)[number - 1]) for mask in games.legal()]


def test_the_model_sees_the_game_in_english_and_its_number_is_taken(model, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-secret")
    games = games_at_divide()
    model.answer = lambda question: "Space 6 has 13 cubes.\n**3**"
    assert agent_for(model).act(games, np.array([0])).tolist() == first(games, 3)
    [asked] = model.asked
    assert (asked["model"], asked["temperature"]) == ("stand-in", 0.0)
    question = asked["messages"][1]["content"]
    assert games.describe(0, int(games.player[0])).split("\n\n")[0] in question
    assert "\n3. space 6: divide to space 6 (6 BP)\n" in question
    assert model.headers[0]["Authorization"] == "Bearer a-secret"


def test_parts_can_be_left_out(model):
    agent_for(model, "--no-position", "--no-meanings").act(games_at_divide(), np.array([0]))
    question = model.asked[0]["messages"][1]["content"]
    assert "Space 15" not in question
    assert "\n3. space 6\n" in question
    assert question.startswith("You decide (divide): where to divide.")


def test_several_games_are_asked_about_at_the_same_time(model):
    together = threading.Barrier(4, timeout=10)
    model.answer = lambda question: (together.wait(), "2")[1]
    games = Games(4, SHORT)
    assert agent_for(model).act(games, np.arange(4)).tolist() == first(games, 2)


@pytest.mark.parametrize(
    "answer",
    [
        "I do not want to play.",
        "",
        "99",
        "0",
        "9" * 5000,
        500,
        404,
        b"{}",
        b"not JSON",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": null}}]}',
        b"[1]",
        "slow",
    ],
    ids=repr,
)
def test_nonsense_and_silence_are_asked_again_and_then_random(model, answer):
    games = games_at_divide()
    if answer == "slow":
        model.answer = lambda question: (time.sleep(1), "1")[1]
    else:
        model.answer = lambda question: answer
    [action] = agent_for(model, "--seconds", "0.3" if answer == "slow" else "20").act(games, np.array([0]))
    assert games.legal()[0, action]
    assert len(model.asked) == 2


def test_the_second_attempt_counts(model):
    answers = iter(["what?", "4"])
    model.answer = lambda question: next(answers)
    games = games_at_divide()
    assert agent_for(model).act(games, np.array([0])).tolist() == first(games, 4)


def test_nobody_at_the_address_is_random_play_to_the_end(model):
    free = StandIn()
    free.server_close()
    agent = agent_for(model, port=free.server_port)
    play_out(agent, Games(2, Ruleset(players=3, end_zone=4), seed=1))
    assert model.asked == []
