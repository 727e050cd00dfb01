"""Policies that learn, on disk: between torch and the files of ``policy_files``."""

from pathlib import Path

from ursuppe_agents.policies.description import PolicyDescription
from ursuppe_agents.policies.files import SavedBoardPolicy, read_policy, write_board_policy, write_policy
from ursuppe_agents.policies.provenance import Provenance
from ursuppe_agents.policies.weights import BoardWeights
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.actor_critic import ActorCritic, new_policy
from ursuppe_training.networks.policy import Policy
from ursuppe_training.provenance import provenance_of


def save_policy(
    policy: Policy,
    config: TrainingConfig,
    path: Path,
    provenance: Provenance | None = None,
    temperature: float = 1.0,
) -> None:
    """Write a policy that was trained with these settings, of an unknown number of decisions if nobody says where it
    comes from; see ``ursuppe_agents.policies.files.write_policy``."""
    weights, comes_from = policy.weights(), provenance or provenance_of(config)
    if isinstance(weights, BoardWeights):
        write_board_policy(path, weights.arrays, comes_from, temperature)
    else:
        write_policy(path, weights, config, comes_from, temperature)


def load_policy(path: Path) -> tuple[ActorCritic, PolicyDescription]:
    """The dense policy in a file of ``save_policy``, on the CPU, and what it is for.

    Returns:
        The policy, and its description.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, of another network, or of a version with other observations or actions.
    """
    saved = read_policy(path)
    if isinstance(saved, SavedBoardPolicy):
        raise ValueError(f"{path} has a network that sees the board; it must be a dense one")
    return new_policy(saved.description, saved.weights), saved.description
