"""Trained policies on disk: a .zip with the weights and what they are for, and nothing that could be executed.

Whoever reads such a file reads numbers and a few settings alone, so that one from a stranger can be tried without fear.
The settings are those that say what the policy is for and how big it is; that others name agents matters: to make an
agent may import a module.
"""

import hashlib
import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env import Ruleset
from ursuppe_env.files import write_whole
from ursuppe_env.observation import observation_bounds, observation_layout
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks import new_policy

_DESCRIPTION = "ursuppe_policy.json"
_WEIGHTS = "policy.pth"
_SETTINGS = ("players", "edition", "final_reward", "shared_layers", "layers")
_MEANING = 1  # raised when a number of the observation means something else under the same name


def save_policy(policy: MaskableActorCriticPolicy, config: TrainingConfig, path: Path) -> None:
    """Write a policy that was trained with these settings, whole or not at all."""
    settings = config.as_dict()
    description = {"layout": policy_layout(config.players), **{name: settings[name] for name in _SETTINGS}}
    weights = io.BytesIO()
    torch.save({name: tensor.cpu() for name, tensor in policy.state_dict().items()}, weights)
    members = {_DESCRIPTION: json.dumps(description, indent=2).encode(), _WEIGHTS: weights.getvalue()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, member in members.items():
            archive.writestr(zipfile.ZipInfo(name), member)  # without the time: the same policy is the same file
    write_whole(path, content.getvalue())


def load_policy(path: Path) -> tuple[MaskableActorCriticPolicy, TrainingConfig]:
    """The policy in a file of ``save_policy``, on the CPU, and what it is for.

    Returns:
        The policy, and settings of which players, edition, final reward and layers are those that it was trained with.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, no such file, or of a version with other observations or actions.
    """
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            description = json.loads(archive.read(_DESCRIPTION))
            weights = archive.read(_WEIGHTS)
        config = TrainingConfig.from_dict({name: description[name] for name in _SETTINGS})
        found, wanted = description["layout"], policy_layout(config.players)
        if found == wanted:
            return _policy(config, weights), config
    except Exception as error:  # whatever a damaged file makes zipfile, json or torch raise
        if isinstance(error, pickle.UnpicklingError):
            reason = f"{_WEIGHTS} holds more than weights"  # torch would say how to execute it nevertheless
        else:
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise ValueError(f"{path} is damaged, or no policy of `ursuppe train`: {reason}") from error
    raise ValueError(
        f"{path} was trained with other observations or actions, layout {found!r} and not {wanted!r}; train anew"
    )


def policy_layout(players: int) -> str:
    """A short digest of what a policy sees and does: the names, places and scales of the observation, the actions."""
    low, high = observation_bounds(Ruleset(players=players))
    actions = actions_for(players)
    described = [f"meaning {_MEANING}", str(observation_layout(players)), f"{low.tolist()} {high.tolist()}"]
    described += [actions.text(action, 0) for action in range(len(actions))]
    return hashlib.sha256("\n".join(described).encode()).hexdigest()[:8]


def _policy(config: TrainingConfig, weights: bytes) -> MaskableActorCriticPolicy:
    policy = new_policy(config)
    tensors: dict[str, Any] = torch.load(io.BytesIO(weights), map_location="cpu", weights_only=True)
    try:
        policy.load_state_dict(tensors)
    except RuntimeError as error:  # of many lines
        raise ValueError("its weights are not those of its layers") from error
    if not all(tensor.isfinite().all() for tensor in tensors.values()):
        raise ValueError("its weights are no finite numbers")
    return policy
