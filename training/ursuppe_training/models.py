"""Policies that learn, on disk: between torch and the files of ``policy_files``."""

from pathlib import Path

from ursuppe_training.actor_critic import ActorCritic, new_policy
from ursuppe_training.config import TrainingConfig
from ursuppe_training.policy_files import read_policy, write_policy
from ursuppe_training.provenance import Provenance


def save_policy(
    policy: ActorCritic,
    config: TrainingConfig,
    path: Path,
    provenance: Provenance | None = None,
    temperature: float = 1.0,
) -> None:
    """Write a policy that was trained with these settings; see ``policy_files.write_policy``."""
    write_policy(path, policy.weights(), config, provenance, temperature)


def load_policy(path: Path) -> tuple[ActorCritic, TrainingConfig]:
    """The policy in a file of ``save_policy``, on the CPU, and what it is for.

    Returns:
        The policy, and settings of which players, teams, edition and layers are those that it was trained with.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other observations or actions.
    """
    saved = read_policy(path)
    return new_policy(saved.config, saved.weights), saved.config
