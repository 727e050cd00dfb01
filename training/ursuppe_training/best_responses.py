"""The settings with which a policy learns to beat opponents that stay as they are, by the size of its budget."""

from typing import Any

_SETTINGS = {
    "whole_tables": 1.0,
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


def best_response_settings(decisions: int, from_own_weights: bool) -> dict[str, Any]:
    """What a training against fixed opponents has in place of other settings.

    Args:
        decisions: that it learns from, about.
        from_own_weights: it begins from the weights of the policy that it is to beat.
    """
    is_small = decisions < _UPDATES * _ENVS * _ROLLOUT
    rate = (_IN_HASTE if is_small else _FROM_OWN_WEIGHTS) if from_own_weights else _FROM_SCRATCH
    return {**_SETTINGS, **_sizes(decisions), **rate}


def _sizes(decisions: int) -> dict[str, int]:
    """Games, rollout and batch for a budget of so many decisions."""
    size = min(_ENVS * _ROLLOUT, max(decisions // _UPDATES, _SMALLEST_ROLLOUT))
    envs = min(_ENVS, max(size // _DECISIONS_IN_EACH, _FEWEST_ENVS))
    return {"envs": envs, "rollout": size // envs, "batch_size": min(_BATCH, size // _BATCHES)}
