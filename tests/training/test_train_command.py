"""The command that trains."""

from pathlib import Path

import pytest

from ursuppe_env.cli import run as run_command
from ursuppe_training.config import read_config

from support.training import SMALL_OPTIONS


def test_the_command_trains_and_continues(tmp_path, capsys):
    out = tmp_path / "run"
    options = [
        *SMALL_OPTIONS,
        "--set",
        "reward=rank",
        "--set",
        "opponents={self=1, random=1}",
        "--set",
        "evaluation_pool=['random']",
    ]
    assert run_command(["train", "quick", *options, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"policy: {out / 'best.zip'}\n"
    assert "decisions, 0.0 minutes: random" in printed.err
    config = read_config(str(out / "config.toml"))
    assert (config.reward, config.opponents, config.layers) == ("rank", {"self": 1, "random": 1}, (8,))
    assert run_command(["train", "--resume", str(out)]) == 0  # there is nothing left to do
    assert run_command(["train", "quick", *options, "--out", str(out)]) == 2
    assert capsys.readouterr().err.endswith(
        f"{out} exists already; give another folder, or continue it with --resume {out}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "players=7"], "players is 7"),
        (["--set", "reward=points"], "reward is 'points'"),
        (["--set", "speed=1"], "there is no setting 'speed'"),
        (["--set", "steps"], "--set 'steps' is no NAME=VALUE"),
        (["--resume", "no/such/run"], "no/such/run has no config.toml"),
        (["--resume", "run", "--set", "steps=1"], "--resume continues a run with its own settings"),
        (["--set", "steps=1", "--out", "taken"], "taken exists already"),
        (["--set", "steps=1", "--device", "abacus"], "device is 'abacus', which is not here"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("")
    assert run_command(["train", *arguments]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("ursuppe: ")
    assert message in printed
    assert printed.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
