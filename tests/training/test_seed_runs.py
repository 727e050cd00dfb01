"""Runs with several seeds, at a time or in turn: each is the one that it would be alone, and all go on as one."""

import json
import re
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from shlex import quote

import numpy as np
import pytest

from ursuppe_agents.policies.files import read_provenance
from ursuppe_env import jobs
from ursuppe_env.cli import run as run_command
from ursuppe_env.cli.progress import progress_bar
from ursuppe_lab.statistics import FEWEST_SEEDS, Interval
from ursuppe_training.commands.shared import seed_bars
from ursuppe_training.evaluation.evaluate import Evaluation, MatchupResult, read_evaluation
from ursuppe_training.evaluation.history import win_rates_of
from ursuppe_training.runs import several as several_runs
from ursuppe_training.runs.run import Run, RunProgress
from ursuppe_training.runs.several import RunTask, TrainedRun, train_runs
from ursuppe_training.seeds import Seed
from ursuppe_training.several_seeds.report import SeedReport, SeedRun
from ursuppe_training.several_seeds.runs import SeedRuns

from support.command import printed, ursuppe
from support.interrupting import interrupted
from support.training import BOTS, SMALL_OPTIONS, TINY, repair_bots, silent, stop_begun

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
    said, one_by_one, together, alone = [], tmp_path / "1", tmp_path / "2", tmp_path / "alone"
    for workers, folder in ((1, one_by_one), (2, together)):
        SeedRuns.begin(folder, TINIEST, [5, 0], said.append, workers=workers).train()
    Run.begin(alone, TINIEST.changed({"seed": 5}), silent).train()
    of_each = ("latest.zip", "best.zip", "evaluation.json")
    for name in of_each:
        assert (alone / name).read_bytes() == (together / "seed-5" / name).read_bytes()
    of_runs = [f"seed-{seed}/{name}" for seed in (5, 0) for name in of_each]
    for name in ("seeds.toml", "summary.json", "report.html", *of_runs):
        assert (one_by_one / name).read_bytes() == (together / name).read_bytes()
    for seed in (5, 0):
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

    def run_jobs(work, jobs, workers, on_told):
        asked.append((workers, work.keywords["threads"]))
        return ((job, TrainedRun(0, 0.0)) for job in jobs)

    monkeypatch.setattr(several_runs, "run_jobs", run_jobs)
    for module in (several_runs, jobs):
        monkeypatch.setattr(module, "available_cores", lambda: 8)
    tasks = [RunTask(name, tmp_path, TINIEST.changed({"minutes": minutes})) for name in "abc"]
    assert list(train_runs(tasks, silent, print, "cpu", threads, workers)) == list("abc")
    assert asked == [expected]


def test_limited_runs_beside_each_other_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.setattr("ursuppe_training.several_seeds.runs.train_runs", lambda *_: {})
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
    [trained] = train_runs([task], silent, lambda task, now: None, "cpu", threads=3).values()
    assert json.loads((task.folder / "provenance.json").read_text())["threads"] == 3
    assert trained.decisions >= TINIEST.steps


def test_the_command_trains_with_each_seed_and_reports_all(tmp_path, capsys):
    out = tmp_path / "runs"
    options = [*SMALL_OPTIONS, "--set", "evaluation_pool=['random', 'grow', 'best']", "--set", "evaluate_every=300"]
    status, told, err = ursuppe(capsys, "train", "quick", *options, "--seeds", "4,1", "--workers", "1", "--out", out)
    assert (status, told) == (0, f"report: {out / 'report.html'}\n")
    assert err.startswith("For each seed: Training takes about ")
    assert all(f"seed {seed}: " in err for seed in (4, 1))
    assert {path.name for path in out.iterdir()} == {"seeds.toml", "seed-4", "seed-1", "report.html", "summary.json"}
    settings = tomllib.loads((out / "seeds.toml").read_text())
    assert (settings["seeds"], settings["envs"]) == ([4, 1], 8)
    for seed in (4, 1):
        assert read_provenance(out / f"seed-{seed}" / "best.zip").seed == seed
    summary = json.loads((out / "summary.json").read_text())
    assert summary["seeds"] == [4, 1] == [run["seed"] for run in summary["runs"]]
    assert summary["intervals"] == "no intervals: 2 seeds are too few, at least 10 are needed"
    evaluations = [read_evaluation(out / f"seed-{seed}" / "evaluation.json") for seed in (4, 1)]
    for number, result in enumerate(summary["results"]):
        of_runs = [evaluation.results[number].win_rate.estimate for evaluation in evaluations]
        assert [one["estimate"] for one in result["runs"]] == of_runs
        assert result["mean"] == {"estimate": pytest.approx(np.mean(of_runs)), "low": None, "high": None}
    page = (out / "report.html").read_text()
    assert "2 of 2 runs" in page
    assert "2 seeds are too few, at least 10 are needed" in page
    printed(capsys, "train", "--resume", out, "--workers", "1")  # there is nothing left to do
    assert (out / "report.html").read_text() == page


