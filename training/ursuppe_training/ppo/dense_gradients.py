"""The gradients of a dense policy's losses over a minibatch.

On a processor the minibatch is cut into slices, which threads share out and whose gradients are added up in their
order; last layers and losses are in compiled code (``networks.heads``, ``outcome_head``). On other devices
torch does all of it at once.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.extras import extra
from ursuppe_training.networks import heads
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.outcome_head import outcome_gradients
from ursuppe_training.networks.seat_critic import LOSS_WEIGHTS, critic_losses
from ursuppe_training.networks.who_plays import WhoPlays
from ursuppe_training.ppo.dense_playing import DenseDecisions
from ursuppe_training.ppo.learner import LossWeights
from ursuppe_training.ppo.rollout import Minibatch
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

_SLICE = 1024  # decisions; a minibatch of fewer is cut in two
_FEWEST_SLICES = 2

Slice = TypeVar("Slice", Minibatch, torch.Tensor)
_Gradients = list[torch.Tensor]  # of all parameters, in their order


class Gradients:
    """Computes the gradients of a policy, and leaves them in its parameters.

    Args:
        policy: that learns.
        who_plays: what the critic is told of who plays.
        workers: threads that compute slices.
        processes: that train together; the gradients are those of all of them.
        by_torch: let torch compute all of a minibatch at once, as it does on all other devices.
    """

    def __init__(
        self,
        policy: ActorCritic,
        who_plays: WhoPlays,
        workers: Executor,
        processes: Processes,
        by_torch: bool = False,
    ) -> None:
        self._processes = processes
        self._by_torch = by_torch or policy.device.type != "cpu"
        self._policy = policy
        self._who_plays = who_plays
        self._workers = workers
        self._hidden = list(policy.actor.parameters())
        self.actor = [*self._hidden, *policy.action_net.parameters()]
        self._last = list(policy.critic.outcome_layer.parameters())
        self._others = [*policy.critic.layers_before(), *who_plays.parameters()]
        self.critic = [*self._others, *self._last]

    def of_ppo(self, decisions: DenseDecisions, batch: Minibatch, weights: LossWeights) -> torch.Tensor:
        """See ``Learner.ppo_gradients``."""
        if self._by_torch:
            return self._of_ppo_by_torch(decisions.at(batch.rows), batch, weights) / batch.total

        def of_slice(part: Minibatch) -> tuple[_Gradients, NDArray[np.float64]]:
            some = decisions.at(part.rows)
            of_actor, sums = self._of_actor(some, part, weights)
            of_critic, loss = self._of_critic(some, part)
            return [*of_actor, *of_critic], np.append(sums, loss)

        parts = batch.split(_slice_size(len(batch.rows)))
        return torch.from_numpy(self._add_up([*self.actor, *self.critic], parts, of_slice) / batch.total)

    def of_cloning(self, decisions: DenseDecisions, rows: torch.Tensor, total: int) -> None:
        """See ``Learner.cloning_gradients``."""
        for parameter in self.critic:
            parameter.grad = None
        if self._by_torch:
            some = decisions.at(rows)
            _, log_probs = self._log_probs(self._policy.latents(some.inputs), some)
            self._write(self.actor, torch.autograd.grad(-log_probs.sum() / total, self.actor))
            return

        def of_slice(part: torch.Tensor) -> tuple[_Gradients, NDArray[np.float64]]:
            return self._of_cloning_slice(decisions.at(part), 1 / total), np.zeros(0)

        self._add_up(self.actor, rows.split(_slice_size(len(rows))), of_slice)

    # ------------------------------------------------------------------ on a processor

    def _add_up(
        self,
        parameters: Sequence[torch.nn.Parameter],
        slices: Sequence[Slice],
        of_slice: Callable[[Slice], tuple[_Gradients, NDArray[np.float64]]],
    ) -> NDArray[np.float64]:
        """Write the gradients of these parameters over all slices; returns the sums of the losses."""
        total, sums = None, np.zeros(0)
        for gradients, losses in self._workers.map(of_slice, slices):
            if total is None:
                total, sums = gradients, losses
            else:
                torch._foreach_add_(total, gradients)
                sums = sums + losses
        assert total is not None
        self._write(parameters, total)
        return sums

    def _write(self, parameters: Sequence[torch.nn.Parameter], gradients: Sequence[torch.Tensor]) -> None:
        self._processes.add_up(gradients)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient

    def _of_actor(
        self, some: DenseDecisions, part: Minibatch, weights: LossWeights
    ) -> tuple[_Gradients, NDArray[np.float64]]:
        latents = self._policy.latents(some.inputs)
        arrays = self._head_arrays(latents)
        gradients = [np.zeros_like(array) for array in arrays]
        sums = np.zeros(heads.NUM_SUMS)
        num_actions = some.action_masks.shape[1]
        heads.ppo_gradients(
            *arrays,
            some.action_masks.numpy(),
            some.actions.numpy(),
            some.log_probs.numpy(),
            part.advantages.numpy(),
            *(np.float32(weight) for weight in weights),
            np.float32(1 / part.total),
            np.empty(num_actions, np.int64),
            *np.empty((2, num_actions), np.float32),
            *gradients,
            sums,
        )
        return self._through_hidden(latents, gradients), sums

    def _of_critic(self, some: DenseDecisions, part: Minibatch) -> tuple[_Gradients, float]:
        latents = self._policy.critic_latents(some.inputs, self._who_plays(some.who_plays)).flatten(0, 1)
        arrays = [tensor.detach().numpy() for tensor in (latents, *self._last)]
        of_latents, *of_last = (np.zeros_like(array) for array in arrays)
        loss = outcome_gradients(
            *arrays,
            part.returns.numpy(),
            np.array(LOSS_WEIGHTS, np.float32),
            np.float32(1 / part.total),
            np.empty(part.returns.shape[1:], np.float32),
            of_latents,
            *of_last,
        )
        of_others = torch.autograd.grad(latents, self._others, torch.from_numpy(of_latents))
        return [*of_others, *(torch.from_numpy(gradient) for gradient in of_last)], loss

    def _of_cloning_slice(self, some: DenseDecisions, share: float) -> _Gradients:
        latents = self._policy.latents(some.inputs)
        arrays = self._head_arrays(latents)
        gradients = [np.zeros_like(array) for array in arrays]
        num_actions = some.action_masks.shape[1]
        heads.cloning_gradients(
            *arrays,
            some.action_masks.numpy(),
            some.actions.numpy(),
            np.float32(share),
            np.empty(num_actions, np.int64),
            np.empty(num_actions, np.float32),
            *gradients,
        )
        return self._through_hidden(latents, gradients)

    def _head_arrays(self, latents: torch.Tensor) -> list[NDArray[np.float32]]:
        """Latents, weights and biases, as the compiled code takes them."""
        return [tensor.detach().numpy() for tensor in (latents, *self._policy.action_net.parameters())]

    def _through_hidden(self, latents: torch.Tensor, gradients: Sequence[NDArray[np.float32]]) -> _Gradients:
        """The gradients of the actor's parameters, from those of latents and last layer."""
        of_latents, *of_head = (torch.from_numpy(gradient) for gradient in gradients)
        of_hidden = torch.autograd.grad(latents, self._hidden, of_latents) if self._hidden else ()
        return [*of_hidden, *of_head]

    # ------------------------------------------------------------------ anywhere

    def _critic_loss(self, some: DenseDecisions, batch: Minibatch) -> torch.Tensor:
        """Of the critic, summed over the decisions."""
        scores = self._policy.scores(some.inputs, self._who_plays(some.who_plays))
        return critic_losses(scores, batch.returns).sum()

    # ------------------------------------------------------------------ on other devices

    def _of_ppo_by_torch(self, some: DenseDecisions, batch: Minibatch, weights: LossWeights) -> torch.Tensor:
        all_log_probs, log_probs = self._log_probs(self._policy.latents(some.inputs), some)
        log_ratios = log_probs - some.log_probs
        ratios = log_ratios.exp()
        clipped = ratios.clamp(1 - weights.clip_range, 1 + weights.clip_range)
        policy_loss = -torch.min(batch.advantages * ratios, batch.advantages * clipped).sum()
        least = torch.finfo(torch.float32).min
        entropy = -(all_log_probs.exp() * all_log_probs.clamp_min(least)).sum()
        critic_loss = self._critic_loss(some, batch)
        loss = policy_loss - weights.entropy * entropy + critic_loss
        parameters = [*self.actor, *self.critic]
        self._write(parameters, torch.autograd.grad(loss / batch.total, parameters))
        with torch.no_grad():
            kl = (ratios - 1 - log_ratios).sum()
            is_clipped = ((ratios - 1).abs() > weights.clip_range).float().sum()
            sums = torch.stack([policy_loss, entropy, kl, is_clipped, critic_loss])
        return sums.double()

    def _log_probs(self, latents: torch.Tensor, some: DenseDecisions) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, A) of all actions, -inf where one is illegal, and (n,) of those that were taken."""
        log_probs = self._policy.action_net(latents).masked_fill(~some.action_masks, -torch.inf).log_softmax(dim=1)
        return log_probs, log_probs.gather(1, some.actions[:, None])[:, 0]


def _slice_size(count: int) -> int:
    return max(-(-count // max(_FEWEST_SLICES, -(-count // _SLICE))), 1)
