"""The line protocol: bots in other processes, what they are told, and what is said of those that are at fault."""

import json
import shlex
import signal
import subprocess
import sys
import time

import jsonschema
import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.agent import Fault
from ursuppe_agents.protocol import bot as bots
from ursuppe_agents.protocol.bot import bot_of, stop_bot, stop_bots
from ursuppe_agents.protocol.messages import FOLDER, FROM_BOT, FROM_HOST, read_message, schemas
from ursuppe_agents.registry import agent_spec
from ursuppe_env import Games, Ruleset
from ursuppe_env.cli import run
from ursuppe_env.teams import Teams
from ursuppe_lab.arena import AgentError, Tournament, play_tournament

from support.bots import SHORT, play_out
from support.command import end_soon, is_running

# A bot that takes the first legal action, does as its first argument says in its N-th answer (the second argument), and
# writes what it is told into the file of the third.
BOT = """
import json, os, signal, sys, time
mode, turn, log = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], "a")
sees = ["position", "observation", "text"] if mode == "sees all" else []
def say(**message):
    print(json.dumps(message), flush=True)
answers = 0
for line in sys.stdin:
    log.write(line)
    log.flush()
    message = json.loads(line)
    if message["type"] == "hello":
        if mode == "no ready":
            say(type="hello")
        elif mode == "no hello":
            sys.exit("I do not want to")
        else:
            say(type="ready", name="first", sees=sees)
    if message["type"] == "bye" and mode != "stays":
        break
    if message["type"] != "decide":
        continue
    answers += 1
    actions = [{"game": one["game"], "action": one["ids"][0]} for one in message["decisions"]]
    request = message["request"]
    if mode.startswith("slow at first") and answers == 1:
        time.sleep(0.6)
    if answers == turn:
        match mode:
            case "illegal": actions[-1]["action"] = "fly"
            case "illegal id": actions[-1]["action"] = 9999
            case "missing": actions = actions[1:] or [{"game": 77, "action": 0}]
            case "twice": actions += actions[:1]
            case "garbage": print("{what?", flush=True); continue
            case "other type": say(type="ready", name="again"); continue
            case "extra key": say(type="action", request=request, actions=actions, mood="good"); continue
            case "wrong request": request = 999
            case "error": say(type="error", message="too" + chr(27) + "[31m hard\\nnow"); continue
            case "long line": print("x" * 2_000_000, flush=True); continue
            case "many lines": os.write(1, b"x\\n" * 5000); continue
            case "stderr": sys.stderr.write("help! " * 4_000_000); sys.stderr.flush()
            case "late": time.sleep(1)
            case "never": time.sleep(1000)
            case "stray": print("thinking", flush=True); time.sleep(0.05)
            case "unasked": say(type="action", request=request, actions=actions)
            case "dies" | "slow at first, then dies": sys.exit("no more")
            case "is killed": os.kill(os.getpid(), signal.SIGSEGV)
            case "closes": os.close(1); time.sleep(1000)
    if mode == "always dies":
        sys.exit("again" + chr(27) + "[2J and\\nagain")
    if mode == "comments":
        actions[0]["comment"] = "a fine move"
    say(type="action", request=request, actions=actions)
if mode == "stays":
    time.sleep(1000)
"""


@pytest.fixture(autouse=True)
def no_bot_is_left(monkeypatch):
    monkeypatch.setattr(bots, "SECONDS_FOR_THE_FIRST", 0)
    yield
    monkeypatch.setattr(bots, "_GRACE", 0.1)
    stop_bots()


@pytest.fixture
def bot(tmp_path):
    """The command of a bot that does something in its N-th answer."""
    file = tmp_path / "bot.py"
    file.write_text(BOT)

    def command(mode: str = "", turn: int = 1) -> str:
        return shlex.join([sys.executable, str(file), mode, str(turn), str(tmp_path / "log.jsonl")])

    return command


@pytest.fixture
def told(tmp_path):
    """What the bot was told, by type."""
    return lambda type_: [
        message
        for message in map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())
        if message["type"] == type_
    ]


def agent_of(command: str, seed: int = 0, **parameters):
    return make_agent(agent_spec("process", command=command, **parameters), seed)


# ---------------------------------------------------------------------- messages


