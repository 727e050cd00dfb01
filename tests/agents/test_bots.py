"""Bots of the examples, bots that are tried, agents that are bots; and that no file can have one started."""

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.protocol import bot as bots
from ursuppe_agents.protocol import check as checks
from ursuppe_agents.protocol.bot import stop_bots
from ursuppe_agents.protocol.check import check_bot
from ursuppe_agents.protocol.messages import FROM_BOT, FROM_HOST, Decide, Decision, Hello, read_message, schemas
from ursuppe_agents.protocol.messages import Teams as TeamsMessage
from ursuppe_agents.protocol.process_agent import game_message, shown_decisions
from ursuppe_agents.protocol.server import lines_of, serve
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games
from ursuppe_env.cli import run
from ursuppe_env.rules.nodes import Decision as Node

from support.bots import SHORT, play_out

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture(autouse=True)
def no_bot_is_left():
    yield
    stop_bots()


def test_the_messages_in_the_documentation_are_right():
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    [talk] = re.findall(r"^```text\n(> .*?)^```$", page, re.MULTILINE | re.DOTALL)
    [error] = re.findall(r'`({"type":"error".*?})`', page)
    lines = [*talk.replace("{...}", "{}").splitlines(), f"< {error}"]
    messages = [json.loads(line[2:]) for line in lines]
    assert {message["type"] for message in messages} == {*FROM_HOST, *FROM_BOT}
    for line, message in zip(lines, messages, strict=True):
        jsonschema.validate(message, schemas()[message["type"]])
        read_message(line[2:].encode(), FROM_HOST if line[0] == ">" else FROM_BOT)


@pytest.fixture(scope="module")
def c_bot(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    program = tmp_path_factory.mktemp("c") / "bot"
    subprocess.run(
        [compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, EXAMPLES / "bot.c"], check=True
    )
    return str(program)


@pytest.fixture(params=["python", "node", "c"])
def example(request):
    if request.param == "c":
        return request.getfixturevalue("c_bot")
    if request.param == "node" and shutil.which("node") is None:
        pytest.skip("there is no Node")
    return shlex.join(
        [sys.executable, str(EXAMPLES / "bot.py")] if request.param == "python" else ["node", str(EXAMPLES / "bot.js")]
    )


def test_the_examples_pass_the_check(example: str):
    findings = check_bot(example, ms=10_000)
    assert findings.problems == []
    assert set(findings.decisions) == {kind.name.lower() for kind in Node}


def test_the_examples_play_with_the_same_seeds_the_same_games(example: str):
    spec = agent_spec("process", command=example)
    games = [play_out(make_agent(spec, seed=5), Games(2, SHORT, seed=4)) for _ in range(2)]
    assert (games[0].state == games[1].state).all()


def test_the_example_in_python_is_short_and_needs_nothing_of_ours():
    text = (EXAMPLES / "bot.py").read_text(encoding="utf-8")
    code = [line for line in text.split('"""', 2)[2].splitlines() if line.strip()]
    assert len(code) <= 40
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) == {"json", "random", "sys"}


WRONG = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "name": "fussy", "sees": []}), flush=True)
    if message["type"] == "decide":
        actions = [
            {"game": one["game"], "action": "fly" if one["decision"] == "cling" else one["ids"][0]}
            for one in message["decisions"]
        ]
        print(json.dumps({"type": "action", "request": message["request"], "actions": actions}), flush=True)
if len(sys.argv) > 1:
    import time
    time.sleep(100)
