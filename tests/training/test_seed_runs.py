"""Runs with several seeds: one after the other, resumed as a whole, and reported together."""

import json
import tomllib
from dataclasses import replace
from shlex import quote

import numpy as np
import pytest

from ursuppe_agents.policies.files import read_provenance
from ursuppe_env.cli import run as run_command
from ursuppe_env.cli.progress import progress_bar
from ursuppe_lab.statistics import FEWEST_SEEDS, Interval
from ursuppe_training.commands.shared import seed_bars
from ursuppe_training.evaluation.evaluate import Evaluation, MatchupResult, read_evaluation
from ursuppe_training.evaluation.history import win_rates_of
from ursuppe_training.runs.run import Run, RunProgress
from ursuppe_training.seeds import Seed
from ursuppe_training.several_seeds.report import SeedReport, SeedRun
from ursuppe_training.several_seeds.runs import SeedRuns

from support.training import SMALL_OPTIONS, TINY, silent, stop_begun

TINIEST = TINY.changed(
    {"steps": 96, "envs": 4, "rollout": 8, "batch_size": 16, "evaluate_every": 48, "evaluation_games": 4}
    | {"checkpoint_every": 48}
)


def test_the_command_trains_with_each_seed_and_reports_all(tmp_path, capsys):
    out = tmp_path / "runs"
    options = [*SMALL_OPTIONS, "--set", "evaluation_pool=['random', 'grow', 'best']", "--set", "evaluate_every=300"]
    assert run_command(["train", "quick", *options, "--seeds", "4,1", "--workers", "1", "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"report: {out / 'report.html'}\n"
    assert printed.err.startswith("For each seed: Training takes about ")
    assert "seed 4: " in printed.err
    assert "seed 1: " in printed.err
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
    assert run_command(["train", "--resume", str(out), "--workers", "1"]) == 0  # there is nothing left to do
    assert (out / "report.html").read_text() == page


def test_interrupted_runs_go_on_as_a_whole(tmp_path, monkeypatch, capsys):
    whole = tmp_path / "whole"
    SeedRuns.begin(whole, TINIEST, [0, 1, 2], silent, workers=1).train()
    folder = tmp_path / "it's mine"
    runs = SeedRuns.begin(folder, TINIEST, [0, 1, 2], silent, workers=1)
    with monkeypatch.context() as patch:
        stop_begun(patch, 2, decisions=60)
        with pytest.raises(KeyboardInterrupt):
            runs.train()
    said = runs.said_when_interrupted()
    assert said == f"1 of 3 seeds are done; continue with: ursuppe train --resume {quote(str(folder))}"
    assert json.loads((folder / "summary.json").read_text())["runs"][0]["seed"] == 0
    assert run_command(["train", "--resume", str(folder), "--workers", "1"]) == 0
    for name in ("summary.json", "report.html", *(f"seed-{seed}/best.zip" for seed in range(3))):
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
    assert "a best response alone against 3" in page
    assert ">50.0<small>45.0 to 55.0</small>" in page
    assert found["mean"]["estimate"] == pytest.approx(0.45)
    assert found["runs"][0] == {"estimate": 0.4, "low": 0.35, "high": 0.45}
    assert "a best response" not in report_of(2).as_html()
    assert json.loads(report_of(2).as_json())["best_responses"] is None


def test_without_figures_at_the_end_the_report_says_so():
    report = report_of(2, evaluated=False)
    assert report.figures == []
    assert "None were wanted" in report.as_html()
