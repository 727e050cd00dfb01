"""Could the critic of a policy foretell more than it has learned? It is fitted further to what became of games.

``python benchmarks/critic_fit.py default runs/fitted.zip`` plays at the tables of ``critic.py``, on other dice; the
critic learns from some of the positions, seen by whoever decides, what became of each seat. The actor stays as it is,
so that the policy plays as before. Then ``python benchmarks/critic.py runs/fitted.zip`` says what that brought. 8,000
games at each table take three minutes of one core.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from critic import TABLES, played
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from torch.utils.data import BatchSampler, RandomSampler

from ursuppe_env import Games
from ursuppe_training.default_policies import policy_path
from ursuppe_training.inputs import InputsView
from ursuppe_training.masked_policy import ActorAndCritic
from ursuppe_training.models import load_policy, save_policy
from ursuppe_training.outcomes import outcomes_of
from ursuppe_training.policy_files import read_policy
from ursuppe_training.seat_critic import critic_losses

_PART = 0.04  # of the decisions: some thirteen in a game
_SEED = 77_000  # and the next ones, one for each table: of no other measurement
_EPOCHS = 6
_BATCH = 2048
_LEARNING_RATE = 5e-4  # at first; it falls to 0


def main() -> None:
    """Play, fit, and write the policy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policy", help="a file of `ursuppe train`, or default")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--games", type=int, default=8000, help="at each table")
    options = parser.parse_args()
    torch.set_num_threads(1)
    path = policy_path(options.policy)
    policy, config = load_policy(path)
    view = InputsView(config.observe_rules)
    parts = [
        seen_at(seats, options.policy, options.games, _SEED + number, view, policy.mlp_extractor)
        for number, seats in enumerate(track(TABLES, "playing"))
    ]
    features, situation, outcomes = (torch.from_numpy(np.concatenate(part)) for part in zip(*parts, strict=True))
    fit(policy.critic, features, situation, outcomes)
    save_policy(policy, config, options.out, temperature=read_policy(path).temperature)
    Console().print(f"{options.out}: fitted to {len(outcomes):,} positions")


def seen_at(
    seats: tuple[str, ...], policy: str, num_games: int, seed: int, view: InputsView, network: ActorAndCritic
) -> tuple[NDArray[np.float16], NDArray[np.float16], NDArray[np.float32]]:
    """(n, P, S) features of the seats and (n, T) the situation, as halves; (n, P, 3) what became of them."""
    games = Games(num_games, seed=seed)
    rows, players, features, situations = [], [], [], []
    for index, seen in played(games, seats, policy, _PART, seed):
        of_seats, situation = network.of_critic(torch.from_numpy(view.of(seen)))
        features.append(of_seats.numpy().astype(np.float16))
        situations.append(situation.numpy().astype(np.float16))
        rows.append(index)
        players.append(seen.player.copy())
    outcomes = outcomes_of(games, np.arange(num_games))[np.concatenate(rows), np.concatenate(players)]
    return np.concatenate(features), np.concatenate(situations), outcomes


def fit(critic: torch.nn.Module, features: torch.Tensor, situation: torch.Tensor, outcomes: torch.Tensor) -> None:
    """Let the critic learn from positions as those of ``seen_at``."""
    critic.requires_grad_(True)  # trainings compute its gradients by hand
    adam = torch.optim.Adam(critic.parameters(), lr=_LEARNING_RATE)
    generator = torch.Generator().manual_seed(_SEED)
    batches = BatchSampler(RandomSampler(features, generator=generator), _BATCH, drop_last=False)
    falling = torch.optim.lr_scheduler.LinearLR(adam, 1.0, 0.0, total_iters=_EPOCHS * len(batches))
    for _ in track(range(_EPOCHS), "fitting"):
        for batch in batches:
            scores = critic(features[batch].float(), situation[batch].float())
            adam.zero_grad()
            critic_losses(scores, outcomes[batch]).mean().backward()
            adam.step()
            falling.step()
    critic.requires_grad_(False)


if __name__ == "__main__":
    main()
