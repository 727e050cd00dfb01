"""The names of rulesets on the command line."""

from pathlib import Path

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.cli import run
from ursuppe_env.records import read_records


def ruleset_of(file: str) -> Ruleset:
    (record,) = read_records(file)
    return record.ruleset


def test_the_command_line_takes_a_name_where_it_takes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert run(["record", "--games", "1", "--players", "3", "--ruleset", "short", "short.jsonl"]) == 0
    assert ruleset_of("short.jsonl") == Ruleset(players=3, end_zone=30)
    Path("short").write_text("income = 12\n")  # a file of that name is what its author means
    assert run(["record", "--games", "1", "--ruleset", "short", "file.jsonl"]) == 0
    assert ruleset_of("file.jsonl") == Ruleset(income=12)


def test_a_preset_and_another_edition_contradict_each_other(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["record", "--games", "1", "--ruleset", "2004", "--edition", "1997", "out.jsonl"]) != 0
    assert "edition is '1997' on the command line and '1998' in 2004; give one of them" in capsys.readouterr().err
