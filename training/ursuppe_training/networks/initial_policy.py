"""Settings of a run that begins from the weights of a policy: its file says what the network is like."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ursuppe_agents.policies.files import SavedBoardPolicy, read_policy
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_training.config import BOARD, DENSE, TrainingConfig

#: What both must have alike, if they are dense.
OF_THE_NETWORK = ("observe_rules", "layers", "critic_width")


def network_settings(policy: Path) -> dict[str, Any]:
    """The settings of a network such as that of the policy in a file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged.
    """
    saved = read_policy(policy)
    if isinstance(saved, SavedBoardPolicy):
        fields = TrainingConfig.model_fields
        return {"network": BOARD, **{name: fields[name].default for name in (*OF_THE_NETWORK, "precision")}}
    return {"network": DENSE, **{name: getattr(saved.description, name) for name in OF_THE_NETWORK}}


def changed_settings(config: TrainingConfig, changes: Mapping[str, Any]) -> TrainingConfig:
    """Settings with some others; an initial policy brings its network, and leaves out the teachers of the config.

    Whatever is among the changes holds in any case. Teachers would make a beginner of the policy.

    Raises:
        OSError: the file of the initial policy cannot be read.
        ValueError: it is damaged, or a setting is not possible.
    """
    initial = changes.get("initial_policy", config.initial_policy)
    if not isinstance(initial, str) or not initial:
        return config.changed(changes)
    taken_over = network_settings(policy_path(initial, changes.get("players", config.players)))
    if "initial_policy" in changes:
        taken_over["teachers"] = ()
    return config.changed({**taken_over, **changes})
