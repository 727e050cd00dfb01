"""Which learner, and which opponents: short trainings with several seeds, side by side, at equal time.

``python benchmarks/learners.py MINUTES``: every run has this many minutes of one core, as many runs at once as there
are cores; 12 runs in all. Finished runs are kept in ``runs/learners``. Writes ``docs/images/learners.svg`` and prints
two tables for ``docs/training.md``.
"""

import os

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import json
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.progress import track
from scipy import stats  # type: ignore[import-untyped]

from ursuppe_agents.jobs.folder import to_json
from ursuppe_agents.reports.plotting import COLOURS, INK, STYLE, as_file, draw_legend
from ursuppe_env.files import write_atomically
from ursuppe_training.config import read_config
from ursuppe_training.evaluation import evaluate_policy
from ursuppe_training.history import HISTORY, WinRate, read_history
from ursuppe_training.run_evaluations import LATEST
from ursuppe_training.runs import CONFIG, Run

_FOLDER = Path("runs/learners")
_PICTURE = Path("docs/images/learners.svg")
_RESULT = "evaluation.json"  # of a run that is done
_SEEDS = (0, 1, 2)
_POOL = ("random", "hunter", "greedy")
_GAMES = 1000  # of each run at its end, against each opponent
_GAMES_SEED = 2**62  # none that is trained with, nor that of the curves
_SCRIPTED = {"self": 0.25, "snapshots": 0.1, "greedy": 0.35, "hunter": 0.1, "breeder": 0.15, "hoarder": 0.05}
_COMMON: dict[str, Any] = {
    "steps": 10**9,  # the time ends the run
    "reward": "margin",
    "final_reward": "win",
    "rollout": 256,
    "batch_size": 4096,
    "epochs": 3,
    "learning_rate": 5e-4,
    "final_learning_rate": 5e-5,
    "whole_tables": 0.8,
    "snapshot_every": 500_000,
    "evaluate_every": 1_000_000,
    "checkpoint_every": 10**9,
    "evaluation_pool": list(_POOL),
    "evaluation_games": 400,
    "report_games": 0,
}
_WAY = "deterministic"
_WITHOUT_SCRIPTED = {"self": 0.5, "snapshots": 0.5}
_VARIANTS: dict[str, dict[str, Any]] = {
    "every seat, pool and scripted": {"opponents": _SCRIPTED},
    "one seat, pool and scripted": {"opponents": _SCRIPTED, "learner": "one_seat"},
    "every seat, pool": {"opponents": _WITHOUT_SCRIPTED},
    "every seat, itself only": {"opponents": {"self": 1.0}},
}


def main(minutes: float) -> None:
    """Train what is not there yet, draw the curves, and print how strong the policies are at the end."""
    jobs = [(name, seed, minutes) for seed in _SEEDS for name in _VARIANTS]
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        runs = list(track(pool.map(train, *zip(*jobs, strict=True)), total=len(jobs), description="training"))
    folders = {(name, seed): run for (name, seed, _), run in zip(jobs, runs, strict=True)}
    histories = {job: read_history(folder / HISTORY) for job, folder in folders.items()}
    write_atomically(_PICTURE, draw(histories))
    results = {job: last_win_rates(folder) for job, folder in folders.items()}
    print(table(histories, results))
    print(differences(results))


def train(name: str, seed: int, minutes: float) -> Path:
    """One run on one core, and games with its last policy; its folder. A run that is there already is left as it is."""
    torch.set_num_threads(1)
    folder = _FOLDER / f"{name.replace(', ', '-').replace(' ', '_')}-{seed}"
    config = read_config("quick").changed({**_COMMON, **_VARIANTS[name], "seed": seed, "minutes": minutes})
    if not (folder / _RESULT).exists() or read_config(str(folder / CONFIG)) != config:
        shutil.rmtree(folder, ignore_errors=True)
        Run.begin(folder, config, say=lambda line: None, device="cpu").train()
        evaluation = evaluate_policy(folder / LATEST, _POOL, _GAMES, _GAMES_SEED)
        write_atomically(folder / _RESULT, to_json(evaluation.as_dict()))
    return folder


