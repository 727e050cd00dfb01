"""Which learner, and which opponents: short trainings with several seeds, side by side, at equal time.

``python benchmarks/learners.py MINUTES``: every run has so many minutes of one core, as many runs at once as there are
cores; 12 runs in all. What is done is kept in ``runs/learners``. Writes ``docs/images/learners.svg`` and prints a table
for ``docs/training.md``.
"""

import os

os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

import io
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import matplotlib
import numpy as np
import torch
from matplotlib.figure import Figure as Picture
from rich.progress import track

from ursuppe_agents.arena.drawing import INK, STYLE
from ursuppe_env.files import write_whole
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.curves import COLOURS
from ursuppe_training.evaluation import WAYS
from ursuppe_training.history import HISTORY, Figure, read_history
from ursuppe_training.runs import Run

_FOLDER = Path("runs/learners")
_PICTURE = Path("docs/images/learners.svg")
_SEEDS = (0, 1, 2)
_SCRIPTED = {"self": 0.25, "snapshots": 0.1, "greedy": 0.35, "hunter": 0.1, "breeder": 0.15, "hoarder": 0.05}
_COMMON = {
    "steps": 10**9,  # the time ends the run
    "reward": "margin",
    "final_reward": "margin",
    "epochs": 3,
    "learning_rate": 5e-4,
    "final_learning_rate": 5e-5,
    "whole_tables": 0.8,
    "snapshot_every": 200_000,
    "evaluate_every": 400_000,
    "checkpoint_every": 10**9,
    "evaluation_pool": ["random", "hunter", "greedy"],
}
_WITHOUT_SCRIPTED = {"self": 0.5, "snapshots": 0.5}
_VARIANTS = {
    "every seat, pool and scripted": {"opponents": _SCRIPTED},
    "one seat, pool and scripted": {"opponents": _SCRIPTED, "learner": "one_seat"},
    "every seat, pool": {"opponents": _WITHOUT_SCRIPTED},
    "every seat, itself only": {"opponents": {"self": 1.0}},
}


def main(minutes: float) -> None:
    """Train what is not there yet, draw the curves, and print the last win rates."""
    jobs = [(name, seed, minutes) for seed in _SEEDS for name in _VARIANTS]
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        runs = list(track(pool.map(train, *zip(*jobs, strict=True)), total=len(jobs), description="training"))
    histories = {(name, seed): read_history(run / HISTORY) for (name, seed, _), run in zip(jobs, runs, strict=True)}
    write_whole(_PICTURE, draw(histories))
    print(table(histories))


def train(name: str, seed: int, minutes: float) -> Path:
    """One run on one core; its folder. A run that is there already is left as it is."""
    torch.set_num_threads(1)
    folder = _FOLDER / f"{name.replace(', ', '-').replace(' ', '_')}-{minutes:g}-{seed}"
    if not (folder / "done").exists():
        config: TrainingConfig = read_config("quick").changed(
            {**_COMMON, **_VARIANTS[name], "seed": seed, "minutes": minutes}
        )
        Run.begin(folder, config, say=lambda line: None, device="cpu").train()
        write_whole(folder / "done", b"")
    return folder


def draw(histories: dict[tuple[str, int], list[Figure]]) -> bytes:
    """An SVG: a panel for each opponent, a colour for each variant, a line for each seed, over the time."""
    opponents = list(dict.fromkeys(figure.opponent for figure in next(iter(histories.values()))))
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": "learners"}):
        picture = Picture(figsize=(9, 3.6), layout="constrained")
        panels = picture.subplots(1, len(opponents), sharex=True, squeeze=False)[0]
        for opponent, axes in zip(opponents, panels, strict=True):
            for name, colour in zip(_VARIANTS, COLOURS, strict=False):
                for seed in _SEEDS:
                    points = likeliest(histories[name, seed], opponent)
                    minutes = [point.seconds / 60 for point in points]
                    lows, highs = (100 * np.array([getattr(point, end) for point in points]) for end in ("low", "high"))
                    axes.fill_between(minutes, lows, highs, color=colour, alpha=0.12, linewidth=0)
                    label = name if seed == _SEEDS[0] else None
                    axes.plot(minutes, [100 * point.mean for point in points], color=colour, linewidth=1.2, label=label)
            axes.axhline(25, color=INK, linewidth=0.8, linestyle="--")
            axes.set_title(f"against three {opponent}", fontsize=9)
            axes.set_ylim(bottom=0)
            axes.grid(axis="y", alpha=0.25, linewidth=0.6)
        panels[0].set_ylabel("wins, %")
        picture.supxlabel("minutes of one core", fontsize=9)
        handles, labels = panels[0].get_legend_handles_labels()
        picture.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
        content = io.BytesIO()
        picture.savefig(content, format="svg", metadata={"Date": None, "Title": "Win rates of short trainings"})
    return content.getvalue().replace(INK.encode(), b"black")


def table(histories: dict[tuple[str, int], list[Figure]]) -> str:
    """The last win rates in Markdown: of each variant against each opponent, the mean of the seeds and each of them."""
    opponents = list(dict.fromkeys(figure.opponent for figure in next(iter(histories.values()))))
    lines = [f"| run | decisions | {' | '.join(opponents)} |", f"| --- | ---: |{' ---: |' * len(opponents)}"]
    for name in _VARIANTS:
        last = [[likeliest(histories[name, seed], opponent)[-1] for seed in _SEEDS] for opponent in opponents]
        decisions = np.mean([figure.step for figure in last[0]]) / 1e6
        cells = [_cell([100 * figure.mean for figure in figures]) for figures in last]
        lines.append(f"| {name} | {decisions:.1f} M | {' | '.join(cells)} |")
    return "\n".join(lines)


def likeliest(history: list[Figure], opponent: str) -> list[Figure]:
    """The figures of the likeliest actions against this opponent."""
    return [figure for figure in history if (figure.opponent, figure.way) == (opponent, list(WAYS)[-1])]


def _cell(shares: list[float]) -> str:
    return f"{np.mean(shares):.1f} ({', '.join(f'{share:.1f}' for share in shares)})"


if __name__ == "__main__":
    main(float(sys.argv[1]))
