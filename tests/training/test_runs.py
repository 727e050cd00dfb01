"""Runs in folders: what they keep, where they may lie, and which modules they may import."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
import tomli_w
from rich.console import Console
from rich.progress import Progress, TextColumn
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ursuppe_agents.registry import agent_spec
from ursuppe_env.threads import available_cores
from ursuppe_training.commands.shared import run_bar
from ursuppe_training.config import read_config
from ursuppe_training.evaluation.history import read_history
from ursuppe_training.networks.files import load_policy
from ursuppe_training.runs.run import Run

from support.command import printed, refusal, ursuppe
from support.training import (
    BRIEF,
    RUN,
    SMALL_OPTIONS,
    TINY,
    are_equal,
    evaluate_by,
    evaluation_of,
    set_options,
    silent,
    stop_after,
    weights,
)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    Run.begin(folder, RUN, silent, "cpu").train()
    return folder


def test_a_run_keeps_what_is_needed_to_understand_and_continue_it(whole_run):
    files = "config.toml provenance.json evaluations.jsonl curves.svg latest.zip best.zip evaluation.json"
    assert {path.name for path in whole_run.iterdir()} == {*files.split(), "checkpoints", "tensorboard", "policies"}
    assert read_config(str(whole_run / "config.toml")) == RUN
    assert len(list((whole_run / "checkpoints").iterdir())) == 2
    steps = sorted({figure.step for figure in read_history(whole_run / "evaluations.jsonl")})
    assert len(steps) == 2
    assert 1500 <= steps[0] < steps[1]
    assert steps[1] >= 3000
    load_policy(whole_run / "latest.zip")
    assert list((whole_run / "tensorboard").iterdir())
    provenance = json.loads((whole_run / "provenance.json").read_text())
    assert [provenance[name] for name in ("device", "threads", "processes")] == ["cpu", available_cores(), 1]


def test_a_run_whose_last_checkpoint_is_damaged_goes_on_from_the_one_before_and_ends_the_same(whole_run, tmp_path):
    folder, said = tmp_path / "run", []
    run = Run.begin(folder, RUN, silent)
    stop_after(run, 2400)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    older, newest = sorted((folder / "checkpoints").iterdir())
    newest.write_bytes(newest.read_bytes()[:-100])
    resumed = Run.resume(folder, said.append)
    assert said[0].startswith(f"{newest} cannot be used: ")
    assert "\n" not in said[0]
    assert said[-1] == f"Going on from {older}, after {int(older.stem):,} decisions."
    resumed.train()
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    steps = [event.step for event in events.Scalars("train/loss")]
    assert steps == sorted(set(steps))
    assert are_equal(*(weights(load_policy(path / "latest.zip")) for path in (folder, whole_run)))
    found, expected = (
        [(one.step, one.opponent, one.mean) for one in read_history(path / "evaluations.jsonl")]
        for path in (folder, whole_run)
    )
    assert found == expected


EVIL = """
from pathlib import Path
from ursuppe_agents.scripted.agents import *
from ursuppe_agents import make_agent

