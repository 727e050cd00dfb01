"""Training in teams: who plays a team plays all its seats, and has its reward."""

import json
from dataclasses import replace

import pytest

from ursuppe_agents.policies.files import read_provenance
from ursuppe_env import Ruleset
from ursuppe_env.teams import DUEL, Teams
from ursuppe_lab.arena import play_tournament
from ursuppe_training.commands.train import changed_config
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.evaluation.evaluate import GAMES_AT_ONCE, evaluate_policy, evaluation_tournament, read_evaluation
from ursuppe_training.exploit.evaluated import evaluated_agent
from ursuppe_training.exploit.finished_run import finish
from ursuppe_training.exploit.measuring import measure_exploitability
from ursuppe_training.exploit.plan import plan
from ursuppe_training.exploit.study import ExploitStudy, budgets_of
from ursuppe_training.networks.files import save_policy
from ursuppe_training.runs.run import Run

from support.command import printed
from support.policies import SMALL, announced, random_policy
from support.training import TINY, silent

TEXT = "0+2,1+3"
IN_DUEL = TINY.changed({"teams": TEXT})


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory):
    config = SMALL.changed({"teams": TEXT})
    path = tmp_path_factory.mktemp("policies") / "duel.zip"
    save_policy(random_policy(config, seed=1), config, path)
    return path


def test_teams_are_given_as_on_the_command_line(tmp_path):
    config = changed_config(TrainingConfig(), ["teams=0+2,1+3"])
    assert config.partition == Teams(DUEL) == config.sides
    assert changed_config(TrainingConfig(), ["teams=1+3,0+2", "score=best"]).partition == Teams(DUEL[::-1], "best")
    (tmp_path / "mine.toml").write_text(f'teams = "{TEXT}"\nscore = "sum"\n')
    assert read_config(str(tmp_path / "mine.toml")).partition == Teams(DUEL, "sum")
    assert TrainingConfig(players=3).partition is None
    assert TrainingConfig(players=3).sides == Teams(((0,), (1,), (2,)))


def test_a_policy_says_in_which_teams_it_was_trained(policy_file):
    assert "with 4 players in teams 0+2,1+3 (score worst) on edition 1998" in read_provenance(policy_file).in_words()


def test_it_says_once_that_it_plays_in_other_teams_if_it_is_told(policy_file, tmp_path):
    spec = f"policy:{policy_file}"
    for same in (Teams(DUEL), Teams(DUEL[::-1]), None):
        assert announced(spec, teams=same) == []
    [text] = announced(spec, teams=Teams(DUEL, "best"))
    assert text == (f"{spec} was trained in teams 0+2,1+3 (score worst); here it plays in teams 0+2,1+3 (score best)")
    save_policy(random_policy(), SMALL, tmp_path / "alone.zip")
    [text] = announced(f"policy:{tmp_path / 'alone.zip'}", teams=Teams(DUEL))
    assert "was trained each seat for itself; here it plays in teams 0+2,1+3" in text


def test_a_policy_is_evaluated_as_one_of_the_teams(policy_file):
    evaluation = evaluate_policy(policy_file, ["grow", "hunter", "mixed"], 20, seed=3, teams=Teams(DUEL))
    assert (evaluation.chance, evaluation.teams) == (0.5, TEXT)
    played = [(one.opponent, one.games) for one in evaluation.results]
    assert played == [("grow", 20), ("hunter", 20)]  # one other team is never mixed
    arguments = policy_file, ["grow", "hunter"], 20, 3
    tournament = evaluation_tournament(*arguments, games_at_once=GAMES_AT_ONCE, teams=Teams(DUEL))
    _, summary = play_tournament(tournament, workers=1)
    for lineup, result in zip(summary.lineups, evaluation.results, strict=True):
        assert len(result.win_rate_by_seat) == 2
        assert lineup.win_rates[lineup.lineup[0]].estimate == pytest.approx(result.win_rate.estimate)


def test_the_command_evaluates_it_in_its_teams(policy_file, tmp_path, capsys):
    out = tmp_path / "out"
    options = ["--against", "grow", "--games", "8", "--workers", "1", "--out", out]
    told = printed(capsys, "evaluate", policy_file, *options)
    assert "one of the teams 0+2,1+3 against 1" in told
    assert "by team" in told
    assert read_evaluation(out / "evaluation.json").teams == TEXT


def test_best_responses_are_trained_and_measured_in_the_teams_of_the_evaluated(
    short_measurements, policy_file, tmp_path
):
    evaluated = evaluated_agent(f"policy:{policy_file}", decisions=10_000)
    teams = evaluated.provenance.partition
    study = ExploitStudy(evaluated=evaluated, budgets=budgets_of(evaluated), seeds=(0,), teams=teams)
    assert study.chance == 0.5
    assert {run.config.partition for run in plan(study, evaluated, 1000.0)} == {Teams(DUEL)}
    assert study.as_dict()["teams"] == TEXT
    changes = {"budgets": budgets_of(evaluated, decisions=[512]), "num_games": 2, "from_scratch": False}
    small = replace(study, **changes, search="search:sims=1")
    found = measure_exploitability(small, tmp_path / "study", silent, "cpu", workers=1)
    assert found.search.agent.startswith(f"search:sims=1,policy={tmp_path / 'study' / 'evaluated.zip'},others=")
    with pytest.raises(ValueError, match="there are 3 players"):
        ExploitStudy(evaluated=evaluated_agent("grow"), budgets=(), ruleset=Ruleset(players=3), teams=Teams(DUEL))


def test_a_whole_run_is_trained_evaluated_and_measured_in_teams(short_measurements, tmp_path):
    config = IN_DUEL.changed(
        {"steps": 512, "envs": 8, "rollout": 16, "evaluate_every": 256, "evaluation_games": 4, "exploit_percent": 5.0}
        | {"evaluation_pool": ("random", "grow", "mixed", "best")}
    )
    folder, said = tmp_path / "run", []
    Run.begin(folder, config, said.append, threads=1).train(finish=finish)
    history = [json.loads(line) for line in (folder / "evaluations.jsonl").read_text().splitlines()]
    assert {one["chance"] for one in history} == {0.5}
    assert {one["opponent"] for one in history} == {"random", "grow", "best"}
    evaluation = json.loads((folder / "evaluation.json").read_text())
    assert (evaluation["teams"], evaluation["chance"], evaluation["exploitability"]["chance"]) == (TEXT, 0.5, 0.5)
    found = json.loads((folder / "exploitability" / "summary.json").read_text())
    assert (found["teams"], found["score"]) == (TEXT, "worst")
    assert "in teams 0+2,1+3" in (folder / "exploitability" / "report.html").read_text()
    assert any("alone against 1 policy" in line for line in said)
    assert Run.resume(folder, silent, threads=1).config == config