def test_the_schemas_of_the_package_are_those_of_the_messages():
    written = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FOLDER.glob("*.json")}
    assert written == schemas(), "run: python -m ursuppe_agents.protocol.messages"
    assert set(schemas()) == {*FROM_HOST, *FROM_BOT}
    for schema in schemas().values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_all_that_a_bot_is_told_is_of_the_schemas(bot, told, tmp_path):
    command = bot("sees all")
    agent = agent_of(command)
    agent.teams = Teams(((0, 2), (1, 3)))
    play_out(agent, Games(2, Ruleset(end_zone=10), seed=1))
    assert stop_bot(command)  # it ends when it is told goodbye
    lines = (tmp_path / "log.jsonl").read_bytes().splitlines()
    types = set()
    validators = {type_: jsonschema.Draft202012Validator(schema) for type_, schema in schemas().items()}
    for line in lines:
        message = json.loads(line)
        assert message.keys() <= type(read_message(line, FROM_HOST)).model_fields.keys()
        validators[message["type"]].validate(message)
        types.add(message["type"])
    assert types == set(FROM_HOST)
    assert [json.loads(line)["type"] for line in (lines[0], lines[-1])] == ["hello", "bye"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"[1]", "it is no JSON object"),
        (b"{", "not JSON"),
        (b'{"type": "bye"}', "its type is 'bye'; it must be 'ready' or 'action' or 'error'"),
        (b'{"type": ["ready"]}', r"its type is \['ready'\]"),
        (b'{"type": "ready"}', "ready: name is missing"),
        (b'{"type": "ready", "name": "x", "sees": ["all"]}', "ready: sees"),
        (b'{"type": "action", "request": 1, "actions": []}', "action: actions"),
        (b'{"type": "action", "request": 1, "actions": [{"game": 0, "action": 1.5}]}', "action: actions"),
        (b'{"type": "action", "request": 1, "actions": [{"game": 0, "action": true}]}', "action: actions"),
        (b'{"type": "action", "request": 1, "acts": []}', "action: .*acts|action: actions is missing"),
        (b'{"type": "ready", "name": "x", "name": "y"}', "'name' occurs twice"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_wrong_message_is_refused_in_words(line: bytes, says: str):
    with pytest.raises(ValueError, match=says):
        read_message(line, FROM_BOT)


# ---------------------------------------------------------------------- what a bot is told


def test_a_decision_shows_what_the_bot_wants_and_not_the_future(bot, told):
    games = Games(4, [Ruleset(end_zone=20), Ruleset(edition="1997", price={"speed": 9}, carry=0)], seed=5)
    games.play_random(60)
    agent = agent_of(bot("sees all"))
    agent.act(games, np.array([3, 1]))
    begun, [asked] = told("game"), told("decide")
    assert [one["game"] for one in asked["decisions"]] == [one["game"] for one in begun] == [0, 1]
    layout = {name: slice(*part) for name, part in begun[0]["observation_layout"].items()}
    assert layout == games.observation_layout
    for row, game, shown in zip((3, 1), begun, asked["decisions"], strict=True):
        assert Ruleset.from_changes(game["players"], game["edition"], game["ruleset"]) == games.ruleset_of(row)
        assert game["seat"] == games.player[row]
        assert shown["observation"] == games.observe(dtype=np.uint8)[row].tolist()
        assert shown["text"] == games.describe(row, game["seat"])
        assert "streams" not in shown["position"]
        again = Games.from_dict(shown["position"])
        assert np.flatnonzero(again.legal()[0]).tolist() == np.flatnonzero(games.legal()[row]).tolist() == shown["ids"]
        assert shown["legal"] == [games.actions.text(id, game["seat"]) for id in shown["ids"]]


def test_each_seat_of_a_game_is_a_game_of_its_own_with_a_seed_and_an_end(bot, told):
    games = Games(2, SHORT, seed=3)
    play_out(agent_of(bot()), games)
    stop_bots()  # so that it has heard all
    begun, over = told("game"), told("over")
    assert sorted(game["seat"] for game in begun) == [0, 0, 1, 1, 2, 2]
    assert len({game["seed"] for game in begun}) == len({game["game"] for game in begun}) == 6
    assert sorted(end["game"] for end in over) == sorted(game["game"] for game in begun)
    results = [end["result"] for end in over]
    assert sorted(result["markers"] for result in results) == sorted(games.markers.tolist() * 3)
    assert all(result["markers"][result["ranks"].index(1)] == max(result["markers"]) for result in results)


def test_the_seeds_are_those_of_the_agent(bot, told):
    for _ in range(2):
        agent_of(bot(), seed=7).act(Games(3, SHORT), np.arange(3))
    seeds = [game["seed"] for game in told("game")]
    assert seeds[:3] == seeds[3:]
    agent_of(bot(), seed=8).act(Games(3, SHORT), np.arange(3))
    assert told("game")[-1]["seed"] not in seeds


def test_a_row_with_another_game_is_another_game(bot, told):
    games = Games(1, SHORT, seed=1)
    agent = agent_of(bot())
    agent.act(games, np.array([0]))
    games.reset()
    agent.act(games, np.array([0]))
    del agent
    agent_of(bot()).act(games, np.array([0]))
    stop_bots()
    assert [game["game"] for game in told("game")] == [0, 1, 2]
    assert [(end["game"], end["result"]) for end in told("over")] == [(0, None), (1, None), (2, None)]


def test_the_same_game_begun_anew_is_another_game(bot, told):
    games, agent = Games(1, SHORT, seed=1), agent_of(bot())
    for _ in range(2):
        games.reset(seed=1)
        for _ in range(30):
            games.step(agent.act(games, np.array([0])))
    assert len(told("game")) == 2 * SHORT.players


def test_agents_of_a_command_share_one_process(bot, told):
    agents = [agent_of(bot(), seed) for seed in range(3)]
    for agent in agents:
        agent.act(Games(1, SHORT), np.array([0]))
    assert len(told("hello")) == 1
    assert [game["game"] for game in told("game")] == [0, 1, 2]


def test_a_comment_is_logged(bot, caplog):
    caplog.set_level("INFO", "ursuppe_agents.protocol")
    agent_of(bot("comments")).act(Games(1, SHORT), np.array([0]))
    assert "game 0, " in caplog.text
    assert ": a fine move" in caplog.text


# ---------------------------------------------------------------------- faults

FAULTS = {
    "illegal": r"gave the illegal action 'fly' for game 1, in '\{\"type.*; legal: 'start 1', ",
    "illegal id": r"gave the illegal action 9999 for game 1, in .*; legal: ",
    "missing": r"gave no action for game 0, in ",
    "twice": r"gave two actions for game 0, in ",
    "garbage": r"wrote '\{what\?': not JSON: ",
    "other type": r"answered 'decide' by .*; it must be a message 'action'",
    "extra key": r"wrote .*: action: there is no key 'mood'",
    "wrong request": r"answered request 1 as if it were 999: ",
    "error": r"cannot answer: too\\x1b\[31m hard now",
}
ENDS = {
    "long line": r"wrote a line of more than 1,048,576 bytes, which begins 'xxx",
    "many lines": r"wrote more than 1,000 lines that nobody asked for, such as 'x'",
    "stderr": r"wrote more than 16,777,216 bytes to stderr; .*help!",
    "always dies": r"ended with the status 1; on stderr it said: again\\x1b\[2J and again",
    "closes": r"closed its output",
}


@pytest.mark.parametrize("mode", FAULTS)
def test_a_fault_is_one_error_that_names_the_bot_and_the_line(bot, mode: str):
    command = bot(mode)
    agent = agent_of(command)
    with pytest.raises(Fault, match=FAULTS[mode]) as error:
        agent.act(Games(2, SHORT), np.arange(2))
    assert command in str(error.value)
    assert error.value.row == (1 if mode.startswith("illegal") else 0)
    assert str(error.value).isprintable()


def test_a_line_that_nobody_asked_for_is_a_fault_of_the_next_decision(bot):
    games = Games(1, SHORT)
    agent = agent_of(bot("unasked"))
    agent.act(games, np.array([0]))
    time.sleep(0.3)  # until it is there
    with pytest.raises(Fault, match=r"wrote '\{\"type.*' without having been asked"):
        agent.act(games, np.array([0]))


def test_a_stray_line_costs_its_request_and_at_most_the_next_one(bot):
    games, agent = Games(1, SHORT), agent_of(bot("stray"), faults="forfeit")
    forfeited = []
    for _ in range(5):
        agent.act(games, np.array([0]))
        forfeited.append(len(agent.forfeited))
    assert (forfeited[0], forfeited[2:]) == (1, [0, 0, 0])


def test_a_program_that_is_gone_is_a_fault_too(bot, tmp_path):
    command = bot("dies")
    program = tmp_path / "program"
    program.symlink_to(sys.executable)
    agent = agent_of(command.replace(sys.executable, str(program)))
    program.unlink()
    with pytest.raises(Fault, match="cannot be started again: there is no program"):
        agent.act(Games(1, SHORT), np.array([0]))


@pytest.mark.parametrize("mode", ENDS)
def test_a_bot_that_ends_or_floods_twice_is_one_error(bot, mode: str):
    # In its first answer each time: it is started again once.
    with pytest.raises(Fault, match=f"({ENDS[mode]})(?s:.*), for the second time"):
        agent_of(bot(mode)).act(Games(2, SHORT), np.arange(2))


def test_a_bot_that_dies_is_started_again_and_told_of_its_games(bot, told, caplog):
    games = Games(2, SHORT)
    agent = agent_of(bot("is killed", turn=2))
    games.step(agent.act(games, np.arange(2)))
    games.step(agent.act(games, np.arange(2)))
    assert "ended with the status 139 (SIGSEGV)" in caplog.text
    assert len(told("hello")) == 2
    begun = told("game")
    half = len(begun) // 2
    assert begun[:half] == begun[half:]
    # It counts its answers anew, and dies in the next one: that is too much.
    with pytest.raises(Fault, match=r"ended with the status 139 \(SIGSEGV\), and had been started again before"):
        agent.act(games, np.arange(2))


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("no ready", "wrote .*: its type is 'hello'; it must be 'ready' or 'action' or 'error'"),
        ("no hello", "did not answer 'hello': it ended with the status 1; on stderr it said: I do not want to"),
    ],
)
def test_a_bot_that_does_not_begin_is_refused(bot, mode: str, says: str):
    with pytest.raises(ValueError, match=f"agent 'process': .*{says}"):
        agent_of(bot(mode))


