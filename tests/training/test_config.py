"""Settings: what they may be, and what is said of wrong ones."""

import re
from pathlib import Path

import pytest

from ursuppe_training.config import TrainingConfig, changed_settings, read_config

from support.command import refusal

WRONG = {
    **{"players": [2], "edition": ["1999"], "final_reward": ["points"], "seed": [-1, 2**32]},
    **{"opponents": [{"self": 0.0}, "self"], "teachers": [("random",), ("self",), "self"], "teaching": [1.5]},
    **{"whole_tables": [-0.1], "snapshots": [0], "snapshot_every": [0], "steps": [0, 1e6], "minutes": [0]},
    **{"envs": [0, True], "rollout": [1], "batch_size": [1], "epochs": [0], "gae_lambda": [-0.1], "clip_range": [0]},
    **{"learning_rate": [0, float("nan"), "fast"], "final_learning_rate": [-1], "entropy": [-1]},
    **{"final_entropy": [float("inf")], "checkpoint_every": [0], "checkpoints": [0], "evaluate_every": [0]},
    **{"evaluation_games": [0], "evaluation_pool": ["random"]},
}


@pytest.mark.parametrize(("name", "wrong"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_setting_is_named(name, wrong):
    with pytest.raises(ValueError, match=rf"^{name} is {re.escape(repr(wrong))}"):
        TrainingConfig(**{name: wrong})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponents": {"self": -1}}, r"^opponents\.self is -1; it must be a number of at least 0$"),
        ({"opponents": {"nobody": 1}}, r"^opponents: there is no agent 'nobody'; known are .*greedy.*"),
        ({"evaluation_pool": ["greedy:depth=2"]}, r"^evaluation_pool\[0\]: agent 'greedy' has no parameter 'depth'"),
        ({"evaluation_pool": [1]}, r"^evaluation_pool\[0\] is 1; it must be a text$"),
        ({"evaluation_pool": 1}, r"^evaluation_pool is 1; it must be a list of texts$"),
        ({"exploit_seeds": (0, 1.5)}, r"^exploit_seeds\[1\] is 1\.5; it must be an integer from 0 to 4294967295$"),
        ({"layers": (8,)}, r"^there is no setting 'layers'; did you mean players\?$"),
        ({"reward": "points"}, r"^reward is 'points'; it must be one of 'win', 'rank', 'margin'$"),
        ({"opponents": {}}, r"^opponents is {}; it must be a table of numbers .*, such as {self = 1\.0}$"),
        ({"gae_lambda": 1.1}, r"^gae_lambda is 1\.1; it must be a number from 0 to 1$"),
        ({"clip_range": float("nan")}, r"^clip_range is nan; it must be a number between 0 and 1$"),
        ({"minutes": "long"}, r"^minutes is 'long'; it must be a number greater than 0$"),
        ({"opponents": {"self": 1e308, "random": 1e308}}, r"^opponents is .*; the sum of the weights must be finite"),
        ({"amoebas": 6}, r"^there is no setting 'amoebas'; .* ruleset_changes={amoebas = \.\.\.}, or .* --ruleset$"),
        ({"own_clinging": True}, r"^there is no setting 'own_clinging'; it is a field of the ruleset"),
        ({"rate": 1}, r"^there is no setting 'rate'; there are players, edition, .*"),
        ({"ruleset_changes": {"beginning_bp": 9}}, "a ruleset has no field 'beginning_bp'"),
        ({"rulesets": "all"}, r"^rulesets is 'all'; it must be one of 'given', 'varied'$"),
        ({"rulesets": "varied", "ruleset_changes": {"income": 9}}, r"^rulesets is 'varied' and .* 9}; give one of the"),
        ({"temperature": 0.0}, r"^temperature is 0\.0; it must be a number"),
        ({"exploit_seeds": [3, 3]}, r"^exploit_seeds is \[3, 3\]; it must not have one twice$"),
        ({"exploit_percent": -1.0}, r"^exploit_percent is -1\.0; it must be a number"),
        ({"teams": "0,1+2+3"}, r"^teams is '0,1\+2\+3'; teams that learn must have as many seats each"),
        ({"teams": "0+1,2+3"}, r"^teams is .*; .* follow each other at the same distances, such as 0\+2,1\+3$"),
        ({"teams": "0+2,1+3", "players": 5}, "there are 5 players"),
        ({"teams": "zero+two"}, r"^teams is 'zero\+two'; it must be the seats of each team, such as 0\+2,1\+3$"),
        ({"teams": "0+1+2+3"}, "there must be at least 2 teams"),
        ({"score": "sum"}, "^score is 'sum', but there are no teams"),
        (
            {"opponents": {"self": 1, "random": 0}, "teachers": ["random"]},
            "^teachers is .* weight is more than 0$",
        ),
        ({"teams": "0+2,1+3", "score": "mean"}, "^score is 'mean'; it must be one of 'worst', 'best', 'sum'"),
    ],
)
def test_what_is_wrong_with_settings_is_said(settings, message):
    with pytest.raises(ValueError, match=message):
        TrainingConfig(**settings)


def test_every_setting_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    for name in TrainingConfig.model_fields:
        assert f"`{name}`" in page


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("quickly", "there is no preset 'quickly'; there are finetune, quick, standard, or give a file that ends in "),
        ("broken.toml", "broken.toml: not TOML: Expected '=' after a key"),
        ("wrong.toml", "wrong.toml: steps is -1; it must be an integer of at least 1"),
        ("latin.toml", "latin.toml: not UTF-8 text"),
        ("deep.toml", "deep.toml: nested too deeply"),
        ("../quick", "there is no preset '../quick'"),
    ],
)
def test_a_wrong_config_is_one_line_and_status_2(source, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_text("steps")
    Path("wrong.toml").write_text("steps = -1")
    Path("latin.toml").write_bytes(b"# \xe4")
    Path("deep.toml").write_text("teachers = " + "[" * 5000 + "]" * 5000)
    assert refusal(capsys, "train", source).startswith(f"ursuppe: {message}")
    assert not Path("runs").exists()


def test_teachers_of_a_preset_leave_with_the_opponents():
    standard = read_config("standard")
    assert standard.teachers == ("greedy",)
    assert changed_settings(standard, {"opponents": {"self": 1, "hunter": 1}}).teachers == ()
    assert changed_settings(standard, {"opponents": {"self": 1, "greedy": 1}}).teachers == ("greedy",)
    assert changed_settings(standard, {"envs": 8}).teachers == ("greedy",)
