"""Runs that begin from the weights of a policy, and runs with a changed ruleset."""

import pytest

from ursuppe_agents.policies.files import read_temperature
from ursuppe_env import Ruleset
from ursuppe_env.cli import run as run_command
from ursuppe_lab.statistics import Interval
from ursuppe_training.config import TrainingConfig, changed_settings, read_config
from ursuppe_training.evaluation.evaluate import WAYS, Evaluation, MatchupResult
from ursuppe_training.networks.files import load_policy, new_policy, save_policy
from ursuppe_training.runs import evaluations as run_evaluations
from ursuppe_training.runs import run as runs
from ursuppe_training.runs.run import Run
from ursuppe_training.runs.trainer import Trainer

from support.policies import SMALL, random_policy
from support.training import TINY, are_equal, weights


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("initial") / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path


def test_training_begins_from_the_weights_of_the_initial_policy_bit_by_bit(policy_file):
    config = TINY.changed({"initial_policy": str(policy_file)})
    initial = weights(load_policy(policy_file))
    trainer = Trainer(config)
    assert are_equal(weights(trainer.policy), initial)
    trainer.run()
    assert not are_equal(weights(trainer.policy), initial)


def test_a_run_that_began_from_a_policy_is_restored_as_any_other(policy_file):
    config = TINY.changed({"initial_policy": str(policy_file)})
    saved = []
    whole = Trainer(config)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    resumed = Trainer(config)
    resumed.load_state_dict(saved[1])
    resumed.run()
    assert are_equal(weights(whole.policy), weights(resumed.policy))


@pytest.mark.parametrize("table", [{"players": 3}, {"players": 6}, {"teams": "0+2,1+3"}])
def test_a_policy_for_one_table_is_a_beginning_for_any_other(table, policy_file):
    policy = new_policy(TINY.changed({"initial_policy": str(policy_file), **table}))
    assert are_equal(weights(policy), weights(load_policy(policy_file)))
    found = policy.weights()
    assert (found.player_counts, found.teams is None) == ((table.get("players", 4),), "teams" not in table)


def test_an_initial_policy_that_is_not_there_is_refused_before_anything_is_written(tmp_path, capsys):
    options = ["--set", "initial_policy=no/such.zip", "--out", str(tmp_path / "run")]
    assert run_command(["train", "quick", *options]) == 2
    assert capsys.readouterr().err == "ursuppe: no/such.zip: No such file or directory\n"
    assert not (tmp_path / "run").exists()


def test_an_initial_policy_brings_no_teachers(policy_file):
    """Teachers with their whole weight make of a policy what they are."""
    config = read_config("standard")
    assert config.teachers
    begun = changed_settings(config, {"initial_policy": str(policy_file)})
    assert begun.teachers == ()
    assert begun.opponents == config.opponents
    begun = changed_settings(config, {"initial_policy": str(policy_file), "teachers": ["hunter"]})
    assert begun.teachers == ("hunter",)
    assert changed_settings(config, {"steps": 5}) == config.changed({"steps": 5})
    own = config.changed({"initial_policy": str(policy_file)})  # a config that has both
    assert changed_settings(own, {"steps": 5}).teachers == config.teachers


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_preset_finetune_goes_on_from_the_policies_of_the_package(players):
    config = read_config("finetune")
    begun = changed_settings(config, {"players": players})
    assert (begun.initial_policy, begun.teachers, begun.learning_rate) == ("default", (), 2e-4)
    assert new_policy(begun).weights().player_counts == (players,)


def test_no_run_ships_what_is_worse_than_it_began_with(policy_file, tmp_path, monkeypatch):
    initial = tmp_path / "initial.zip"
    save_policy(load_policy(policy_file), SMALL, initial, temperature=0.5)
    shares = iter([0.9, 0.3, 0.8])

    def evaluate(model, pool, num_games, seed, *_, **__):
        share = next(shares)
        results = (MatchupResult("grow", way, 8, Interval(share, None, None), (share,) * 4) for way in WAYS)
        return Evaluation(seed, 0.25, tuple(results))

    for module in (runs, run_evaluations):
        monkeypatch.setattr(module, "evaluate_policy", evaluate)
    config = changed_settings(TINY, {"initial_policy": str(initial), "steps": 48, "envs": 4, "rollout": 12})
    folder, said = tmp_path / "run", []
    Run.begin(folder, config, said.append).train()
    assert (folder / "best.zip").read_bytes() == (folder / "policies" / "000000000000.zip").read_bytes()
    assert are_equal(weights(load_policy(folder / "best.zip")), weights(load_policy(initial)))
    assert read_temperature(folder / "best.zip") == 0.5
    assert [line.partition(",")[0] for line in said[:2]] == ["initial policy: grow 90%", said[1].partition(",")[0]]
    assert said[-1].endswith("the initial policy, than which no later one is better, on other dice: grow 80%")


def test_games_are_trained_with_a_changed_ruleset(tmp_path):
    file = tmp_path / "changed.toml"
    file.write_text("steps = 500\n[ruleset_changes]\nstart_bp = 9\n")
    config = read_config(str(file))
    assert config.ruleset == Ruleset(start_bp=9)
    groups = Trainer(TINY.changed({"ruleset_changes": {"start_bp": 9}})).self_play.groups
    assert {group._games.ruleset for group in groups} == {config.ruleset}
    with pytest.raises(ValueError, match="beginning_bp"):
        TrainingConfig(ruleset_changes={"beginning_bp": 9})