Path("sprung").touch()
Bot = type(make_agent("random", 0))
"""


@pytest.fixture
def evil(tmp_path, monkeypatch):
    """A module in the current folder that leaves a trace when it is imported."""
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(EVIL)
    yield Path("sprung")
    sys.modules.pop("evil", None)


@pytest.mark.parametrize(
    "settings",
    [
        "opponents = { 'self' = 1, 'evil:Bot' = 1 }",
        "opponents = { 'evil:Bot' = 0 }\nteachers = ['evil:Bot']",
        "evaluation_pool = ['random', 'evil:Bot:depth=3']",
    ],
)
def test_no_module_is_imported_because_a_file_names_it(settings, evil, capsys):
    Path("mine.toml").write_text(f"steps = 16\n{settings}")
    Run.begin(Path("run"), TINY, silent)
    with Path("run/config.toml").open("w") as file:
        file.write(settings)
    for command in (["train", "mine.toml"], ["train", "--resume", "run"]):
        for allowed in ([], ["--allow-module", "other"], ["--allow-module", "evil.inner"]):
            said = refusal(capsys, *command, *allowed)
            assert re.search(r"agent 'evil:Bot\S*' is from the module evil, .* --allow-module evil$", said.strip())
    with pytest.raises(ValueError, match="--allow-module evil"):
        Run.resume(Path("run"), silent)
    assert not evil.exists()


def test_a_run_with_agents_of_ones_own_goes_on_when_they_are_allowed_again(evil, capsys):
    options = [*SMALL_OPTIONS, *set_options(opponents="{self=1, 'evil:Bot'=1}", evaluation_pool="['evil:Bot']")]
    printed(capsys, "train", "quick", *options, "--out", "run")
    assert evil.exists()
    sys.modules.pop("evil")
    evil.unlink()
    refusal(capsys, "train", "--resume", "run")
    assert not evil.exists()
    printed(capsys, "train", "--resume", "run", "--allow-module", "evil")
    assert evil.exists()
    run = Run.resume(Path("run"), silent, allowed_code=["evil"])
    assert run.said_when_interrupted().endswith("ursuppe train --resume run --allow-module evil")
    printed(capsys, "train", "run/config.toml", "--allow-module", "evil", "--out", "again")


def test_a_run_may_lie_anywhere(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = '-x\ny, lr=1,e=2: it\'s "ün[/b]$x$" '
    options = [*SMALL_OPTIONS, "--set", "evaluation_pool=['random']", "--set", "evaluate_every=300"]
    told = printed(capsys, "train", "quick", *options, "--out", name)
    assert told.startswith("policy: ")
    assert told.count("\n") == 1
    printed(capsys, "train", "--resume", name)
    best = Path(name) / "best.zip"
    code = agent_spec("policy", model=str(best))
    options = ["--against", code, "--games", "4", "--workers", "1", "--out", f"{name},too"]
    printed(capsys, "evaluate", *options, "--", name)
    assert json.loads((Path(f"{name},too") / "evaluation.json").read_text())["results"][0]["opponent"] == code
    printed(capsys, "record", "--agents", f"random,{code},random,{code}", "--games", "1", "games.jsonl")
    config = Path("again.toml")
    config.write_text(tomli_w.dumps(TINY.changed({"evaluation_pool": [code], "opponents": {code: 1.0}}).model_dump()))
    assert read_config("again.toml").evaluation_pool == (code,)


@pytest.mark.parametrize(
    ("limits", "unit", "total"),
    [({"steps": 10**9, "minutes": 0.02}, "; seconds", 1), ({"steps": 600, "minutes": 1000.0}, "", 600)],
)
def test_the_progress_is_that_of_steps_or_minutes_whichever_end_first(limits, unit, total, tmp_path):
    shown = []
    run = Run.begin(tmp_path / "run", TINY.changed({**limits, "report_games": 0}), silent, threads=1)
    run.train(shown.append)
    of_training = [now for now in shown if now.doing.startswith("training") and now.over > 0]
    assert {(now.doing.endswith("; seconds"), now.total) for now in of_training} == {(unit != "", total)}
    assert of_training[-1].over >= total


def test_an_opponents_code_is_no_markup_of_the_progress_bar(tmp_path, monkeypatch):
    opponent, shown = "bots[/b]:Bot", io.StringIO()

    class ShownAtOnce(Progress):
        def update(self, task, **changes):
            super().update(task, refresh=True, **changes)

    evaluate_by(monkeypatch, lambda *_, **__: evaluation_of(0.5, opponent))
    config = BRIEF.changed({"evaluate_every": 16})
    console = Console(file=shown, force_terminal=True, width=200)
    with ShownAtOnce(TextColumn("{task.description}"), console=console) as progress:
        Run.begin(tmp_path / "run", config, silent).train(run_bar(progress))
    assert f"{opponent} 50%" in shown.getvalue()


@pytest.mark.parametrize("steps", [1000, 500])
def test_a_training_that_diverges_says_so_and_keeps_no_such_policy(steps: int, tmp_path, capsys):
    """Also in its last update."""
    file, out = tmp_path / "wild.toml", tmp_path / "out"
    file.write_text(tomli_w.dumps(TINY.changed({"learning_rate": 1e6, "steps": steps}).model_dump()))
    status, _, told = ursuppe(capsys, "train", file, "--out", out)
    assert status == 2
    assert told.splitlines()[-1].startswith(f"ursuppe: {out}: after 512 decisions the training has diverged: ")
    assert not list(out.glob("policies/*"))


def test_a_run_that_has_no_time_to_learn_ends_with_what_it_began_with(tmp_path):
    Run.begin(tmp_path / "run", TINY.changed({"minutes": 1e-9}), silent).train()
    assert [path.name for path in (tmp_path / "run" / "policies").iterdir()] == ["000000000000.zip"]
    assert (tmp_path / "run" / "best.zip").exists()


def test_a_run_goes_on_from_the_initial_policy_that_it_began_with(whole_run, tmp_path):
    initial, folder = tmp_path / "initial.zip", tmp_path / "run"
    initial.write_bytes((whole_run / "latest.zip").read_bytes())
    Run.begin(folder, BRIEF.changed({"initial_policy": str(initial)}), silent)
    Run.resume(folder, silent)
    initial.write_bytes(min((whole_run / "policies").iterdir()).read_bytes())
    with pytest.raises(ValueError, match=r"initial\.zip is not what .*run began with; put that back there$"):
        Run.resume(folder, silent)


def test_a_run_goes_on_against_the_policies_that_it_has_met(whole_run, tmp_path):
    met, folder = tmp_path / "met.zip", tmp_path / "run"
    met.write_bytes((whole_run / "latest.zip").read_bytes())
    Run.begin(folder, BRIEF.changed({"opponents": {"self": 1, f"policy:{met}": 1}}), silent)
    Run.resume(folder, silent)
    met.write_bytes(min((whole_run / "policies").iterdir()).read_bytes())
    with pytest.raises(ValueError, match=r"met\.zip with . players is not the policy that .*run has met until now"):
        Run.resume(folder, silent)


def test_a_run_that_goes_on_with_other_code_says_so(tmp_path):
    folder, said = tmp_path / "run", []
    Run.begin(folder, TINY, silent)
    file = folder / "provenance.json"
    Run.resume(folder, said.append)
    begun = json.loads(file.read_text())
    assert "resumed" not in begun
    file.write_text(json.dumps({**begun, "commit": "0123456789"}))
    for _ in range(2):  # noted once
        Run.resume(folder, said.append)
    code = {name: begun[name] for name in ("commit", "dirty", "versions")}
    assert json.loads(file.read_text())["resumed"] == [{"decisions": 0, **code}]
    assert said.count(f"It goes on with other code: commit {begun['commit']}, before 0123456789.") == 1
    for content in ("{", "[]", "{}", '{"commit": "0123456789", "dirty": false, "versions": {}, "resumed": 3}'):
        file.write_text(content)
        with pytest.raises(ValueError, match=r"provenance\.json is damaged, or no provenance of a run"):
            Run.resume(folder, silent)
