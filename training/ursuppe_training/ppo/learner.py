"""PPO with parameters shared by all seats: a policy learns from the decisions of a rollout.

Decisions are kept as states of games, and seen anew to learn.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_agents.policies.board.rules import standardised_rules
from ursuppe_agents.policies.board.weights import WIN
from ursuppe_env import Games, Ruleset
from ursuppe_env.extras import extra
from ursuppe_training.devices import Processes, one_torch_thread
from ursuppe_training.networks.board import BoardPolicy, board_tensors, log_probs_of_each, seen_in
from ursuppe_training.networks.critic import critic_losses, predicted_outcomes
from ursuppe_training.ppo.rollout import Decisions, DemonstrationBuffer, Minibatch, Rollout, as_tensor

with extra("train"):
    import torch

_SLICE = 1024  # decisions whose gradients are computed at once
_CRITIC_WEIGHT = 0.25  # of its losses beside PPO's: both share most of the layers
#: Where the policy is surer than this, one decision in so many is learned from: there is little to learn.
_SURE, _ONE_IN = 0.98, 10
_SCATTER = 4096.0  # the fraction of a random number times this says nothing of the number
_MAX_GRAD_NORM = 0.5  # of all parameters together
_ADAM_EPSILON = 1e-5
_CLONED_BATCH = 512  # a teacher's action has little noise, unlike a return: many small steps learn it fastest


class LossWeights(NamedTuple):
    """The numbers of PPO's loss: the range of the ratio, and the weight of the bonus for entropy."""

    clip_range: float
    entropy: float


class Losses(NamedTuple):
    """Means over a minibatch."""

    policy: float
    entropy: float
    kl: float  # from the policy that made the decisions
    clipped: float  # part of the ratios that are out of their range
    critic: float


def choose(policy: BoardNetwork, games: Games, uniforms: NDArray[np.float32]) -> Decisions:
    """Decisions drawn by uniforms, (n,) in [0, 1), for the players about to act in n games; threads share a policy."""
    first, actions, logits, scores = policy.outputs(games)
    starts, ends = first[:-1], first[1:]
    chances = _softmax_of_each(logits, starts)
    reached = chances.cumsum()
    before = np.concatenate([[0.0], reached])[starts]
    drawn = before + uniforms * (reached[ends - 1] - before)
    places = np.searchsorted(reached, drawn, side="right").clip(starts, ends - 1)
    is_sure = np.maximum.reduceat(chances, starts) > _SURE
    return Decisions(
        torch.from_numpy(actions[places]),
        torch.from_numpy(np.log(chances[places]).astype(np.float32)),
        torch.from_numpy(~is_sure | (uniforms * _SCATTER % 1 < 1 / _ONE_IN)),
        as_tensor(games),
        predicted_outcomes(torch.from_numpy(scores)),
    )


