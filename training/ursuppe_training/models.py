"""Policies that learn, on disk: between torch and the files of ``policy_files``."""

from pathlib import Path

import numpy as np

from ursuppe_training.config import TrainingConfig
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.networks import new_policy
from ursuppe_training.policy_files import read_policy, write_policy
from ursuppe_training.provenance import Provenance


def save_policy(
    policy: MaskedCategoricalPolicy,
    config: TrainingConfig,
    path: Path,
    provenance: Provenance | None = None,
    temperature: float = 1.0,
) -> None:
    """Write a policy that was trained with these settings; see ``policy_files.write_policy``."""
    write_policy(path, policy.weights(), config, provenance, temperature)


def load_policy(path: Path) -> tuple[MaskedCategoricalPolicy, TrainingConfig]:
    """The policy in a file of ``save_policy``, on the CPU, and what it is for.

    Returns:
        The policy, and settings of which players, teams, edition and layers are those that it was trained with.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other observations or actions.
    """
    saved = read_policy(path)
    policy = new_policy(saved.config)
    for name, parameter in policy.named_parameters():
        np.copyto(parameter.detach().numpy(), saved.weights.arrays[name])
    return policy, saved.config
