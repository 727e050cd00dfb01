"""Runs in processes of their own: each is the one that it would be alone, and all stop and go on as one."""

import json
import re
import sys
from pathlib import Path

import pytest

from ursuppe_env.cli import run as run_command
from ursuppe_lab.jobs import runner
from ursuppe_training.runs import several as several_runs
from ursuppe_training.runs.run import Run, RunProgress
from ursuppe_training.runs.several import RunTask, TrainedRun, train_runs
from ursuppe_training.several_seeds.runs import SeedRuns

from support.training import BOTS, TINY, interrupted, repair_bots, silent

#: Its one evaluation is due at the end: a run has no process beside it.
TINIEST = TINY.changed(
    {"steps": 256, "envs": 8, "rollout": 16, "evaluation_games": 4, "checkpoint_every": 128, "report_games": 4}
)


def begin_with_bot(name, where="parent_process()"):
    """Two small runs are begun whose opponents are this bot, which is due in the one with seed 1."""
    bot = BOTS.replace("return True", "return self.drawn_from == [1, 2, 0]")  # seed, rollout, group of games
    Path("bots.py").write_text(bot.replace("parent_process()", where))
    config = TINIEST.changed({"report_games": 0, "opponents": {"self": 1.0, f"bots:{name}": 1.0}})
    SeedRuns.begin(Path("runs"), config, [0, 1], silent)


#: The command that goes on with them.
RESUME = ["train", "--resume", "runs", "--allow-module", "bots", "--workers"]


def test_two_at_a_time_are_the_same_as_one_after_the_other_and_as_each_alone(tmp_path):
    said = []
    for workers in (1, 2):
        SeedRuns.begin(tmp_path / f"{workers}", TINIEST, [0, 5, 2], said.append, workers=workers).train()
    one_by_one, together = tmp_path / "1", tmp_path / "2"
    for name in ("seeds.toml", "summary.json", "report.html"):
        assert (one_by_one / name).read_bytes() == (together / name).read_bytes()
    Run.begin(tmp_path / "alone", TINIEST.changed({"seed": 5}), silent).train()
    for seed in (0, 5, 2):
        folders = [one_by_one / f"seed-{seed}", together / f"seed-{seed}", *([tmp_path / "alone"] if seed == 5 else [])]
        for name in ("latest.zip", "best.zip", "evaluation.json"):
            assert len({(folder / name).read_bytes() for folder in folders}) == 1
        assert sum(line.startswith(f"seed {seed}: 256 decisions, ") for line in said) == 2


def test_a_run_that_fails_is_named_and_the_others_can_go_on(bots, capsys):
    begin_with_bot("Crashing", where="True")
    assert run_command([*RESUME, "1"]) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("ursuppe: seed 1: ")
    assert last.endswith("no food")
    assert not list(bots.rglob("*.unfinished"))
    repair_bots()
    assert run_command([*RESUME, "1"]) == 0
    assert [run["seed"] for run in json.loads(Path("runs/summary.json").read_text())["runs"]] == [0, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="there Ctrl-C is no signal that one process can send another")
def test_ctrl_c_stops_all_and_they_go_on_as_one(bots):
    begin_with_bot("Slow")
    *told, done, last = interrupted([*RESUME, "2"], "playing", "runs/summary.json")
    assert done == "1 of 2 seeds are done; continue with: ursuppe train --resume runs --allow-module bots"
    assert last == "ursuppe: interrupted"
    assert [line for line in told if not re.match(r"seed 0: |\d of 2 seeds: ", line)] == []
    assert run_command([*RESUME, "1"]) == 0  # is no worker
    assert [run["seed"] for run in json.loads(Path("runs/summary.json").read_text())["runs"]] == [0, 1]


@pytest.mark.parametrize(
    ("minutes", "threads", "workers", "expected"),
    [
        (float("inf"), None, None, (3, 2)),  # of 8 cores
        (float("inf"), None, 2, (2, 4)),
        (float("inf"), 3, 2, (2, 3)),
        (float("inf"), None, 1, (1, None)),
        (5.0, None, None, (1, None)),  # together they would learn less in that time
        (5.0, None, 2, (2, 4)),
    ],
)
def test_runs_share_the_cores_unless_their_time_is_limited(minutes, threads, workers, expected, tmp_path, monkeypatch):
    asked = []

    def run_telling_jobs(work, jobs, on_told, workers):
        asked.append((workers, work.keywords["threads"]))
        return ((job, TrainedRun(0, 0.0)) for job in jobs)

    monkeypatch.setattr(several_runs, "run_telling_jobs", run_telling_jobs)
    for module in (several_runs, runner):
        monkeypatch.setattr(module, "available_cores", lambda: 8)
    tasks = [RunTask(name, tmp_path, TINIEST.changed({"minutes": minutes})) for name in "abc"]
    assert [task.name for task, _ in train_runs(tasks, silent, print, "cpu", threads, workers)] == list("abc")
    assert asked == [expected]


def test_limited_runs_beside_each_other_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.setattr("ursuppe_training.several_seeds.runs.train_runs", lambda *_: (_ for _ in ()))
    said = []
    SeedRuns.begin(tmp_path / "runs", TINIEST.changed({"minutes": 5.0}), [0, 1], said.append, workers=2).train()
    assert said == ["minutes is 5: runs that share the machine learn from fewer decisions in that time than alone"]


def test_progress_is_told_now_and_then_and_when_something_else_is_done(monkeypatch):
    now, told = [0.0], []
    monkeypatch.setattr(several_runs.time, "monotonic", lambda: now[0])
    tell = several_runs._NowAndThen(told.append)
    for step in range(1000):
        now[0] += 0.001
        tell(RunProgress("training", step, 1000, step / 1000))
    tell(RunProgress("the last evaluations", 0, 1, 1.0))
    assert 4 <= len(told) <= 6
    assert told[-1].doing == "the last evaluations"


def test_threads_are_given_to_the_training(tmp_path):
    task = RunTask("run", tmp_path / "run", TINIEST)
    [(_, trained)] = train_runs([task], silent, lambda task, now: None, "cpu", threads=3)
    assert json.loads((task.folder / "provenance.json").read_text())["threads"] == 3
    assert trained.decisions >= TINIEST.steps
