"""The command line: what it writes, says and returns."""

import os
import re
import shlex
import signal
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from threading import Thread
from unittest.mock import Mock

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.cli.progress import interrupts
from ursuppe_env.records import read_records

from support.command import refusal, ursuppe


def test_record_then_check(capsys, tmp_path: Path):
    file = tmp_path / "games.jsonl.gz"
    options = ["--games", "3", "--players", "4", "--edition", "1998", "--agents", "random", "--seed", "1"]
    status, out, _ = ursuppe(capsys, "record", *options, "--legal", "--rounds", file)
    assert (status, out) == (0, f"{file}: 3 games\n")
    records = list(read_records(file))
    assert [record.seed for record in records] == [1, 2, 3]
    assert all(record.legal and record.rounds and record.agents == ["random"] * 4 for record in records)
    status, out, _ = ursuppe(capsys, "check", file)
    assert (status, out) == (0, "3 games checked, 0 differ\n")


def test_games_that_are_there_are_written_over_by_force_only(capsys, tmp_path: Path):
    file = tmp_path / "games.jsonl"
    file.write_text("old\n")
    expected = f"ursuppe: {file} exists already; give another name, or --force to write over it\n"
    assert refusal(capsys, "record", "--games", "1", file) == expected
    assert file.read_text() == "old\n"
    assert ursuppe(capsys, "record", "--games", "1", "--force", file) == (0, f"{file}: 1 game\n", "")
    assert len(list(read_records(file))) == 1


def test_a_pipe_is_checked(capsys, tmp_path: Path):
    file, pipe = tmp_path / "games.jsonl", tmp_path / "pipe.jsonl"
    ursuppe(capsys, "record", "--games", "2", file)
    os.mkfifo(pipe)
    Thread(target=pipe.write_bytes, args=[file.read_bytes()]).start()
    assert ursuppe(capsys, "check", pipe)[:2] == (0, "2 games checked, 0 differ\n")


def test_check_exits_with_1_and_the_first_difference_of_each_game(capsys, tmp_path: Path):
    file = tmp_path / "games.jsonl"
    ursuppe(capsys, "record", "--games", "3", "--rounds", file)
    lines = file.read_text().splitlines()
    for game in (0, 2):
        lines[game] = re.sub(r'"rounds":\d+}}', '"rounds":1}}', lines[game])
    file.write_text("\n".join(lines))
    status, out, _ = ursuppe(capsys, "check", file)
    assert status == 1
    assert out.splitlines()[0].startswith(f"{file}, game 1: result.rounds is 1 in the record and ")
    assert out.splitlines()[1].startswith(f"{file}, game 3: result.rounds is 1 in the record and ")
    assert out.splitlines()[2] == "3 games checked, 2 differ"


def test_an_endless_line_is_refused_at_once(capsys, tmp_path: Path):
    (tmp_path / "zero.jsonl").symlink_to("/dev/zero")
    for command in ("check", "replay"):
        expected = "line 1: longer than 4,000,000 bytes; no record is so long"
        assert expected in refusal(capsys, command, tmp_path / "zero.jsonl")
    assert "must end in .jsonl or .jsonl.gz" in refusal(capsys, "check", "/dev/zero")


