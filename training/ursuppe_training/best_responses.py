"""The settings with which a policy learns to beat opponents that stay as they are, by the size of its budget."""

from typing import Any

import numpy as np

from ursuppe_training.config import SNAPSHOTS, TrainingConfig

_SETTINGS = {
    "whole_tables": 1.0,
    "lone_opponents": 0.0,
    "epochs": 3,
    "final_learning_rate": 2e-5,
    "entropy": 0.002,
    "final_entropy": 0.0005,
    "checkpoints": 1,
}
# As in the preset `standard`, which begins there, too. At first the victim is the teacher: who cannot play yet loses to
# it whatever they try, and from losses alone there is little to learn.
_FROM_SCRATCH = {"learning_rate": 4e-4, "teaching": 0.25}
_FROM_OWN_WEIGHTS = {"learning_rate": 8e-4}
_IN_HASTE = {"learning_rate": 1.2e-3}  # the same with small budgets: there are few updates
_ENVS, _ROLLOUT, _BATCH = 512, 384, 8192  # of large budgets
_UPDATES = 16  # at least; smaller budgets have smaller rollouts for them
_SMALLEST_ROLLOUT = 512  # decisions of all games together
_FEWEST_ENVS, _DECISIONS_IN_EACH = 16, 128  # where rollouts are smaller: more than a game
_BATCHES = 8  # in a rollout, where it is smaller
_NEVER = 10**15  # decisions


def best_response_settings(decisions: int, from_own_weights: bool) -> dict[str, Any]:
    """What a training against fixed opponents has in place of other settings.

    Args:
        decisions: that it learns from, about.
        from_own_weights: it begins from the weights of the policy that it is to beat.
    """
    is_small = decisions < _UPDATES * _ENVS * _ROLLOUT
    rate = (_IN_HASTE if is_small else _FROM_OWN_WEIGHTS) if from_own_weights else _FROM_SCRATCH
    return {**_SETTINGS, **_sizes(decisions), **rate}


def exploiter_config(config: TrainingConfig, number: int, minutes: float) -> TrainingConfig:
    """The settings of an exploiter: a copy of a run's policy that learns to beat it, alone against P-1 of it.

    The policy that stays as it is is the only snapshot of that training.

    Args:
        config: of the run.
        number: of the exploiter, from 0; each has games of its own.
        minutes: that are left of the run.
    """
    seed = int(np.random.SeedSequence([config.seed, number]).generate_state(1)[0])
    return config.changed(
        {
            **best_response_settings(config.exploiter_steps, from_own_weights=True),
            "seed": seed,
            "reward": config.final_reward,
            "learner": "every_seat",
            "opponents": {SNAPSHOTS: 1.0},
            "snapshots": 1,
            "snapshot_every": _NEVER,
            "teachers": (),
            "exploiters": 0,
            "magnet": 0.0,
            "initial_policy": "",
            "steps": config.exploiter_steps,
            "minutes": minutes,
        }
    )


def _sizes(decisions: int) -> dict[str, int]:
    """Games, rollout and batch for a budget of so many decisions."""
    size = min(_ENVS * _ROLLOUT, max(decisions // _UPDATES, _SMALLEST_ROLLOUT))
    envs = min(_ENVS, max(size // _DECISIONS_IN_EACH, _FEWEST_ENVS))
    return {"envs": envs, "rollout": size // envs, "batch_size": min(_BATCH, size // _BATCHES)}
