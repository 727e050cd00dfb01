"""Trained models on disk: Stable-Baselines3's .zip with the run's settings in it.

``MaskablePPO.load`` reads the file as any other, but it unpickles what it finds. ``load_policy`` reads the settings and
the weights alone, so that no code of an untrusted file is run.
"""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.utils import get_device

from ursuppe_env.files import write_whole
from ursuppe_env.observation import observation_bounds
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.config import TrainingConfig
from ursuppe_training.trainer import network

_SETTINGS = "ursuppe_training.json"
_WEIGHTS = "policy.pth"  # Stable-Baselines3's name for them


def save_model(model: MaskablePPO, config: TrainingConfig, path: Path) -> None:
    """Write a model that was trained with these settings, whole or not at all."""
    content = io.BytesIO()
    model.save(content)
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(_SETTINGS, json.dumps(config.as_dict(), indent=2))
    write_whole(path, content.getvalue())


def load_policy(path: Path) -> tuple[MaskableActorCriticPolicy, TrainingConfig]:
    """The policy in a file of ``save_model``, and the settings that it was trained with.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or no such file.
    """
    content = path.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            settings = json.loads(archive.read(_SETTINGS))
            weights = io.BytesIO(archive.read(_WEIGHTS))
        config = TrainingConfig(**{**settings, "layers": tuple(settings["layers"])})
        policy = _new_policy(config)
        policy.load_state_dict(torch.load(weights, map_location=policy.device, weights_only=True))
    except Exception as error:  # whatever a damaged file makes zipfile, json or torch raise
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{path} is damaged, or no model of `ursuppe train`: {reason}") from error
    return policy, config


def _new_policy(config: TrainingConfig) -> MaskableActorCriticPolicy:
    low, high = observation_bounds(config.ruleset)
    return MaskableActorCriticPolicy(
        spaces.Box(low, high, dtype=np.float32),
        spaces.Discrete(len(actions_for(config.players))),
        lambda _: config.learning_rate,
        **network(config),
    ).to(get_device())
