"""Settings of a run that begins from the weights of a policy: its file says what the network is like."""

from collections.abc import Mapping
from typing import Any

from ursuppe_agents.policies.files import read_dense_policy
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_training.config import TrainingConfig

#: What both must have alike.
OF_THE_NETWORK = ("observe_rules", "layers", "critic_width")


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
    trained = read_dense_policy(policy_path(initial, changes.get("players", config.players))).description
    taken_over = {name: getattr(trained, name) for name in OF_THE_NETWORK}
    if "initial_policy" in changes:
        taken_over["teachers"] = ()
    return config.changed({**taken_over, **changes})