@dataclass(eq=False)
class Learner:
    """A policy that learns."""

    policy: BoardPolicy  # where its gradients are computed
    rulesets: Sequence[Ruleset]  # those of the run's games, to which their states refer by number
    workers: Executor  # threads that compute slices
    processes: Processes  # that train together

    def __post_init__(self) -> None:
        self.parameters = list(self.policy.parameters())
        self._rules = standardised_rules(tuple(self.rulesets))

    def ppo_gradients(self, decisions: Decisions, batch: Minibatch, weights: LossWeights) -> torch.Tensor:
        """Leave the gradients of PPO's losses in the parameters: of the actor's, with a bonus for entropy, and of the
        critic's. Returns (5,) float64, the ``Losses``.
        """
        device = self.policy.device

        def of_slice(part: Minibatch) -> tuple[list[torch.Tensor | None], torch.Tensor]:
            some = decisions.at(part.rows)
            log_probs, taken, scores = self._seen(some.states, some.actions)
            log_ratios = taken - some.log_probs.to(device)
            ratios = log_ratios.exp()
            clipped = ratios.clamp(1 - weights.clip_range, 1 + weights.clip_range)
            advantages = part.advantages.to(device)
            policy_loss = -torch.min(advantages * ratios, advantages * clipped).sum()
            entropy = -(log_probs.exp() * log_probs).sum()
            critic_loss = critic_losses(scores, part.returns.to(device)).sum()
            loss = policy_loss - weights.entropy * entropy + _CRITIC_WEIGHT * critic_loss
            gradients = torch.autograd.grad(loss / part.total, self.parameters)
            with torch.no_grad():
                kl = (ratios - 1 - log_ratios).sum()
                is_clipped = ((ratios - 1).abs() > weights.clip_range).float().sum()
                sums = torch.stack([policy_loss, entropy, kl, is_clipped, critic_loss])
            return list(gradients), sums.double().cpu()

        return self._add_up(list(self.workers.map(of_slice, batch.split(_SLICE)))) / batch.total

    def cloning_gradients(self, states: torch.Tensor, actions: torch.Tensor, total: int) -> None:
        """Leave those of the cross-entropy of actions, (n,), that a teacher took in these states, (n, size of a state).

        The critic has none. ``total`` is n, with those of the other processes.
        """

        def of_slice(part: tuple[torch.Tensor, torch.Tensor]) -> tuple[list[torch.Tensor | None], torch.Tensor]:
            _, taken, _ = self._seen(*part)
            gradients = torch.autograd.grad(-taken.sum() / total, self.parameters, allow_unused=True)
            return list(gradients), torch.zeros(1)

        slices = zip(states.split(_SLICE), actions.split(_SLICE), strict=True)
        self._add_up(list(self.workers.map(of_slice, slices)))

    def _seen(
        self, games_in_bytes: torch.Tensor, actions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """(M,) log-probabilities of all legal actions, (n,) of those taken, (n, P, 3) scores of the critic."""
        inputs, used = seen_in(games_in_bytes.numpy(), self.rulesets, self.policy.teams)
        tensors = board_tensors(inputs, self._rules[used], self.policy.device)
        logits, scores = self.policy(tensors)
        log_probs = log_probs_of_each(logits, tensors)
        is_taken = inputs.actions == np.repeat(actions.numpy(), np.diff(inputs.first))
        return log_probs, log_probs[torch.from_numpy(np.flatnonzero(is_taken)).to(self.policy.device)], scores

    def _add_up(self, slices: Sequence[tuple[list[torch.Tensor | None], torch.Tensor]]) -> torch.Tensor:
        """Write the sums of the gradients of all slices into the parameters; returns those of the losses."""
        gradients = [
            None if parts[0] is None else sum(parts) for parts in zip(*(part for part, _ in slices), strict=True)
        ]
        self.processes.add_up([gradient for gradient in gradients if gradient is not None])
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = gradient
        return torch.stack([losses for _, losses in slices]).sum(dim=0)


@dataclass(eq=False)
class PPO:
    """Proximal policy optimisation (Schulman et al., 2017) of an actor, with a critic that predicts outcomes."""

    learner: Learner
    epochs: int
    batch_size: int
    processes: Processes

    def __post_init__(self) -> None:
        self.optimizer = torch.optim.Adam(self.learner.parameters, eps=_ADAM_EPSILON, fused=True)  # in one pass

    def update(
        self,
        rollout: Rollout,
        demonstrations: Sequence[DemonstrationBuffer],
        learning_rate: float,
        weights: LossWeights,
        cloning_weight: float,
        generator: torch.Generator,
    ) -> dict[str, float]:
        """Learn from the own decisions with PPO, then from demonstrations by behaviour cloning.

        Args:
            rollout: with returns and advantages.
            demonstrations: of each group of games.
            learning_rate: of Adam; for demonstrations ``cloning_weight``, 0 to 1, times that.
            generator: of the order of the decisions.

        Returns:
            What TensorBoard is told, by name.
        """
        self.optimizer.param_groups[0]["lr"] = learning_rate
        with one_torch_thread():
            losses = []
            for _ in range(self.epochs):
                for batch in rollout.minibatches(self.batch_size, generator):
                    losses.append(self.learner.ppo_gradients(rollout.decisions, batch, weights))
                    self._step()
            means = Losses(*self.processes.sums(torch.stack(losses).numpy().mean(axis=0)))
            if cloning_weight > 0:
                self.clone(demonstrations, cloning_weight, generator)
        figures = _figures(means, rollout, weights) | {
            "clip_range": weights.clip_range,
            "learning_rate": learning_rate,
            "entropy_coefficient": weights.entropy,
            "cloning_weight": cloning_weight,
        }
        return {f"train/{name}": float(figure) for name, figure in figures.items()}

    def clone(self, demonstrations: Sequence[DemonstrationBuffer], weight: float, generator: torch.Generator) -> None:
        """One epoch on the teachers' decisions (cross-entropy), at the optimiser's learning rate times ``weight``."""
        [group] = self.optimizer.param_groups
        rate, group["lr"] = group["lr"], group["lr"] * weight
        states, actions = (torch.cat(parts) for parts in zip(*(one.shown for one in demonstrations), strict=True))
        [total] = self.processes.sums(np.array([float(len(actions))]))
        batches = torch.randperm(len(actions), generator=generator).tensor_split(max(int(total) // _CLONED_BATCH, 1))
        for batch, count in zip(batches, self.processes.sums(np.array([*map(len, batches)], float)), strict=True):
            if count > 0:
                self.learner.cloning_gradients(states[batch], actions[batch], int(count))
                self._step()
        group["lr"] = rate

    def _step(self) -> None:
        torch.nn.utils.clip_grad_norm_(self.learner.parameters, _MAX_GRAD_NORM)
        self.optimizer.step()


def _figures(losses: Losses, rollout: Rollout, weights: LossWeights) -> dict[str, float]:
    """Under the names that Stable-Baselines3 uses."""
    predicted, returns = (rollout.of_all(name)[:, 0, WIN].numpy() for name in ("values", "returns"))
    return {
        "entropy_loss": -losses.entropy,
        "policy_gradient_loss": losses.policy,
        "value_loss": losses.critic,
        "approx_kl": losses.kl,
        "clip_fraction": losses.clipped,
        "loss": losses.policy - weights.entropy * losses.entropy + _CRITIC_WEIGHT * losses.critic,
        "explained_variance": 1 - np.var(returns - predicted) / (np.var(returns) or np.nan),
    }


def _softmax_of_each(logits: NDArray[np.float32], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """(M,) chances of all actions, from where those of each position start."""
    counts = np.diff(starts, append=len(logits))
    likely = np.exp(logits.astype(np.float64) - np.repeat(np.maximum.reduceat(logits, starts), counts))
    return likely / np.repeat(np.add.reduceat(likely, starts), counts)
