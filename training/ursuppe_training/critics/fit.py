"""A critic of its own for a finished policy, fitted to how its games end.

While a policy learns, its critic shares the actor's layers, and sees a policy that changes. A search asks it at the
beginning of rounds, thousands of times a second: there a critic that has learned from nothing but such games is much
less in the wrong.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.rules import standardised_rules
from ursuppe_agents.policies.board.weights import WIN, critic_shapes, widths_of
from ursuppe_agents.policies.files import SavedPolicy, read_policy, write_policy
from ursuppe_agents.policies.provenance import Provenance
from ursuppe_agents.policies.rulesets import training_rulesets
from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.teams import Teams
from ursuppe_env.threads import available_cores
from ursuppe_training.critics.positions import GAMES_AT_ONCE, OTHERS, Positions, play_positions
from ursuppe_training.devices import one_torch_thread, workers
from ursuppe_training.networks.board import BoardPolicy, board_tensors, seen_in
from ursuppe_training.networks.critic import critic_losses
from ursuppe_training.seeds import Seed

with extra("train"):
    import torch

_EPOCHS, _BATCH, _SLICE = 4, 2048, 512  # over all positions; positions of an update, and of a thread's part of it
_LEARNING_RATE, _WARM_UP = 0.0015, 100  # of Adam, which falls to 0; updates until it is reached
_MAX_GRAD_NORM = 1.0


class CriticFit(NamedTuple):
    """How wrong the critic is about who wins, in positions that it has not learned from: the mean cross-entropy.

    Attributes:
        before: of the critic that the policy had.
        after: of its own one.
        positions: so many.
        provenance: of the file that was written.
    """

    before: float
    after: float
    positions: int
    provenance: Provenance


def fit_critic(
    path: Path,
    out: Path,
    games: int,
    threads: int | None = None,
    on_work: Callable[[str, int, int], None] = lambda *_: None,
) -> CriticFit:
    """Write a policy with a critic of its own, which is fitted to games that it plays; its actions stay the same.

    Args:
        path: of the policy.
        out: of the file that is written, whole or not at all.
        games: to learn from, at least ``GAMES_AT_ONCE``; as many are played as make whole batches of these, and one
            more batch that says how well the critic does. The same number gives the same critic, whatever the threads.
        threads: to play and compute on; None: one a core.
        on_work: hears what is done now, how much of it is done, and of how much.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: the policy is none; there are too few games; nothing can be written there.
    """
    if games < GAMES_AT_ONCE:
        raise ValueError(f"games is {games}; it must be at least {GAMES_AT_ONCE:,}")
    if out.is_dir() or not out.parent.is_dir():  # known before the games are played
        raise ValueError(f"out is {out}; it must be a file in a folder that exists")
    saved = read_policy(path)
    trained = saved.provenance
    varied = training_rulesets(trained.players, trained.seed) if trained.rulesets == "varied" else ()
    rulesets = (trained.played, *varied)  # that of its evaluations, and the others that it was trained on
    play, batches = partial(_play, path, rulesets, trained.partition), games // GAMES_AT_ONCE + 1
    played = []
    with workers(threads or available_cores()) as executor, one_torch_thread():
        for positions in executor.map(play, range(batches)):
            played.append(positions)
            on_work("playing", len(played), batches)
        *learned, kept_apart = played
        critic = _Critic(saved, rulesets, executor)
        before = critic.cross_entropy(kept_apart)
        critic.learn(Positions(*map(np.concatenate, zip(*learned, strict=True))), on_work)
        after = critic.cross_entropy(kept_apart)
    found = trained.changed({"critic_games": len(learned) * GAMES_AT_ONCE})
    write_policy(out, SavedPolicy(replace(saved.weights, critic=critic.arrays()), found, saved.temperature))
    return CriticFit(before, after, len(kept_apart.states), found)


def _play(path: Path, rulesets: Sequence[Ruleset], teams: Teams | None, batch: int) -> Positions:
    """Play a batch of games."""
    specs = [agent_spec("policy", model=str(path), deterministic=likeliest) for likeliest in (False, True)]
    agents = [make_agent(spec, seed=Seed.CRITIC + batch) for spec in (*specs, *OTHERS)]
    for agent in agents:
        agent.teams = teams
    return play_positions(agents, rulesets, teams, Seed.CRITIC + batch)


def _pieces(rows: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """So few that none has more rows than this."""
    return np.array_split(rows, -(-len(rows) // size))


class _Critic:
    """The layers of a critic while they learn, at first those that the policy has."""

    def __init__(self, saved: SavedPolicy, rulesets: Sequence[Ruleset], executor: Executor) -> None:
        weights = saved.weights
        self._network = BoardPolicy(widths_of(weights.arrays), weights.player_counts, weights.teams)
        self._network.take(weights.arrays | (weights.critic or {}))
        self._names = list(critic_shapes(widths_of(weights.arrays)))
        self._parameters = [self._network.layers[name] for name in self._names]
        self._rulesets = rulesets
        self._rules = standardised_rules(tuple(rulesets))
        self._executor = executor

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Copies of its layers."""
        return {name: self._network.layers[name].detach().numpy().copy() for name in self._names}

    def learn(self, positions: Positions, on_work: Callable[[str, int, int], None]) -> None:
        """Learn from all positions, several times."""
        optimizer = torch.optim.Adam(self._parameters, fused=True)
        generator = np.random.default_rng(Seed.CRITIC)
        orders = [generator.permutation(len(positions.states)) for _ in range(_EPOCHS)]
        batches = [rows for order in orders for rows in _pieces(order, _BATCH)]
        for update, rows in enumerate(batches):
            rate = _LEARNING_RATE * min(1.0, (update + 1) / _WARM_UP) * (1 - update / len(batches))
            for group in optimizer.param_groups:
                group["lr"] = rate
            gradients = list(self._executor.map(lambda part: self._gradients(positions, part), _pieces(rows, _SLICE)))
            for parameter, of_parts in zip(self._parameters, zip(*gradients, strict=True), strict=True):
                parameter.grad = torch.stack(of_parts).sum(dim=0) / len(rows)
            torch.nn.utils.clip_grad_norm_(self._parameters, _MAX_GRAD_NORM)
            optimizer.step()
            on_work("learning", update + 1, len(batches))

    def cross_entropy(self, positions: Positions) -> float:
        """Of who wins, a position."""
        total = 0.0
        with torch.no_grad():
            for rows in _pieces(np.arange(len(positions.states)), _BATCH):
                log_chances = self._scores(positions.states[rows])[:, :, WIN].log_softmax(dim=1)
                total -= float((log_chances * torch.from_numpy(positions.outcomes[rows, :, WIN])).sum())
        return total / len(positions.states)

    def _gradients(self, positions: Positions, rows: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Of the sum of its losses at these rows."""
        losses = critic_losses(self._scores(positions.states[rows]), torch.from_numpy(positions.outcomes[rows]))
        return torch.autograd.grad(losses.sum(), self._parameters)

    def _scores(self, states: NDArray[np.uint8]) -> torch.Tensor:
        """(n, P, 3) scores of these states, (n, size of a state)."""
        inputs, used = seen_in(states, self._rulesets, self._network.teams, actions_too=False)
        return self._network.scores(board_tensors(inputs, self._rules[used]))
