"""Tasks with rulesets: the lists, the games two and two, and checks of both."""

import json
from dataclasses import fields

import numpy as np
import pytest

from ursuppe_agents.evaluator import TrainedElsewhereWarning
from ursuppe_agents.policies import agent as policy_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.records import read_records
from ursuppe_lab.benchmark import read_results, run_task, task_named
from ursuppe_lab.benchmark import rulesets as lists_of
from ursuppe_lab.benchmark import task as tasks
from ursuppe_lab.benchmark.results import RECORDS
from ursuppe_lab.benchmark.rulesets import PRICES, SWITCHES, encoded_lists

from support.benchmarks import entry_of, forge_figures, problems_of
from support.command import printed, refusal

TASKS = {
    "rules4-v9": """question = "?"
players = 4
edition = "1998"
opponents = ["hunter"]
seeds = 2
rulesets_seed = 99
trained_rulesets = 2
"""
}
MINE = "greedy"
PUBLISHED = task_named("rules4-v1").rulesets
PLAYED = task_named("rules4-v1").shells
SHELLS = ("near", "far", "changed")
NAMES = [field.name for field in fields(Ruleset)]


@pytest.fixture(autouse=True, scope="module")
def few_rulesets():
    """In the lists of a small task."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists_of, "SHELLS", {"near": (2, 1 / 8), "far": (1, 1 / 2), "changed": (1, 1 / 8)})
        yield


def six_of(ruleset):
    prices = [price for gene, price in zip(lists_of.GENE_NAMES, ruleset.price, strict=True) if gene in PRICES]
    return [*prices, *(getattr(ruleset, name) for name in SWITCHES)]


def values_of(rulesets):
    """(R, F) a number for each value of each field."""
    return np.array([[hash(getattr(ruleset, name)) for name in NAMES] for ruleset in rulesets])


def test_a_policy_says_once_that_it_learned_other_rules(small, policy_file, tmp_path, monkeypatch, recwarn):
    monkeypatch.setattr(policy_agent, "_announced", set())
    run_task(small, entry_of(small, f"policy:{policy_file}", "mine"), tmp_path / "run", workers=1)
    assert [one.category for one in recwarn].count(TrainedElsewhereWarning) == 1


def test_the_published_lists_never_change():
    sizes = {name: len(found) for name, found in PUBLISHED.items()}
    assert sizes == {"train": 1024, "near": 22, "far": 21, "changed": 21}
    assert tasks.digest_of(encoded_lists(PUBLISHED)) == "e366262d6d806800"


def test_six_fields_are_as_printed_but_where_all_of_them_are_changed():
    for name, found in PUBLISHED.items():
        for ruleset in found:
            printed = six_of(Ruleset(players=4, edition=ruleset.edition))
            kept = [mine == theirs for mine, theirs in zip(six_of(ruleset), printed, strict=True)]
            assert kept == [name != "changed"] * 6


@pytest.mark.parametrize("shell", SHELLS)
def test_no_ruleset_of_a_test_is_within_two_fields_of_one_to_train_on(shell):
    trained, tested = values_of(PUBLISHED["train"]), values_of(PUBLISHED[shell])
    assert (tested[:, np.newaxis] != trained).sum(axis=-1).min() > 2


@pytest.mark.parametrize("shell", SHELLS)
def test_no_random_play_of_a_test_ends_before_round_three(shell):
    games = Games(40 * len(PUBLISHED[shell]), PUBLISHED[shell], seed=1)
    games.play_random()
    assert games.rounds.min() >= 3


def test_far_rulesets_differ_in_more_than_near_ones():
    changed = {name: np.mean([len(ruleset.changes()) for ruleset in PUBLISHED[name]]) for name in SHELLS}
    assert changed["far"] > 1.3 * changed["near"]


def test_the_rulesets_to_train_on_that_are_played_differ_from_the_printed_ones_as_near_ones_do():
    assert set(PLAYED["train"]) < set(PUBLISHED["train"])
    changed = {name: np.mean([len(ruleset.changes()) for ruleset in PLAYED[name]]) for name in ("near", "train")}
    assert changed["train"] == pytest.approx(changed["near"], rel=0.1)


def test_the_games_are_two_and_two_with_each_ruleset_and_their_share_is_the_figure(small, played):
    records, found = list(read_records(played / RECORDS)), read_results(played).found
    assert found.games == len(records) == 6 * 2 * 6
    won = np.array([record.agents[record.winners[0]] == "mine" for record in records]).reshape(6, 12).mean(axis=1)
    assert all(record.agents.count("mine") == 2 for record in records)
    assert found.shells is not None
    by_list = [won[:2].mean(), won[2], won[3], won[4:].mean()]
    assert [shell.estimate for shell in found.shells.values()] == pytest.approx(by_list)
    won = won[:4]  # the others are those to train on
    assert found.visit.estimate == pytest.approx(won.mean())
    assert found.host.estimate == pytest.approx(0.5 - won.mean())
    [pair] = found.pairings
    assert pair.alone.estimate == pytest.approx(won.mean())
    assert sum(seat.estimate for seat in found.by_seat) / 2 == pytest.approx(won.mean())
    rulesets = [ruleset for shell in SHELLS for ruleset in small.rulesets[shell]]
    rulesets += small.rulesets["train"][0], small.rulesets["train"][3]  # of every third as much is changed as of near
    for number, ruleset in enumerate(rulesets):
        assert all(record.ruleset == ruleset for record in records[12 * number : 12 * number + 12])


def test_honest_results_are_right(played):
    assert problems_of(played) == []
    assert problems_of(played, MINE) == []


@pytest.mark.parametrize("share", [0.99, None])
def test_an_edited_share_of_a_shell_is_found(played, share):
    honest = read_results(played).figures["shells"]
    forge_figures(played, shells={**honest, "far": {**honest["far"], "estimate": share}} if share else None)
    [problem] = problems_of(played)
    assert problem.startswith("figures: shells.far.estimate is" if share else "figures: shells is None")


def test_other_lists_are_another_task(small):
    others = [small.model_copy(update=change) for change in ({"rulesets_seed": 98}, {"trained_rulesets": 1})]
    assert len({task.digest for task in (small, *others)}) == 3


def test_commands_write_the_lists_and_show_the_shells(small, played, tmp_path, capsys):
    file = tmp_path / "rulesets.json"
    told = printed(capsys, "benchmark", "rulesets", small.name, "--out", file)
    assert "train 1,024, near 2, far 1, changed 1" in told
    assert "exists already" in refusal(capsys, "benchmark", "rulesets", small.name, "--out", file)
    written = json.loads(file.read_text())
    assert tuple(Ruleset.from_changes(**one) for one in written["far"]) == small.rulesets["far"]
    shown = printed(capsys, "benchmark", "table", small.name, played)
    assert "near" in shown
    assert "by chance 50.0 %" in shown
    assert "two and two with an opponent" in (played / "report.html").read_text()
    assert "72" in printed(capsys, "benchmark", "tasks")


def test_a_task_without_lists_says_so(refused, tmp_path):
    refused(["benchmark", "rulesets", "ladder4-v1", "--out", tmp_path / "x.json"], "it must be one such as rules4-v1")
