"""Which of a run's policies is chosen, and on which dice: no two purposes share them."""

import json

import numpy as np
import pytest

from ursuppe_agents.policies.files import read_provenance
from ursuppe_agents.policies.provenance import LARGEST_SEED
from ursuppe_env import Games
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation import job
from ursuppe_training.evaluation.evaluate import read_evaluation
from ursuppe_training.evaluation.history import WinRate, read_history
from ursuppe_training.evaluation.selection import best_step
from ursuppe_training.runs.run import Run
from ursuppe_training.seeds import Seed

from support.training import BRIEF, evaluate_by, evaluation_of


@pytest.mark.parametrize(
    ("evaluations", "best"),  # of each evaluation the mean, and that of the best one until then, at every table
    [
        ([], None),
        ([[(0.1, None)]], 0),
        ([[(0.1, None)], [(0.2, 0.1)]], 1),
        ([[(0.1, None)], [(0.05, 0.1)]], 0),
        ([[(0.1, None)], [(0.1, 0.1)]], 1),  # as good: the later one
        ([[(0.1, None)], [(0.2, 0.1)], [(0.15, 0.2)]], 1),
        ([[(0.3, None), (0.3, None)], [(0.5, 0.3), (0.2, 0.3)]], 1),
        # In the duel, the one that is alone loses in either case: that says nothing.
        ([[(0.3, None)], [(0.4, 0.3), (0.2, 0.15)]], 1),
        # What both win nearly always is left out, however large the difference is beside the others.
        ([[(0.3, None), (0.99, None)], [(0.301, 0.3), (0.975, 0.99)]], 1),
        ([[(0.99, None)], [(0.975, 0.99)]], 1),  # nothing counts
        ([[(0.3, None), (0.99, None)], [(0.301, 0.3), (0.9, 0.99)]], 0),  # but not what only one of them does
    ],
)
def test_the_best_policy_is_the_one_with_the_higher_mean(evaluations, best):
    history = [
        WinRate(step, 0.0, f"agent {table}", mean, None, None, 8, 0.25, best_until_then)
        for step, win_rates in enumerate(evaluations)
        for table, (mean, best_until_then) in enumerate(win_rates)
    ]
    assert best_step(history) == best


def test_a_run_chooses_on_some_dice_and_reports_on_others(tmp_path, monkeypatch):
    asked, duels = [], []
    shares = iter([0.5, 0.7, 0.6, 0.65])

    def evaluate(model, pool, num_games, seed, ruleset, **_):
        asked.append((model.name, tuple(pool), num_games, seed))
        return evaluation_of(next(shares), seed=seed)

    def duel(model, other, num_games, seed, ruleset, _):
        duels.append((model.stem, other.stem, num_games, seed))
        return *evaluation_of(0.2).results, *evaluation_of(0.15).results

    evaluate_by(monkeypatch, evaluate)
    monkeypatch.setattr(job, "play_duel", duel)
    pool = ("grow", "hunter", "mixed")
    config = BRIEF.changed({"evaluate_every": 16, "report_games": 40, "evaluation_pool": [*pool, "best"]})
    folder, said = tmp_path / "run", []
    Run.begin(folder, config, said.append).train()
    history = read_history(folder / "evaluations.jsonl")
    steps = sorted({win_rate.step for win_rate in history})
    assert len(steps) == 3
    policies = sorted((folder / "policies").iterdir())
    assert [int(path.stem) for path in policies] == steps
    assert asked == [
        *((path.name, pool, 8 * 15, Seed.SELECTION) for path in policies),
        ("best.zip", pool, 40, Seed.REPORT),
    ]
    first, second, third = (path.stem for path in policies)
    assert duels == [(second, first, 120, Seed.SELECTION), (third, second, 120, Seed.SELECTION)]
    # The second one gains 0.2 against grow, and 0.05 in the duel; the third loses 0.1 against grow.
    assert (folder / "best.zip").read_bytes() == policies[1].read_bytes()
    assert (folder / "latest.zip").read_bytes() == policies[2].read_bytes()
    assert read_provenance(folder / "best.zip").decisions == steps[1]
    of_duels = [(one.step, one.mean, one.best) for one in history if one.opponent == "best"]
    assert of_duels == [(step, 0.2, 0.15) for step in steps[1:]]
    assert [one.best for one in history if one.opponent == "grow"] == [None, 0.5, 0.7]
    report = read_evaluation(folder / "evaluation.json")
    assert (report.seed, report.results[0].win_rate.estimate) == (Seed.REPORT, 0.65)
    assert json.loads((folder / "evaluation.json").read_text())["policy"]["decisions"] == steps[1]
    assert (
        said[-1]
        == f"{folder / 'best.zip'}, after {steps[1]} decisions, wins on other dice against grow 65.0 %; by chance 25%"
    )


def test_no_two_purposes_share_dice():
    seeds = [0, *Seed]
    keys = np.concatenate([Games(1000, seed=seed).state["key"] for seed in seeds])
    assert len(np.unique(keys)) == len(keys)


def test_nothing_is_measured_on_dice_that_are_trained_with():
    assert min(Seed) > LARGEST_SEED
    with pytest.raises(ValueError, match="seed is"):
        TrainingConfig(seed=LARGEST_SEED + 1)