def test_a_bot_that_does_not_answer_hello_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bots, "SECONDS_TO_BEGIN", 0.2)
    with pytest.raises(ValueError, match=r"did not answer 'hello' within 0\.2 seconds"):
        agent_of("sleep 1000")


def test_a_late_bot_is_a_fault_or_has_random_actions_and_its_late_answer_counts_for_nothing(bot):
    games = Games(2, SHORT)
    with pytest.raises(Fault, match="did not answer within 200 ms"):
        agent_of(bot("late"), ms=100).act(games, np.arange(2))
    stop_bots()
    agent = agent_of(bot("late"), ms=250, late="random")
    actions = agent.act(games, np.arange(2))
    assert agent.forfeited.tolist() == [0, 1]
    games.step(actions)
    time.sleep(1)  # until the answer has come
    ids = [np.flatnonzero(mask)[0] for mask in games.legal()]
    assert agent.act(games, np.arange(2)).tolist() == ids
    assert agent.forfeited.size == 0


def test_the_first_decision_of_a_process_may_take_longer(bot, told, monkeypatch):
    monkeypatch.setattr(bots, "SECONDS_FOR_THE_FIRST", 60)
    agent = agent_of(bot("late"), ms=200)
    agent.act(Games(1, SHORT), np.array([0]))  # after a second
    assert told("decide")[0]["ms"] <= 200
    stop_bots()
    agent = agent_of(bot("late", turn=2), ms=200)
    agent.act(Games(1, SHORT), np.array([0]))
    with pytest.raises(Fault, match="did not answer within 200 ms"):
        agent.act(Games(1, SHORT), np.array([0]))


