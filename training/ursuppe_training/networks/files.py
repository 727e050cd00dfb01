"""Policies that learn, on disk: between torch and the files of ``ursuppe_agents.policies.files``."""

from pathlib import Path

from ursuppe_agents.policies.board.weights import Widths, widths_of
from ursuppe_agents.policies.files import SavedPolicy, read_policy, write_policy
from ursuppe_agents.policies.provenance import Provenance
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_env.extras import extra
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.provenance import provenance_of

with extra("train"):
    import torch


def new_policy(config: TrainingConfig) -> BoardPolicy:
    """The policy that a run with these settings begins with, on the processor.

    Raises:
        OSError: the initial policy cannot be read.
        ValueError: it is damaged, or of another version.
    """
    saved = read_policy(policy_path(config.initial_policy, config.players)) if config.initial_policy else None
    widths = Widths() if saved is None else widths_of(saved.weights.arrays)
    policy = BoardPolicy(widths, (config.players,), config.partition, torch.Generator().manual_seed(config.seed))
    if saved is not None:
        policy.take(saved.weights.arrays)
    return policy


def save_policy(
    policy: BoardPolicy,
    config: TrainingConfig,
    path: Path,
    provenance: Provenance | None = None,
    temperature: float | None = None,
) -> None:
    """Write a policy that was trained with these settings; see ``ursuppe_agents.policies.files.write_policy``.

    Args:
        policy: is written.
        config: the settings.
        path: of the file.
        provenance: where it comes from; None: it learned from an unknown number of decisions.
        temperature: at which it draws its actions; None: as the settings say.
    """
    drawn_at = config.temperature if temperature is None else temperature
    write_policy(path, SavedPolicy(policy.weights(), provenance or provenance_of(config), drawn_at))


def load_policy(path: Path) -> BoardPolicy:
    """The policy in a file of ``save_policy``, on the processor.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other networks, inputs or actions.
    """
    weights = read_policy(path).weights
    policy = BoardPolicy(widths_of(weights.arrays), weights.player_counts, weights.teams)
    policy.take(weights.arrays)
    return policy
