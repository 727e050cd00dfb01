"""Training: reproducible, resumable, with schedules, and from the weights of a policy."""

import numpy as np
import pytest

from ursuppe_agents.policies.files import read_temperature
from ursuppe_training.config import changed_settings, read_config
from ursuppe_training.networks.files import load_policy, new_policy, save_policy
from ursuppe_training.runs.run import Run
from ursuppe_training.runs.trainer import Trainer, train

from support.policies import SMALL
from support.training import MIXED, TINY, are_equal, evaluate_by, evaluation_of, weights


def test_the_same_settings_give_the_same_policy():
    config = TINY.changed({"opponents": MIXED, "snapshot_every": 400})
    first = weights(train(config))
    assert are_equal(first, weights(train(config)))
    assert not are_equal(first, weights(train(config.changed({"seed": 4}))))


ALL_KINDS = {"opponents": MIXED, "teachers": ("grow",), "whole_tables": 0.5, "steps": 2000, "snapshot_every": 600}


@pytest.mark.parametrize(
    ("settings", "threads"),
    [
        (ALL_KINDS, 1),
        ({"initial_policy": "default"}, 1),
        ({**ALL_KINDS, "teachers": (), "teams": "0+2,1+3"}, 1),
        ({**ALL_KINDS, "rulesets": "varied", "reward": "margin"}, 2),
        # four groups of games, and minibatches in several slices
        ({**ALL_KINDS, "teaching": 1.0, "envs": 1024, "rollout": 4, "batch_size": 2500, "steps": 8_000}, 3),
    ],
)
def test_a_run_that_is_saved_and_restored_goes_on_as_if_nothing_had_been_on_any_number_of_threads(settings, threads):
    config, saved = TINY.changed(settings), []
    whole = Trainer(config, threads=1)
    whole.run(on_rollout=lambda: saved.append(whole.state_dict()))
    resumed = Trainer(config, threads=threads)
    resumed.load_state_dict(saved[len(saved) // 2])
    resumed.run()
    assert resumed.decisions == whole.decisions
    assert are_equal(weights(whole.policy), weights(resumed.policy))


def test_a_run_is_only_continued_with_its_own_settings():
    saved = Trainer(TINY).state_dict()
    with pytest.raises(ValueError, match="of a run with other settings"):
        Trainer(TINY.changed({"gae_lambda": 0.5})).load_state_dict(saved)
    with pytest.raises(ValueError, match=r"of layout older, version 9; this package has layout"):
        Trainer(TINY).load_state_dict(saved | {"layout": "older"})


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_impossible_numbers_of_threads_are_refused(threads):
    with pytest.raises((ValueError, TypeError), match=r"^threads is "):
        Trainer(TINY, threads=threads)


def test_an_opponent_that_crashes_in_a_thread_is_heard(monkeypatch):
    trainer = Trainer(TINY.changed({"opponents": {"random": 1.0}}), threads=2)

    def crash(*_):
        raise RuntimeError("an opponent has crashed")

    monkeypatch.setattr(trainer.self_play.pool, "act", crash)
    with pytest.raises(RuntimeError, match="an opponent has crashed"):
        trainer.run()


def test_schedules_go_from_the_first_to_the_last_value():
    schedules = {"learning_rate": 0.4, "final_learning_rate": 0.2, "entropy": 0.1, "final_entropy": 0.5}
    trainer, seen = Trainer(TINY.changed({"steps": 512 * 4, **schedules})), []
    trainer.run(log=lambda figures, _: seen.append(figures))
    followed = [[figures[f"train/{name}"] for name in ("entropy_coefficient", "learning_rate")] for figures in seen]
    np.testing.assert_allclose(followed, [(0.1, 0.4), (0.2, 0.35), (0.3, 0.3), (0.4, 0.25)], atol=0.005)


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
    assert said[-1].endswith(
        "the initial policy, than which no later one is better, wins on other dice against grow 80.0 %; by chance 25%"
    )
