"""A task with sets of games to learn from: anybody plays them anew, and predictions of games held out are scored."""

import json

import numpy as np
import pytest

from ursuppe_agents import Agent
from ursuppe_env import Ruleset
from ursuppe_env.records import read_records
from ursuppe_lab.benchmark import Entry, entry_digest, read_results, run_task, table_of, task_named, verify
from ursuppe_lab.benchmark import task as tasks
from ursuppe_lab.benchmark.logs import Logs
from ursuppe_lab.benchmark.results import RESULTS
from ursuppe_lab.recording import played_games

from support.command import printed, refusal

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
RULES = Ruleset(players=3)
SETS = Logs(
    seed=7,
    games=20,
    held_out=12,
    sets={
        "mixed": (("hunter", "grow", "random"), ("grow", "random", "breeder")),
        "alike": (("hunter", "hunter", "hunter"),),
    },
)


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


@pytest.fixture
def small(tmp_path, monkeypatch):
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "logs3-v9.toml").write_text(TASK + LOGS)
    (folder / "small3-v9.toml").write_text(TASK)
    monkeypatch.setattr(tasks, "_TASKS", folder)
    return task_named("logs3-v9")


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
    kinds = task.logs.recordings, task.logs.held_out_recordings
    recordings = [each for name in task.logs.sets for of_kind in kinds for each in of_kind(name, task.ruleset)]
    first_games = [next(played_games(recording, range(1))).events for recording in recordings]
    assert tasks.digest_of(json.dumps(first_games)) == "19c10a0331ca6c22"


def test_no_two_games_of_sets_and_held_out_games_have_the_same_dice():
    kinds = SETS.recordings, SETS.held_out_recordings
    recordings = [recording for name in SETS.sets for of_kind in kinds for recording in of_kind(name, RULES)]
    seeds = [seed for recording in recordings for seed in range(recording.seed, recording.seed + recording.games)]
    assert len(set(seeds)) == len(seeds) == 2 * (20 + 12)


def test_predictions_are_asked_for_as_rounds_2_to_4_begin():
    asked = []
    alike = SETS.model_copy(update={"sets": {"alike": SETS.sets["alike"]}})
    alike.brier_scores(Predicting([1 / 3] * 3, asked), RULES)
    records = list(played_games(alike.held_out_recordings("alike", RULES)[0], range(12)))
    last = [record.result["rounds"] for record in records]
    expected = {(row, number) for row, end in enumerate(last) for number in (2, 3, 4) if number <= end}
    assert sorted(asked) == sorted(expected)


def test_equal_chances_have_what_is_said_of_them_and_certainty_is_right_or_two_off():
    equal = SETS.brier_scores(Predicting([1 / 3] * 3), RULES)
    assert all(score == (0.66667, 0.66667, 0.66667) for score in equal.values())
    sure = SETS.brier_scores(Predicting([1.0, 0, 0]), RULES)["alike"]
    records = played_games(SETS.held_out_recordings("alike", RULES)[0], range(12))
    wins = sum(record.result["winner"] == 0 for record in records)
    assert sure.estimate == round(2 * (1 - wins / 12), 5)


@pytest.mark.parametrize("chances", [[0.5, 0.5], [0.5, 0.5, 0.5], [1.5, -0.5, 0], [np.nan] * 3])
def test_what_are_no_chances_is_refused(chances):
    with pytest.raises(ValueError, match=r"^values of Predicting must be \(\d+, 3\) chances, of each game in sum 1$"):
        SETS.brier_scores(Predicting(chances), RULES)


def entry_of(spec, name):
    return Entry(name=name, spec=spec, digest=entry_digest(spec, 3))


def test_scores_are_figures_of_the_results_and_forged_ones_are_found_where_the_agent_is_at_hand(small, tmp_path):
    folder = tmp_path / "run"
    run_task(small, entry_of("policy:default", "mine"), folder, workers=1)
    found = read_results(folder).found.brier
    assert list(found) == ["mixed", "alike"]
    assert all(0 < score.low < score.estimate < score.high < 2 for score in found.values())
    assert list(verify(folder, "policy:default", workers=1)) == []
    results = json.loads((folder / RESULTS).read_bytes())
    results["figures"]["brier"]["alike"]["estimate"] = 0.1
    (folder / RESULTS).write_text(json.dumps(results))
    assert list(verify(folder, workers=1)) == []  # nobody can tell what it predicted
    (problem,) = verify(folder, "policy:default", workers=1)
    assert problem.startswith("figures: brier is")


def test_who_predicts_nothing_has_no_score(small, tmp_path, capsys):
    shown = printed(capsys, "benchmark", "run", small.name, "hunter", "--out", tmp_path / "run", "--workers", "1")
    assert "Brier" in shown
    results = read_results(tmp_path / "run")
    assert results.found.brier is None
    assert list(verify(tmp_path / "run", "hunter", workers=1)) == []
    (row,) = table_of(small, [results])
    assert row.more == {"Brier score, mixed": "–", "Brier score, alike": "–"}


@pytest.mark.parametrize(
    ("task", "name", "message"),
    [
        ("logs3-v9", "best", "set is 'best'; it must be one of mixed, alike"),
        (
            "small3-v9",
            "mixed",
            "task is 'small3-v9', which has no games to learn from; it must be one such as logs4-v1",
        ),
    ],
)
def test_a_set_that_is_not_there_is_refused(small, tmp_path, capsys, task, name, message):
    assert message in refusal(capsys, "benchmark", "logs", task, name, "--out", tmp_path / "set.jsonl")
    assert not (tmp_path / "set.jsonl").exists()