def test_so_may_the_first_one_after_it_was_started_again(bot, monkeypatch):
    monkeypatch.setattr(bots, "SECONDS_FOR_THE_FIRST", 60)
    agent = agent_of(bot("slow at first, then dies", turn=2), ms=400)
    for _ in range(2):
        agent.act(Games(1, SHORT), np.array([0]))


def test_a_bot_that_never_answers_costs_its_time_and_no_more(bot):
    agent = agent_of(bot("never"), ms=20, late="random")
    began = time.monotonic()
    for _ in range(5):
        agent.act(Games(1, SHORT), np.array([0]))
        assert agent.forfeited.tolist() == [0]
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("mode", [*FAULTS, *ENDS])
def test_faults_may_be_forfeits(bot, mode: str, caplog):
    games = Games(2, SHORT)
    agent = agent_of(bot(mode), faults="forfeit")
    games.step(agent.act(games, np.arange(2)))
    assert agent.forfeited.tolist() == ([1] if mode.startswith("illegal") else [0] if mode == "missing" else [0, 1])
    games.step(agent.act(games, np.arange(2)))
    assert caplog.text.count("a random action is taken, and counted") == 1


# ---------------------------------------------------------------------- in the arena


def test_the_arena_counts_forfeits(bot, tmp_path, capsys):
    spec = agent_spec("process", command=bot("illegal", turn=3), faults="forfeit")
    tournament = Tournament(lineups=((spec, "random", "random"),), num_games=6, ruleset=SHORT)
    rows, summary = play_tournament(tournament, tmp_path / "out", workers=1)
    [figures] = [figures for figures in summary.agents if figures.agent == spec]
    assert figures.forfeits == sum(map(sum, rows["forfeits"].to_list())) == 1
    assert f"{spec} forfeited 1 of " in figures.about_forfeits
    assert "forfeited 1 of " in (tmp_path / "out" / "report.html").read_text()
    assert run(["arena", spec, "random", "random", "--games", "3", "--players", "3", "--workers", "1"]) == 0
    assert "forfeited " not in capsys.readouterr().out  # it has been at fault already