def last_win_rates(folder: Path) -> NDArray[np.float64]:
    """(opponents,) of a run's last policy in deterministic play, in per cent."""
    results = json.loads((folder / _RESULT).read_text())["results"]
    return np.array([100 * result["win_rate"] for result in results if result["way"] == _WAY])


def draw(histories: dict[tuple[str, int], list[WinRate]]) -> bytes:
    """An SVG: a panel for each opponent, a colour for each variant, a line for each seed, over the time."""
    with matplotlib.rc_context(STYLE):
        picture = Figure(figsize=(9, 3.6), layout="constrained")
        panels = picture.subplots(1, len(_POOL), sharex=True, squeeze=False)[0]
        drawn = {}
        for opponent, axes in zip(_POOL, panels, strict=True):
            for name, colour in zip(_VARIANTS, COLOURS, strict=False):
                for seed in _SEEDS:
                    points = deterministic(histories[name, seed], opponent)
                    minutes = [point.seconds / 60 for point in points]
                    lows, highs = (100 * np.array([getattr(point, end) for point in points]) for end in ("low", "high"))
                    axes.fill_between(minutes, lows, highs, color=colour, alpha=0.12, linewidth=0)
                    means = [100 * point.mean for point in points]
                    [drawn[name]] = axes.plot(minutes, means, color=colour, linewidth=1.2)
            axes.axhline(25, color=INK, linewidth=0.8, linestyle="--")
            axes.set_title(f"against three {opponent}", fontsize=9)
            axes.set_ylim(bottom=0)
            axes.grid(axis="y", color=INK, alpha=0.12, linewidth=0.6)
        panels[0].set_ylabel("wins, %")
        picture.supxlabel("minutes of one core", fontsize=9)
        draw_legend(picture, drawn, most_columns=2)
        return as_file(picture, "learners", "Win rates of short trainings")


def table(histories: dict[tuple[str, int], list[WinRate]], results: dict[tuple[str, int], NDArray[np.float64]]) -> str:
    """The last win rates in Markdown: of each variant against each opponent, the mean of the seeds and each of them."""
    lines = [f"| run | decisions | {' | '.join(_POOL)} |", f"| --- | ---: |{' ---: |' * len(_POOL)}"]
    for name in _VARIANTS:
        decisions = np.mean([histories[name, seed][-1].step for seed in _SEEDS]) / 1e6
        columns = np.array([results[name, seed] for seed in _SEEDS]).T
        cells = [f"{column.mean():.1f} ({', '.join(f'{share:.1f}' for share in column)})" for column in columns]
        lines.append(f"| {name} | {decisions:.1f} M | {' | '.join(cells)} |")
    return "\n".join(lines)


def differences(results: dict[tuple[str, int], NDArray[np.float64]]) -> str:
    """What each variant wins less than the first one, in Markdown, with 95 % intervals (Welch's t, a value a seed)."""
    first, *others = _VARIANTS
    lines = [f"| {first}, in place of | {' | '.join(_POOL)} |", f"| --- |{' ---: |' * len(_POOL)}"]
    for name in others:
        ours, theirs = (np.array([results[one, seed] for seed in _SEEDS]) for one in (first, name))
        interval = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval()
        gains = zip((ours - theirs).mean(axis=0), interval.low, interval.high, strict=True)
        cells = [f"{mean:+.1f} ({low:+.1f} to {high:+.1f})" for mean, low, high in gains]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def deterministic(history: list[WinRate], opponent: str) -> list[WinRate]:
    """The win rates of deterministic play against this opponent."""
    return [figure for figure in history if (figure.opponent, figure.way) == (opponent, _WAY)]


if __name__ == "__main__":
    main(float(sys.argv[1]))
