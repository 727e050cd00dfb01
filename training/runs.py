"""Training and evaluation as the commands run them: with a progress bar, and the results in a folder."""

import json
from pathlib import Path

import numpy as np
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from ursuppe_env import Ruleset
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_whole
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation import Evaluation, evaluate
from ursuppe_training.models import save_model
from ursuppe_training.policy_agent import PolicyAgent
from ursuppe_training.trainer import train

MODEL = "model.zip"
_EVALUATION = "evaluation.json"


def train_and_save(config: TrainingConfig, folder: Path) -> MaskableActorCriticPolicy:
    """Train against random players and write the model into the folder; returns its policy."""
    with progress_bar() as progress:
        task = progress.add_task("training", total=config.decisions)

        def show(decisions: int, won: float | None) -> None:
            wins = "" if won is None else f", winning {won:.0%}"
            progress.update(task, completed=decisions, description=f"training{wins}")

        model = train(config, on_progress=show)
    save_model(model, config, folder / MODEL)
    return model.policy


def evaluate_policy(
    policy: MaskableActorCriticPolicy, ruleset: Ruleset, num_games: int, seed: int, deterministic: bool
) -> Evaluation:
    """Let a policy play against random players."""
    agent = PolicyAgent(np.random.default_rng(seed), policy=policy, deterministic=deterministic)
    with progress_bar() as progress:
        task = progress.add_task("playing", total=num_games)
        return evaluate(
            agent, num_games, seed, ruleset, on_progress=lambda ended: progress.update(task, completed=ended)
        )


def save_evaluations(evaluations: dict[str, Evaluation], folder: Path) -> None:
    """Write the results, by the name of the way of playing, next to the model."""
    content = {name: evaluation.as_dict() for name, evaluation in evaluations.items()}
    write_whole(folder / _EVALUATION, (json.dumps(content, indent=2) + "\n").encode())
