"""The command that trains, on which devices, and the main job in a few minutes."""

from pathlib import Path

import pytest
import torch

from ursuppe_env import Ruleset
from ursuppe_training import quick
from ursuppe_training.commands.train import changed_config
from ursuppe_training.config import read_config
from ursuppe_training.devices import device_named
from ursuppe_training.exploit import finished_run, speed
from ursuppe_training.runs.run import Run

from support.command import printed, refusal, ursuppe
from support.training import SMALL_OPTIONS, TINY, set_options, silent


def test_the_command_trains_and_continues(tmp_path, monkeypatch, capsys):
    for name in ("tried_speed", "tried_seconds_a_game"):
        monkeypatch.setattr(finished_run, name, getattr(speed, name))
    out = tmp_path / "run"
    changes = {"reward": "rank", "opponents": "{self=1, random=1}", "evaluation_pool": "['random']"}
    options = [*SMALL_OPTIONS, *set_options(**changes)]
    status, told, err = ursuppe(capsys, "train", "quick", *options, "--out", out)
    assert (status, told) == (0, f"policy: {out / 'best.zip'}\n")
    assert "decisions, 0.0 minutes: random" in err
    assert "To shorten that: --set report_games=0" in err.splitlines()[0]
    assert "There is no curves.svg, because there was one evaluation" in err  # and a dot is no curve
    assert not (out / "curves.svg").exists()
    config = read_config(str(out / "config.toml"))
    assert (config.reward, config.opponents, config.envs) == ("rank", {"self": 1, "random": 1}, 8)
    printed(capsys, "train", "--resume", out)  # there is nothing left to do
    said = f"{out} exists already; give another folder, or continue it with --resume {out}\n"
    assert refusal(capsys, "train", "quick", *options, "--out", out).endswith(said)


@pytest.mark.parametrize(("preset", "income"), [("quick", 12), ("standard", 12), ("standard", Ruleset().income)])
def test_the_ruleset_is_given_as_in_all_commands(preset: str, income: int, tmp_path, capsys):
    """Also to a preset whose rulesets vary, and if an edition is to be played as it is printed."""
    file = tmp_path / "mine.toml"
    file.write_text(f"players = 3\nincome = {income}\n")
    options = ["--ruleset", file, "--edition", "1997", "--set", "report_games=0", "--out", tmp_path / "run"]
    printed(capsys, "train", preset, *SMALL_OPTIONS, *options)
    config = read_config(str(tmp_path / "run" / "config.toml"))
    assert (config.rulesets, config.ruleset) == ("given", Ruleset(players=3, edition="1997", income=income))
    played = {"players": 5, "edition": "1998", "ruleset_changes": {"income": 9}}
    assert changed_config(config, ["edition='1997'"], played).ruleset == Ruleset(players=5, edition="1997", income=9)


def test_a_rollout_in_which_nothing_can_be_learned_is_one_line(tmp_path, capsys):
    options = [*set_options(envs=2, rollout=2, batch_size=2), "--out", tmp_path / "run"]
    status, _, err = ursuppe(capsys, "train", "quick", *options)
    said = "in a rollout no player came to its next decision, or all were sure of theirs, so nothing can be learned; "
    assert (status, err.splitlines()[-1]) == (2, f"ursuppe: {said}raise rollout or envs")


