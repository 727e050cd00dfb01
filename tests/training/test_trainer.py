"""Training: reproducible, resumable, with schedules; its policies win."""

import numpy as np
import pytest

from ursuppe_training.runs.trainer import Trainer, train

from support.training import MIXED, TINY, are_equal, weights


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
    config = TINY.changed(settings)
    saved = []
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
    config = TINY.changed(
        {"steps": 512 * 4, "learning_rate": 0.4, "final_learning_rate": 0.2, "entropy": 0.1, "final_entropy": 0.5}
    )
    trainer = Trainer(config)
    seen = []
    trainer.run(log=lambda figures, _: seen.append(figures))
    followed = [[figures[f"train/{name}"] for name in ("entropy_coefficient", "learning_rate")] for figures in seen]
    np.testing.assert_allclose(followed, [(0.1, 0.4), (0.2, 0.35), (0.3, 0.3), (0.4, 0.25)], atol=0.005)


def test_the_time_can_be_limited():
    trainer = Trainer(TINY.changed({"steps": 10**9, "minutes": 0.01}))
    trainer.run()
    assert 0.6 <= trainer.seconds < 10
    assert trainer.progress_remaining == 0
