"""MaskablePPO on one seat of each game; the opponents have the others."""

from collections.abc import Callable
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

from ursuppe_env.envs.opponents import Opponent
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_training.config import TrainingConfig

#: Called after each decision of the learner in all games with the number of its decisions so far and the share of the
#: last games that it won; None before the first of them ends.
OnProgress = Callable[[int, float | None], None]

_LAST_GAMES = 1000


class _Progress(BaseCallback):
    def __init__(self, on_progress: OnProgress) -> None:
        super().__init__()
        self._on_progress = on_progress

    def _on_step(self) -> bool:
        won = self.model.ep_success_buffer
        self._on_progress(self.num_timesteps, sum(won) / len(won) if won else None)
        return True


def network(config: TrainingConfig) -> dict[str, Any]:
    """The shape of the policy and value networks, as the policies of sb3-contrib take it."""
    layers = list(config.layers)
    return {"net_arch": {"pi": layers, "vf": layers}, "activation_fn": nn.ReLU}


def train(
    config: TrainingConfig, opponent: Opponent | None = None, on_progress: OnProgress | None = None
) -> MaskablePPO:
    """Train a policy from scratch.

    The same settings give the same model on the same machine. Stable-Baselines3 seeds the global generators of Python,
    NumPy and torch for that.

    Args:
        config: all settings.
        opponent: who plays the other seats; None: uniformly random.
        on_progress: told how far the training is.
    """
    env = UrsuppeVecEnv(config.envs, config.ruleset, config.seed, config.reward, opponent=opponent)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        # What is left is counted after an update's games are played: the last update shall not be for nothing.
        learning_rate=lambda left: config.learning_rate * (left + 1 / config.updates),
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        policy_kwargs=network(config),
        stats_window_size=_LAST_GAMES,
        seed=config.seed,
    )
    callback = None if on_progress is None else _Progress(on_progress)
    return model.learn(config.decisions, callback=callback)