"""


def test_the_check_says_what_is_wrong_and_ends_with_status_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(checks, "_odd_rulesets", lambda: [])
    (tmp_path / "bot.py").write_text(WRONG)
    command = shlex.join([sys.executable, str(tmp_path / "bot.py")])
    assert run(["bot", "check", command]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("in a decision cling with Ruleset(players=3, edition='1998') it gave the illegal action")
    assert "'fly'" in lines[0]
    assert re.search(r"^fussy: [\d,]+ decisions of 15 kinds in \d+ games, .* ms each: 10 wrong$", lines[-1])


def test_the_check_says_that_a_bot_does_not_end(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "_odd_rulesets", lambda: [])
    monkeypatch.setattr(checks, "_every_game", lambda: [])
    monkeypatch.setattr(bots, "_GRACE", 0.3)
    (tmp_path / "bot.py").write_text(WRONG.replace('"fly"', 'one["ids"][-1]'))
    findings = check_bot(shlex.join([sys.executable, str(tmp_path / "bot.py"), "stay"]), ms=10_000)
    assert findings.problems == ["it did not end after 'bye', with no more input"]


def test_the_check_ends_with_a_bot_that_dies_again_and_again(tmp_path, capsys):
    (tmp_path / "bot.py").write_text(WRONG.replace('"fly" if', "sys.exit('ouch') if").replace("cling", "place"))
    assert run(["bot", "check", shlex.join([sys.executable, str(tmp_path / "bot.py")])]) == 1
    out = capsys.readouterr().out
    assert "it ended with the status 1; on stderr it said: ouch, for the second time" in out
    assert out.endswith("1 wrong\n")


def test_the_check_of_no_bot_is_refused(capsys):
    assert run(["bot", "check", "no-such-bot"]) == 2
    assert "there is no program 'no-such-bot'" in capsys.readouterr().err
    assert run(["bot", "check", "true"]) == 2
    assert "agent 'process': 'true' did not answer 'hello': it ended with the status 0" in capsys.readouterr().err


def test_a_served_agent_plays_as_it_does_here():
    command = shlex.join([sys.executable, "-m", "ursuppe_env", "bot", "serve", "hunter"])
    served = make_agent(agent_spec("process", command=command, ms=60_000), seed=0)
    far = play_out(served, Games(2, SHORT, seed=4))
    near = play_out(make_agent("hunter", seed=0), Games(2, SHORT, seed=4))
    assert (far.state == near.state).all()


def conversation(*messages, spec: str = "random") -> list[dict]:
    """What a served agent answers; an error may end it."""
    out = io.BytesIO()
    lines = [message if isinstance(message, bytes) else message.line() for message in messages]
    try:
        serve(spec, lines, out)
    except ValueError:
        assert json.loads(out.getvalue().splitlines()[-1])["type"] == "error"
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    for answer in answers:
        jsonschema.validate(answer, schemas()[answer["type"]])
    return answers


HELLO = Hello(host="test", version="1", sees=["position"])
GAME = game_message(0, 1, SHORT, None, seed=5, ms=None, sees=())


def asked(**changes) -> Decide:
    games = Games(1, SHORT, seed=2)
    decision = shown_decisions(games, np.array([0]), [0], ["position"])[0] | changes
    return Decide(request=1, decisions=[Decision(**decision)])


def test_a_served_agent_compiles_and_loads_before_it_is_ready(tmp_path, monkeypatch):
    (tmp_path / "slow.py").write_text(
        "from ursuppe_agents import Agent\n"
        "class Slow(Agent):\n"
        "    asked = []\n"
        "    def act(self, games, rows):\n"
        "        self.asked.append(games.num_players)\n"
        "        return games.legal()[rows].argmax(axis=1)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert [answer["type"] for answer in conversation(HELLO, spec="slow:Slow")] == ["ready"]
    assert import_module("slow").Slow.asked == [3, 4, 5, 6]


def test_keys_of_later_versions_are_ignored_by_a_served_agent():
    later = [json.dumps(json.loads(message.line()) | {"mood": "good"}).encode() for message in (HELLO, GAME, asked())]
    assert [answer["type"] for answer in conversation(*later)] == ["ready", "action"]


def test_a_served_agent_is_ready_and_answers():
    ready, action = conversation(HELLO, GAME, asked(), b'{"type": "over", "game": 0}', b'{"type": "bye"}', b"nonsense")
    assert (ready["name"], ready["sees"]) == ("random", ["position"])
    assert action["actions"][0]["action"] in asked().decisions[0].ids


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([b"{"], "not JSON"),
        ([Hello(protocol=2, host="x", version="1", sees=[])], "protocol is 2; this program knows version 1"),
        ([HELLO, asked()], "decide: game 0 has not begun; there must be a message 'game' first"),
        ([HELLO, GAME, asked(position=None)], "decide: game 0: position is missing; 'ready' asked for it"),
        ([HELLO, GAME, asked(ids=[1, 2])], r"decide: game 0: ids is \[1, 2\]; legal in its position are \["),
        ([HELLO, GAME, asked(position={"decision": "buy", "player": 7})], "decide: game 0: .*7"),
        ([HELLO, GAME, asked(position={"finished": True, "markers": [9, 1, 2, 45]})], "decide: game 0: "),
        ([HELLO, GAME.model_copy(update={"teams": TeamsMessage(seats=[[0]], score="worst")})], "teams|seats"),
    ],
)
def test_a_served_agent_says_what_is_wrong_with_its_host(messages: list, says: str):
    answer = conversation(*messages)[-1]
    assert answer["type"] == "error"
    assert re.search(says, answer["message"])


def test_too_long_a_line_of_a_host_is_refused(monkeypatch):
    monkeypatch.setattr("ursuppe_agents.protocol.messages.LONGEST_FROM_HOST", 10)
    with pytest.raises(ValueError, match="the host sent a line of more than 10 bytes"):
        list(lines_of(io.BytesIO(b"x" * 20)))


def test_no_agent_is_served_under_a_wrong_spec(capsys):
    assert run(["bot", "serve", "nobody"]) == 2
    assert "there is no agent 'nobody'" in capsys.readouterr().err


def test_a_study_starts_no_program_unless_that_is_allowed(tmp_path, capsys):
    spec = agent_spec("process", command=f"touch {tmp_path / 'started'}")
    (tmp_path / "study.toml").write_text(f"kind = 'variants'\nname = 'x'\ngames = 4\nlineups = [['{spec}']]\n")
    command = ["balance", str(tmp_path / "study.toml"), "--workers", "1"]
    for allowed in ([], ["--allow-command", "touch"], ["--allow-module", spec], ["--allow-module", "process"]):
        assert run([*command, *allowed]) == 2
        error = capsys.readouterr().err
        assert "lineups: agent 'process:command=touch" in error
        assert f"if you trust it, say so with --allow-command 'touch {tmp_path / 'started'}'" in error
    assert not (tmp_path / "started").exists()
    assert run([*command, "--allow-command", f"touch {tmp_path / 'started'}"]) == 2
    assert "did not answer 'hello'" in capsys.readouterr().err
    assert (tmp_path / "started").exists()