@pytest.mark.parametrize(
    ("file", "options", "ruleset"),
    [
        (
            'players = 3\nedition = "1997"\nenvironment = [["west", 5], ["none", 6]]\nfree_stay = true\n',
            [],
            Ruleset(players=3, edition="1997", environment=[("west", 5), ("none", 6)], free_stay=True),
        ),
        (None, ["--players", "3"], Ruleset(players=3, end_zone=30)),
    ],
)
def test_a_ruleset_is_a_file_or_else_the_name_of_a_preset(
    capsys, tmp_path: Path, monkeypatch, file: str | None, options: list[str], ruleset: Ruleset
):
    monkeypatch.chdir(tmp_path)
    if file is not None:  # what its author means by the name, which a preset has too
        Path("short").write_text(file)
    assert ursuppe(capsys, "record", "--games", "1", "--ruleset", "short", *options, "games.jsonl")[0] == 0
    assert [record.ruleset for record in read_records("games.jsonl")] == [ruleset]
    assert ursuppe(capsys, "check", "games.jsonl")[:2] == (0, "1 game checked, 0 differ\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["record", "--players", "9", "out.jsonl"], "players is 9; it must be an integer from 3 to 6"),
        (["record", "--edition", "1999", "out.jsonl"], "edition is '1999'; it must be '1998' or '1997'"),
        (["record", "--agents", "genius", "out.jsonl"], "there is no agent 'genius'; known are "),
        (["record", "--agents", "random,random", "out.jsonl"], "agents names 2 seats"),
        (["record", "--seed", "-1", "out.jsonl"], "seed is -1"),
        (["record", "--games", "0", "out.jsonl"], "--games is '0'; it must be "),
        (["record", "--games", "many", "out.jsonl"], "--games is 'many'; it must be "),
        (["record", "out.csv"], "out.csv: the name of a file of records must end in .jsonl or .jsonl.gz"),
        (["record", "missing/out.jsonl"], "there is no folder missing"),
        (["record", "--ruleset", "missing.toml", "out.jsonl"], "missing.toml: No such file"),
        (
            ["record", "--ruleset", "2004", "--edition", "1997", "out.jsonl"],
            "edition is '1997' on the command line and '1998' in 2004; give one of them",
        ),
        (["record"], "Missing argument 'OUT'"),
        (["record", "--teams", "0-2", "out.jsonl"], "teams is '0-2'; it must be the seats of each team"),
        (["record", "--score", "best", "out.jsonl"], "score is 'best', but there are no teams"),
        (["record", "--teams=0+2,1+3", "--agents=grow,grow,grow", "out.jsonl"], "1 agent for all or 2, one a team"),
        (["check", "missing.jsonl"], "missing.jsonl: No such file"),
        (["check", "empty.jsonl"], "empty.jsonl: there is no record in it"),
        (["check"], "Missing argument"),
        (["speed", "--batch", "0"], "batch is '0'; it must be numbers of at least 1 with commas between, such as 1,64"),
        (["speed", "--batch", "1,many"], "batch is '1,many'"),
        (["speed", "--threads", ""], "threads is ''"),
        (["speed", "--device", "gpu"], "device is 'gpu'; it must be cpu or cuda"),
        (["speed", "--device", "cuda", "--threads", "2"], "threads is 2, but on a GPU each game has a thread"),
        (["speed", "--batch", "64", "--threads", "2"], "a batch below 2048 games uses one thread only"),
        (["fly"], "No such command 'fly'"),
        (["check", "--fast", "x.jsonl"], "No such option: --fast"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(capsys, tmp_path: Path, monkeypatch, arguments: list[str], says: str):
    monkeypatch.chdir(tmp_path)
    Path("empty.jsonl").touch()
    assert says.lower() in refusal(capsys, *arguments).lower()
    assert [file.name for file in tmp_path.iterdir()] == ["empty.jsonl"]


def test_a_file_may_begin_with_a_byte_order_mark(capsys, tmp_path: Path):
    (tmp_path / "rules.toml").write_text("\ufeffincome = 12", encoding="utf-8")
    arguments = ["record", "--games", "1", "--ruleset", tmp_path / "rules.toml", tmp_path / "out.jsonl"]
    assert ursuppe(capsys, *arguments)[0] == 0
    assert next(read_records(tmp_path / "out.jsonl")).ruleset.income == 12
    written = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    (tmp_path / "out.jsonl").write_text(f"\ufeff{written}", encoding="utf-8")
    assert ursuppe(capsys, "check", tmp_path / "out.jsonl")[:2] == (0, "1 game checked, 0 differ\n")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("income = ", "rules.toml: not TOML"),
        ("incom = 3", "rules.toml: a ruleset has no field 'incom'; did you mean income?"),
        ("income = 300", "rules.toml: income is 300; it must be an integer from 0 to 99"),
        ("own_clinging = 1", "rules.toml: own_clinging is 1; it must be true or false"),
        ("players = 5", "players is 4 on the command line and 5 in"),
        ("[price]\nspeeed = 3", "price names the gene 'speeed'"),
        ("income = " + "[" * 5_000, "rules.toml: nested too deeply"),
    ],
)
def test_a_wrong_ruleset_file_is_named(capsys, tmp_path: Path, content: str, says: str):
    (tmp_path / "rules.toml").write_text(content)
    arguments = ["record", "--players", "4", "--ruleset", tmp_path / "rules.toml", tmp_path / "out.jsonl"]
    assert says in refusal(capsys, *arguments)
    assert not (tmp_path / "out.jsonl").exists()


def test_a_name_that_the_terminal_cannot_show_is_no_error(tmp_path: Path):
    code = "from ursuppe_env.cli import main; main()"
    command = [sys.executable, "-c", code, "record", "--games", "1", "\udcff.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PYTHONUTF8": "1"})
    assert (done.returncode, done.stdout) == (0, "\\udcff.jsonl: 1 game\n")


TOO_LITTLE_MEMORY = "there is not enough memory for numbers as large as these; choose smaller ones"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError("Unable to allocate 7.28 TiB"), f"{TOO_LITTLE_MEMORY}: Unable to allocate 7.28 TiB"),
        (MemoryError(), TOO_LITTLE_MEMORY),
        (ValueError("array is too big; it is"), f"{TOO_LITTLE_MEMORY}: array is too big; it is"),
        (OverflowError("too large for int16"), "a number is too large; choose a smaller one: too large for int16"),
    ],
)
def test_too_large_a_number_is_one_line(capsys, tmp_path: Path, monkeypatch, error: Exception, told: str):
    monkeypatch.setattr(sys.modules["ursuppe_lab.commands.record"], "write_recording", Mock(side_effect=error))
    assert refusal(capsys, "record", tmp_path / "out.jsonl") == f"ursuppe: {told}\n"


@pytest.mark.skipif(os.name != "posix", reason="a shell that closes standard streams")
def test_closed_standard_streams_are_no_error():
    closed = "<&- >&- 2>&-"
    command = f"{shlex.quote(sys.executable)} -m ursuppe_env --version {closed}"
    assert subprocess.run(command, shell=True).returncode == 0


def test_a_second_ctrl_c_that_confuses_python_is_an_interrupt_too(capsys, tmp_path: Path, monkeypatch):
    def interrupted_twice(*_, **__):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("release unlocked lock") from None

    monkeypatch.setattr(sys.modules["ursuppe_lab.commands.record"], "write_recording", interrupted_twice)
    interrupts.listen()
    try:
        status, _, err = ursuppe(capsys, "record", tmp_path / "out.jsonl")
    finally:
        interrupts.leave()
    assert (status, err) == (130, "ursuppe: interrupted\n")


def test_the_installed_command_listens_to_ctrl_c_before_the_package_is_imported():
    [command] = [entry for entry in entry_points(group="console_scripts") if entry.name == "ursuppe"]
    assert command.value == "ursuppe_command:main"


def test_code_of_somebody_else_cannot_end_a_command_in_silence(monkeypatch, capsys):
    monkeypatch.setattr("ursuppe_env.cli.app", lambda *_, **__: sys.exit())
    assert refusal(capsys, "cache") == "ursuppe: code of somebody else ended it by sys.exit(None)\n"
