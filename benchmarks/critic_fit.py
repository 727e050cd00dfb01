"""A policy whose critic foretells more than it has learned in training: it is fitted further to what became of games.

``python benchmarks/critic_fit.py default runs/fitted.zip`` plays at the tables of ``critic_tables.py``, each game with
one of the rulesets of a training that varies them, a third of them as printed; a policy that was trained on one ruleset
plays with that alone. At some positions the critic learns, from the point of view of every seat, what became of all of
them. The actor stays as it is, so that the policy plays as before. Then ``python benchmarks/critic.py
runs/fitted.zip`` says what that brought. The policies of the package were fitted by this command.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from critic_tables import POLICY, played, tables
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from torch.utils.data import BatchSampler, RandomSampler

from ursuppe_agents.policies.files import read_policy
from ursuppe_agents.policies.inputs import InputsView
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_agents.policies.rulesets import training_rulesets
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_env import Games
from ursuppe_env.teams import Teams
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.files import load_policy, save_policy
from ursuppe_training.networks.outcomes import outcomes_of
from ursuppe_training.networks.seat_critic import critic_losses

_PART = 0.01  # of the decisions: some three in a game, each seen from every seat
_SEED = 77_000  # of the rulesets, and of the games with the next ones, one for each table: of no other measurement
_EPOCHS = 3
_BATCH = 2048
_LEARNING_RATE = 3e-4  # at first; it falls to 0
_KEPT = 0.25  # of the weights before: so what millions of games have taught is not lost to the noise of some thousands

#: (n,) rows of games, and their positions.
Positions = Iterator[tuple[NDArray[np.int64], Games]]
#: (n, P, S) features of the seats and (n, T) the situation, as halves; (n, P, 3) what became of the seats.
Seen = tuple[NDArray[np.float16], NDArray[np.float16], NDArray[np.float32]]


def main() -> None:
    """Play, fit, and write the policy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("policy", help="a file of `ursuppe train`, default or duel")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--players", type=int, default=4, help="which of the default policies")
    parser.add_argument(
        "--games", type=int, default=20_000, help="at each table, and twice as many of the policy alone"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    path = policy_path(options.policy, options.players)
    saved = read_policy(path)
    provenance, teams = saved.provenance, saved.provenance.partition
    players = provenance.players
    policy, config = load_policy(path)
    varies = provenance.rulesets == "varied"
    rulesets = training_rulesets(players, _SEED) if varies else [provenance.played]
    view = InputsView(config.observe_rules)
    parts = []
    for number, table in enumerate(track(tables(players if teams is None else len(teams)), "playing")):
        num_games = options.games * (2 if set(table) == {POLICY} else 1)
        games = Games(num_games, rulesets, seed=_SEED + number)
        looked = played(games, table, options.policy, teams, _PART, _SEED + number)
        parts.append(seen_in(games, looked, teams, view, policy))
    features, situation, outcomes = (torch.from_numpy(np.concatenate(part)) for part in zip(*parts, strict=True))
    fit(policy.critic, features, situation, outcomes)
    provenance = provenance.changed({"critic_fitted_to": len(outcomes), "fitted_from": file_digest(path)})
    save_policy(policy, config, options.out, provenance, saved.temperature)
    Console().print(f"{options.out}: fitted to {len(outcomes):,} views of positions")


def seen_in(games: Games, looked: Positions, teams: Teams | None, view: InputsView, policy: ActorCritic) -> Seen:
    """What the critic is shown of games, which ``looked`` plays, from the point of view of every seat."""
    rows, seats, features, situations = [], [], [], []
    for index, seen in looked:
        for seat in range(games.num_players):
            of_seats, situation = policy.of_critic(torch.from_numpy(view.of(seen, seat)))
            features.append(of_seats.numpy().astype(np.float16))
            situations.append(situation.numpy().astype(np.float16))
            rows.append(index)
            seats.append(np.full(len(index), seat))
    outcomes = outcomes_of(games, np.arange(len(games)), teams)[np.concatenate(rows), np.concatenate(seats)]
    return np.concatenate(features), np.concatenate(situations), outcomes


def fit(critic: torch.nn.Module, features: torch.Tensor, situation: torch.Tensor, outcomes: torch.Tensor) -> None:
    """Let the critic learn from what ``seen_in`` gives: a mean of its weights before and after that."""
    before = [parameter.clone() for parameter in critic.parameters()]
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
    for parameter, weights in zip(critic.parameters(), before, strict=True):
        parameter.lerp_(weights, _KEPT)


if __name__ == "__main__":
    main()