def test_interrupted_runs_go_on_as_a_whole(tmp_path, monkeypatch, capsys):
    whole = tmp_path / "whole"
    SeedRuns.begin(whole, TINIEST, [0, 1], silent, workers=1).train()
    folder = tmp_path / "it's mine"
    runs = SeedRuns.begin(folder, TINIEST, [0, 1], silent, workers=1)
    with monkeypatch.context() as patch:
        stop_begun(patch, 2, decisions=60)
        with pytest.raises(KeyboardInterrupt):
            runs.train()
    said = runs.said_when_interrupted()
    assert said == f"1 of 2 seeds are done; continue with: ursuppe train --resume {quote(str(folder))}"
    assert json.loads((folder / "summary.json").read_text())["runs"][0]["seed"] == 0
    printed(capsys, "train", "--resume", folder, "--workers", "1")
    for name in ("summary.json", "report.html", *(f"seed-{seed}/best.zip" for seed in range(2))):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def test_how_many_seeds_are_done_is_told_from_the_first_line_on(monkeypatch, capsys):
    monkeypatch.setattr("ursuppe_env.cli.progress._BETWEEN_LINES", 0.0)
    with progress_bar() as progress:
        show = seed_bars(progress, [0, 1], 100)
        for now in (RunProgress("training", 50, 100, 0.5), None):
            show(0, now)
    told = [line.partition(",")[0] for line in capsys.readouterr().err.splitlines()]
    assert (told[0], told[-1]) == ("0 of 2 seeds: 0 of 200", "1 of 2 seeds: 100 of 200")


def test_a_run_with_other_settings_in_its_place_is_refused(tmp_path):
    runs = SeedRuns.begin(tmp_path / "runs", TINIEST, [0], silent)
    Run.begin(tmp_path / "runs" / "seed-0", TINIEST.changed({"epochs": 2}), silent)
    with pytest.raises(ValueError, match=r"seed 0: .*seed-0 has a run with other settings"):
        runs.train()


def report_of(num_seeds, evaluated=True):
    """Of runs whose win rates are 0.2, 0.21, ..."""
    runs = []
    for seed in range(num_seeds):
        results = tuple(
            MatchupResult(opponent, 400, Interval(0.2 + seed / 100, 0.1, 0.5), (0.2,) * 4)
            for opponent in ("grow", "$x$<b>:Bot")
        )
        evaluation = Evaluation(Seed.REPORT, 0.25, results)
        history = win_rates_of(evaluation, 1000 + seed, 1.0) + win_rates_of(evaluation, 2000 + seed, 2.0)
        runs.append(SeedRun(seed, tuple(history), evaluation if evaluated else None))
    return SeedReport(TINY, range(num_seeds), runs)


def test_enough_seeds_give_intervals_of_the_mean():
    report = report_of(FEWEST_SEEDS)
    figure = report.figures[0]
    assert report.about_intervals == "95 % intervals"
    assert figure.mean.estimate == pytest.approx(0.245)
    low, high = figure.mean.ends
    assert 0.22 < low < 0.24 < 0.25 < high < 0.27
    assert "For means: 95 % intervals." in report.as_html()


@pytest.mark.parametrize("num_seeds", [1, 3])
def test_few_seeds_are_shown_each_and_said_to_be_few(num_seeds):
    report = report_of(num_seeds)
    assert all(figure.mean.ends is None for figure in report.figures)
    page = report.as_html()
    assert "too few, at least 10 are needed" in page
    for seed in range(num_seeds):
        assert f"<th>seed {seed}</th>" in page
        assert f">{20 + seed}.0<small>10.0 to 50.0</small>" in page
    assert "3 $x$&lt;b&gt;:Bot" in page
    assert page == report_of(num_seeds).as_html()
    json.loads(report.as_json())


def test_what_best_responses_win_is_told_of_each_seed():
    report = report_of(2)
    wins = (Interval(0.4, 0.35, 0.45), Interval(0.5, 0.45, 0.55))
    report.runs = tuple(replace(run, best_response=one) for run, one in zip(report.runs, wins, strict=True))
    page, found = report.as_html(), json.loads(report.as_json())["best_responses"]
    assert "the best that was tried against it, alone against 3" in page
    assert ">50.0<small>45.0 to 55.0</small>" in page
    assert found["mean"]["estimate"] == pytest.approx(0.45)
    assert found["runs"][0] == {"estimate": 0.4, "low": 0.35, "high": 0.45}
    assert "tried against it" not in report_of(2).as_html()
    assert json.loads(report_of(2).as_json())["best_responses"] is None


def test_without_figures_at_the_end_the_report_says_so():
    report = report_of(2, evaluated=False)
    assert report.figures == []
    assert "None were wanted" in report.as_html()
