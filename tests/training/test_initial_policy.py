"""Runs that begin from the weights of a policy."""

import pytest

from ursuppe_agents.policies.files import read_temperature
from ursuppe_training.config import changed_settings, read_config
from ursuppe_training.networks.files import load_policy, new_policy, save_policy
from ursuppe_training.runs.run import Run
from ursuppe_training.runs.trainer import Trainer

from support.policies import SMALL
from support.training import TINY, are_equal, evaluate_by, evaluation_of, weights


def test_training_begins_from_the_weights_of_the_initial_policy_bit_by_bit(policy_file):
    config = TINY.changed({"initial_policy": str(policy_file)})
    initial = weights(load_policy(policy_file))
    trainer = Trainer(config)
    assert are_equal(weights(trainer.policy), initial)
    trainer.run()
    assert not are_equal(weights(trainer.policy), initial)


@pytest.mark.parametrize("table", [{"players": 3}, {"players": 6}, {"teams": "0+2,1+3"}])
def test_a_policy_for_one_table_is_a_beginning_for_any_other(table, policy_file):
    policy = new_policy(TINY.changed({"initial_policy": str(policy_file), **table}))
    assert are_equal(weights(policy), weights(load_policy(policy_file)))
    found = policy.weights()
    assert (found.player_counts, found.teams is None) == ((table.get("players", 4),), "teams" not in table)


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

    evaluate_by(monkeypatch, lambda *_, **__: evaluation_of(next(shares)))
    config = changed_settings(TINY, {"initial_policy": str(initial), "steps": 48, "envs": 4, "rollout": 12})
    folder, said = tmp_path / "run", []
    Run.begin(folder, config, said.append).train()
    assert (folder / "best.zip").read_bytes() == (folder / "policies" / "000000000000.zip").read_bytes()
    assert are_equal(weights(load_policy(folder / "best.zip")), weights(load_policy(initial)))
    assert read_temperature(folder / "best.zip") == 0.5
    assert [line.partition(",")[0] for line in said[:2]] == ["initial policy: grow 90%", said[1].partition(",")[0]]
    assert said[-1].endswith("the initial policy, than which no later one is better, on other dice: grow 80%")