def test_the_curves_of_the_preset_quick_have_points_to_be_drawn_between():
    config = read_config("quick")
    assert config.steps // config.evaluate_every >= 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "reward=points"], "reward is 'points'"),
        (["--set", "steps"], "--set 'steps' is no NAME=VALUE"),
        (["--ruleset", "no.toml"], "no.toml: No such file or directory"),
        (["--players", "7"], "players is 7"),
        (["--resume", "run", "--players", "3"], "--resume continues a run with its own settings"),
        (["quick", "--set", "envs=10000000000"], "envs is 10,000,000,000 and rollout 32: that takes "),
        (["quick", "--set", "rollout=10000000000000"], "envs is 64 and rollout 10,000,000,000,000: that takes "),
        (["--resume", "no/such/run"], "no/such/run has no config.toml"),
        (["--resume", "run", "--set", "steps=1"], "--resume continues a run with its own settings"),
        (["--set", "steps=1", "--out", "taken"], "taken exists already"),
        (["--set", "initial_policy=no/such.zip"], "no/such.zip: No such file or directory"),
        (["--workers", "2"], "--workers is 2, but there is one run; --threads says how many cores it has"),
        (["--resume", "run", "--workers", "2"], "--workers is 2, but there is one run"),
        (["--threads", "0"], "--threads is '0'; it must be "),
        # several seeds
        (["--seeds", "0,x"], "--seeds is '0,x'; it must be integers with commas between them, such as 0,1,2"),
        (["--seeds", ""], "--seeds is ''"),
        (["--seeds", "1,1"], "seeds is [1, 1]; it must be a list of different integers from 0 to 4294967295"),
        (["--seeds", "-1"], "seeds is [-1]"),
        (["--seeds", "0,1", "--set", "seed=2"], "--seeds and --set seed=... contradict each other"),
        (["--seeds", "0,1", "--workers", "0"], "--workers is '0'; it must be "),
        (["--seeds", "0,1", "--device", "abacus"], "device is 'abacus', which is not here"),
        (["--seeds", "0,1", "--resume", "wrong"], "--resume continues a run with its own settings; give no config"),
        (["--seeds", "0,1", "--out", "wrong"], "wrong exists already; give another folder, or continue it with"),
        (["--resume", "damaged"], "damaged/seeds.toml: not TOML"),
        (["--resume", "without"], "without/seeds.toml: seeds is None"),
        (["--resume", "wrong"], "wrong/seeds.toml: steps is -1"),
        (["--resume", "evil"], "evil/seeds.toml: evaluation_pool: agent 'evil:Bot' is from the module evil"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("")
    seeds = {
        "damaged": "seeds",
        "without": "steps = 1",
        "wrong": "seeds = [1]\nsteps = -1",
        "evil": "seeds = [1]\nevaluation_pool = ['evil:Bot']",
    }
    for name, content in seeds.items():
        Path(name).mkdir()
        Path(name, "seeds.toml").write_text(content)
    assert message in refusal(capsys, "train", *arguments)
    assert {path.name for path in tmp_path.iterdir()} == {"taken", *seeds}


def test_the_quick_run_prints_its_win_rate_and_keeps_its_policy(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Run.begin(Path(quick.FOLDER), TINY, silent)  # which is written over
    assert quick.main(SMALL_OPTIONS, games=8) == 0
    told = capsys.readouterr().out
    assert (tmp_path / quick.FOLDER / "evaluation.json").exists()
    for said in ("chance 25.0%", "3 random", f"policy: {quick.FOLDER}/best.zip"):
        assert said in told


def test_the_quick_run_leaves_alone_what_is_no_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    thesis = tmp_path / quick.FOLDER / "thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("all of it")
    assert quick.main() == 2
    assert f"{quick.FOLDER} exists already; give another folder" in capsys.readouterr().err
    assert thesis.read_text() == "all of it"


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:7", "mps", "meta", "xla", "abacus", "cpu:3", ""])
def test_a_device_that_is_not_here_is_refused_before_anything_is_written(device, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    out = tmp_path / "run"
    said = refusal(capsys, "train", "quick", *SMALL_OPTIONS, "--device", device, "--out", out)
    assert said == f"ursuppe: device is {device!r}, which is not here; there are auto, cpu\n"
    assert not out.exists()
    Run.begin(out, TINY, silent)
    with pytest.raises(ValueError, match=r"which is not here; there are auto, cpu$"):
        Run.resume(out, silent, device)


def test_a_gpu_is_named_by_its_number(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    named = [str(device_named(name)) for name in ("auto", "cuda", "cuda:1", "cpu")]
    assert named == ["cuda:0", "cuda:0", "cuda:1", "cpu"]
    with pytest.raises(ValueError, match=r"device is 'cuda:2', .*; there are auto, cpu, cuda:0, cuda:1$"):
        device_named("cuda:2")


@pytest.mark.parametrize(("local_rank", "device"), [("0", "cuda:0"), ("1", "cuda:1"), ("2", "cuda:0")])
def test_processes_of_a_machine_take_its_gpus_by_turns(local_rank, device, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", local_rank)  # as torchrun sets it
    assert str(device_named("auto")) == device
