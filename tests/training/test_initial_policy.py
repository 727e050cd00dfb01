"""Runs that begin from the weights of a policy, and runs with a changed ruleset."""

import pytest

from ursuppe_env import Ruleset
from ursuppe_env.cli import run as run_command
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.models import load_policy, save_policy
from ursuppe_training.trainer import Trainer

from support.policies import SMALL, random_policy
from support.training import TINY, are_equal, weights


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("initial") / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path


def test_training_begins_from_the_weights_of_the_initial_policy_bit_by_bit(policy_file):
    config = TINY.changed({"layers": (16, 8), "critic_width": 8, "initial_policy": str(policy_file)})
    initial = weights(load_policy(policy_file)[0])
    trainer = Trainer(config)
    assert are_equal(weights(trainer.model.policy), initial)
    trainer.run()
    assert not are_equal(weights(trainer.model.policy), initial)


def test_a_run_that_began_from_a_policy_is_restored_as_any_other(policy_file):
    config = TINY.changed({"layers": (16, 8), "critic_width": 8, "initial_policy": str(policy_file)})
    saved = []
    whole = Trainer(config)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    resumed = Trainer(config)
    resumed.load_state_dict(saved[1])
    resumed.run()
    assert are_equal(weights(whole.model.policy), weights(resumed.model.policy))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layers": (16,)}, r"of which layers is \(16, 8\); here it is \(16,\), and must be the same"),
        ({"critic_width": 9}, "of which critic_width is 8; here it is 9"),
        ({"players": 3}, "of which players is 4; here it is 3"),
        ({"observe_rules": True}, "of which observe_rules is False; here it is True"),
    ],
)
def test_an_initial_policy_with_another_network_is_refused(settings, message, policy_file):
    config = TINY.changed({"layers": (16, 8), "critic_width": 8, "initial_policy": str(policy_file), **settings})
    with pytest.raises(ValueError, match=message):
        Trainer(config)


def test_an_initial_policy_that_is_not_there_is_refused_before_anything_is_written(tmp_path, capsys):
    options = ["--set", "initial_policy=no/such.zip", "--out", str(tmp_path / "run")]
    assert run_command(["train", "quick", *options]) == 2
    assert capsys.readouterr().err == "ursuppe: no/such.zip: No such file or directory\n"
    assert not (tmp_path / "run").exists()


def test_games_are_trained_with_a_changed_ruleset(tmp_path):
    file = tmp_path / "changed.toml"
    file.write_text("steps = 500\n[ruleset_changes]\nstart_bp = 9\n")
    config = read_config(str(file))
    assert config.ruleset == Ruleset(start_bp=9)
    groups = Trainer(TINY.changed({"ruleset_changes": {"start_bp": 9}})).model.groups
    assert {group.games.ruleset for group in groups} == {config.ruleset}
    with pytest.raises(ValueError, match="beginning_bp"):
        TrainingConfig(ruleset_changes={"beginning_bp": 9})
