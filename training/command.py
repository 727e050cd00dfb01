"""The commands ``ursuppe train`` and ``ursuppe evaluate``."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_training.config import TrainingConfig

# torch takes seconds to import: only the functions that need it do, so that `ursuppe --help` stays fast.

_DEFAULTS = TrainingConfig()
_EXTRA = ("torch", "stable_baselines3", "sb3_contrib")


def train(
    players: Annotated[int, typer.Option(help="3 ... 6 players.")] = _DEFAULTS.players,
    edition: Annotated[str, typer.Option(help="1998 or 1997.")] = _DEFAULTS.edition,
    steps: Annotated[int, typer.Option(help="Decisions to learn from.")] = _DEFAULTS.steps,
    envs: Annotated[int, typer.Option(help="Games at once.")] = _DEFAULTS.envs,
    seed: Annotated[int, typer.Option(help="Seed of the games and of the network.")] = _DEFAULTS.seed,
    reward: Annotated[str, typer.Option(help="At the end of a game: win, rank or margin.")] = _DEFAULTS.reward,
    out: Annotated[Path, typer.Option(help="Folder for the model.")] = Path("runs/train"),
) -> None:
    """Train a policy with MaskablePPO, in one seat of each game, against random players."""
    config = TrainingConfig(players=players, edition=edition, reward=reward, seed=seed, steps=steps, envs=envs)
    _check_extra()
    from ursuppe_training.runs import MODEL, train_and_save

    if (out / MODEL).exists():
        raise ValueError(f"{out / MODEL} exists already; give another folder with --out")
    train_and_save(config, out)
    typer.echo(f"model: {out / MODEL}")


def evaluate(
    model: Annotated[Path, typer.Argument(help="The model.zip of a training run.", show_default=False)],
    games: Annotated[int, typer.Option(min=1, help="Rounded up to as many in each seat.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games.")] = 0,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Always take the likeliest action, instead of drawing one.")
    ] = False,
) -> None:
    """Let a trained policy play against random players, each seed once in each seat, and count its wins."""
    _check_extra()
    from ursuppe_training.models import load_policy
    from ursuppe_training.runs import evaluate_policy

    policy, config = load_policy(model)
    num_games = -(-games // config.players) * config.players
    typer.echo(str(evaluate_policy(policy, config.ruleset, num_games, seed, deterministic)))


def _check_extra() -> None:
    """Say how to install what is missing, before a long traceback does not."""
    try:
        import sb3_contrib  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA:
            raise
        raise ValueError(f"{error.name} is not installed; install it with: pip install 'ursuppe-env[train]'") from error