def test_the_arena_names_bot_game_and_line(bot):
    spec = agent_spec("process", command=bot("illegal", turn=5))
    with pytest.raises(AgentError) as error:
        play_tournament(Tournament(lineups=((spec, "random", "random"),), num_games=3, ruleset=SHORT), workers=1)
    assert str(error.value).startswith(f"agent {spec} gave the illegal action 'fly' for game ")
    assert "of seed 0, " in str(error.value)
    assert "about to make its decision " in str(error.value)


def test_the_same_games_whatever_the_workers(bot, told):
    spec = agent_spec("process", command=bot())
    tournament = Tournament(lineups=((spec, "random", "random"),), num_games=18, ruleset=SHORT, games_at_once=6)
    alone, _ = play_tournament(tournament, workers=1)
    before = len(told("hello"))
    together, _ = play_tournament(tournament, workers=2)
    assert alone.drop("seconds").equals(together.drop("seconds"))
    assert len(told("hello")) <= before + 2  # one a worker
    assert {end["result"] is None for end in told("over")} == {False, True}  # True: the first decision, a trial


# ---------------------------------------------------------------------- no process is left

HOST = """
import sys, time
import numpy as np
from ursuppe_agents import make_agent
from ursuppe_env import Games
agent = make_agent(sys.argv[1], 0)
agent.act(Games(1), np.array([0]))
print("ready", flush=True)
time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_bot_ends_with_its_host_in_whatever_way_that_dies(tmp_path, end):
    script = tmp_path / "stubborn.sh"  # it ignores all signals that it can, and has a child
    script.write_text(
        f"trap '' TERM INT HUP\necho $$ > {tmp_path}/pid\nsleep 1000 &\necho $! > {tmp_path}/child\n"
        'read line\necho \'{"type": "ready", "name": "stubborn", "sees": []}\'\nread line\nread line\n'
        'echo \'{"type": "action", "request": 1, "actions": [{"game": 0, "action": "start 1"}]}\'\n'
        "while :; do sleep 1; done\n"
    )
    spec = agent_spec("process", command=f"sh {script}")
    host = subprocess.Popen([sys.executable, "-c", HOST, spec], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    assert host.stdout.readline() == "ready\n"
    pids = [int((tmp_path / name).read_text()) for name in ("pid", "child")]
    assert all(map(is_running, pids))
    host.send_signal(end)
    host.stdout.close()
    host.wait(30)
    assert end_soon(pids)


def test_a_bot_that_does_not_end_when_told_is_ended(bot, monkeypatch):
    monkeypatch.setattr(bots, "_GRACE", 0.3)
    command = bot("stays")
    pid = bot_of(command)._pipe._process.pid
    assert not stop_bot(command)
    assert not is_running(pid)
