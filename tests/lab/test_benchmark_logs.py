"""A task with sets of games to learn from: anybody plays them anew, and predictions of games held out are scored."""

import json
import tomllib
from functools import partial

import numpy as np
import pytest

from ursuppe_agents import Agent
from ursuppe_env import Ruleset
from ursuppe_env.records import read_records
from ursuppe_lab.benchmark import read_results, run_task, table_of, task_named
from ursuppe_lab.benchmark import task as tasks
from ursuppe_lab.benchmark.logs import Logs
from ursuppe_lab.recording import played_games

from support.benchmarks import entry_of, forge_figures, problems_of
from support.command import printed

LOGS = """
[logs]
seed = 7
games = 20
held_out = 12
[logs.sets]
mixed = [["hunter", "grow", "random"], ["grow", "random", "breeder"]]
alike = [["hunter", "hunter", "hunter"]]
"""
TASK = 'question = "?"\nplayers = 3\nedition = "1998"\nopponents = ["random", "hunter"]\nseeds = 2\n'
TASKS = {"logs3-v9": TASK + LOGS, "small3-v9": TASK}
RULES = Ruleset(players=3)
SETS = Logs(**tomllib.loads(LOGS)["logs"])


class Predicting(Agent):
    """Gives every seat these chances; where ``asked`` is a list, keeps what it is asked about."""

    def __init__(self, chances, asked=None):
        self.chances, self.asked = chances, asked

    def act(self, games, rows):
        raise NotImplementedError

    def values(self, games, rows):
        if self.asked is not None:
            self.asked += zip(rows.tolist(), games.state["round"][rows].tolist(), strict=True)
        return np.tile(self.chances, (len(rows), 1))


def written(capsys, small, name, out, *options):
    printed(capsys, "benchmark", "logs", small.name, name, "--out", out, "--workers", "1", *options)
    return list(read_records(out))


def test_each_table_of_a_set_plays_as_many_games_and_the_small_set_is_the_first_tenth_of_each(small, tmp_path, capsys):
    whole = written(capsys, small, "mixed", tmp_path / "whole.jsonl.gz")
    part = written(capsys, small, "mixed", tmp_path / "part.jsonl", "--small")
    tables = small.logs.sets["mixed"]
    assert [tuple(record.agents) for record in whole] == [table for table in tables for _ in range(10)]
    assert part == [whole[0], whole[10]]


def test_the_published_sets_never_change():
    task = task_named("logs4-v1")
    kinds = task.logs.recordings, partial(task.logs.recordings, held_out=True)
    recordings = [each for name in task.logs.sets for of_kind in kinds for each in of_kind(name, task.ruleset)]
    first_games = [next(played_games(recording, range(1))).events for recording in recordings]
    assert tasks.digest_of(json.dumps(first_games)) == "19c10a0331ca6c22"


def test_no_two_games_of_sets_and_held_out_games_have_the_same_dice():
    kinds = SETS.recordings, partial(SETS.recordings, held_out=True)
    recordings = [recording for name in SETS.sets for of_kind in kinds for recording in of_kind(name, RULES)]
    seeds = [seed for recording in recordings for seed in range(recording.seed, recording.seed + recording.games)]
    assert len(set(seeds)) == len(seeds) == 2 * (20 + 12)


def test_predictions_are_asked_for_as_rounds_2_to_4_begin():
    asked = []
    alike = SETS.model_copy(update={"sets": {"alike": SETS.sets["alike"]}})
    alike.brier_scores(Predicting([1 / 3] * 3, asked), RULES)
    records = list(played_games(alike.recordings("alike", RULES, held_out=True)[0], range(12)))
    last = [record.result["rounds"] for record in records]
    expected = {(row, number) for row, end in enumerate(last) for number in (2, 3, 4) if number <= end}
    assert sorted(asked) == sorted(expected)


def test_equal_chances_have_what_is_said_of_them_and_certainty_is_right_or_two_off():
    equal = SETS.brier_scores(Predicting([1 / 3] * 3), RULES)
    assert all(score == (0.66667, 0.66667, 0.66667) for score in equal.values())
    sure = SETS.brier_scores(Predicting([1.0, 0, 0]), RULES)["alike"]
    records = played_games(SETS.recordings("alike", RULES, held_out=True)[0], range(12))
    wins = sum(record.result["winner"] == 0 for record in records)
    assert sure.estimate == round(2 * (1 - wins / 12), 5)


@pytest.mark.parametrize("chances", [[0.5, 0.5], [0.5, 0.5, 0.5], [1.5, -0.5, 0], [np.nan] * 3])
def test_what_are_no_chances_is_refused(chances):
    with pytest.raises(ValueError, match=r"^values of Predicting must be \(\d+, 3\) chances, of each game in sum 1$"):
        SETS.brier_scores(Predicting(chances), RULES)


def test_scores_are_figures_of_the_results_and_forged_ones_are_found_where_the_agent_is_at_hand(small, tmp_path):
    folder = tmp_path / "run"
    run_task(small, entry_of(small, "policy:default", "mine"), folder, workers=1)
    results = read_results(folder)
    found = results.found.brier
    assert list(found) == ["mixed", "alike"]
    assert all(0 < score.low < score.estimate < score.high < 2 for score in found.values())
    assert problems_of(folder, "policy:default") == []
    brier = results.figures["brier"]
    forge_figures(folder, brier=brier | {"alike": brier["alike"] | {"estimate": 0.1}})
    assert problems_of(folder) == []  # nobody can tell what it predicted
    [problem] = problems_of(folder, "policy:default")
    assert problem.startswith("figures: brier.alike.estimate is")


def test_who_predicts_nothing_has_no_score(small, tmp_path, capsys):
    shown = printed(capsys, "benchmark", "run", small.name, "hunter", "--out", tmp_path / "run", "--workers", "1")
    assert "Brier" in shown
    results = read_results(tmp_path / "run")
    assert results.found.brier is None
    assert problems_of(tmp_path / "run", "hunter") == []
    (row,) = table_of(small, [results])
    assert row.more == {"Brier score, mixed": "–", "Brier score, alike": "–"}


def test_a_set_that_is_not_there_is_refused(small, tmp_path, refused):
    for task, name, message in (
        ("logs3-v9", "best", "set is 'best'; it must be one of mixed, alike"),
        ("small3-v9", "mixed", "'small3-v9', which has no games to learn from; it must be one such as logs4-v1"),
    ):
        refused(["benchmark", "logs", task, name, "--out", tmp_path / "set.jsonl"], message)
    assert not (tmp_path / "set.jsonl").exists()
