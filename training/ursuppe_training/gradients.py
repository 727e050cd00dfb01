"""The gradients of a policy's losses over a minibatch.

On a processor the minibatch is cut into slices, which threads share out and whose gradients are added up in their
order; the last layers and the losses are in compiled code (``ursuppe_training.heads``). On other devices torch does all
of it at once.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from ursuppe_training import heads
from ursuppe_training.masked_policy import MaskedCategoricalPolicy, hidden_layers
from ursuppe_training.processes import Processes
from ursuppe_training.rollout import Minibatch
from ursuppe_training.seat_rollout_buffer import Decisions

_SLICE = 1024  # decisions; a minibatch of fewer is cut in two
_FEWEST_SLICES = 2

Slice = TypeVar("Slice", Minibatch, torch.Tensor)
_Gradients = list[torch.Tensor]  # of all parameters, in their order


class LossWeights(NamedTuple):
    """The numbers of PPO's loss; see ``MaskablePPO``."""

    clip_range: float
    entropy: float
    value: float


class Gradients:
    """Computes the gradients of a policy, and leaves them in its parameters.

    Args:
        policy: that learns.
        workers: threads that compute slices.
        processes: that train together; the gradients are those of all of them.
    """

    def __init__(self, policy: MaskedCategoricalPolicy, workers: Executor, processes: Processes) -> None:
        self._processes = processes
        self._policy = policy
        self._workers = workers
        self._hidden = policy.hidden_parameters()
        self._last_layers = torch.nn.ModuleList([policy.action_net, policy.value_net])
        self._parameters = [*self._hidden, *self._last_layers.parameters()]

    def of_ppo(self, decisions: Decisions, batch: Minibatch, weights: LossWeights) -> NDArray[np.float64]:
        """Of the clipped loss of PPO, the bonus for entropy and the squared error of the critic.

        Args:
            decisions: of the rollout.
            batch: which of them, and what is learned from them.
            weights: of the losses.

        Returns:
            (heads.NUM_SUMS,) the sums of the losses over the minibatch, divided by its size.
        """
        if self._policy.device.type != "cpu":
            return self._of_ppo_by_torch(decisions.at(batch.rows), batch, weights)

        def of_slice(part: Minibatch) -> tuple[_Gradients, NDArray[np.float64]]:
            return self._of_ppo_slice(decisions.at(part.rows), part, weights)

        return self._add_up(batch.split(_slice_size(len(batch.rows))), of_slice) / batch.total

    def of_cloning(self, decisions: Decisions, rows: torch.Tensor, total: int) -> None:
        """Of the cross-entropy of the actions that somebody else took; the critic's own layers have none then.

        Args:
            decisions: of which some are cloned; their ``log_probs`` have no meaning.
            rows: (n,) these.
            total: n, with those of the other processes.
        """
        if self._policy.device.type != "cpu":
            some = decisions.at(rows)
            _, log_probs = self._log_probs(self._policy.latents(some.inputs)[0], some)
            loss = -log_probs.sum() / total
            self._write(torch.autograd.grad(loss, self._parameters, materialize_grads=True))
            self._forget_critic()
            return

        def of_slice(part: torch.Tensor) -> tuple[_Gradients, NDArray[np.float64]]:
            return self._of_cloning_slice(decisions.at(part), 1 / total)

        self._add_up(rows.split(_slice_size(len(rows))), of_slice)
        self._forget_critic()

    def _forget_critic(self) -> None:
        """Gradients of 0 would be learned from: the optimizer would go on as before, and take them for its moments."""
        for parameter in (*hidden_layers(self._policy)[2].parameters(), *self._policy.value_net.parameters()):
            parameter.grad = None

    # ------------------------------------------------------------------ on a processor

    def _add_up(
        self, slices: Sequence[Slice], of_slice: Callable[[Slice], tuple[_Gradients, NDArray[np.float64]]]
    ) -> NDArray[np.float64]:
        total, sums = None, np.zeros(heads.NUM_SUMS)
        for gradients, losses in self._workers.map(of_slice, slices):
            if total is None:
                total = gradients
            else:
                torch._foreach_add_(total, gradients)
            sums += losses
        assert total is not None
        self._write(total)
        return sums

    def _write(self, gradients: Sequence[torch.Tensor]) -> None:
        self._processes.add_up(gradients)
        for parameter, gradient in zip(self._parameters, gradients, strict=True):
            parameter.grad = gradient

    def _of_ppo_slice(
        self, some: Decisions, part: Minibatch, weights: LossWeights
    ) -> tuple[_Gradients, NDArray[np.float64]]:
        latents = self._policy.latents(some.inputs)
        arrays = [*(latent.detach().numpy() for latent in latents), *self._head_weights()]
        gradients = [np.zeros_like(array) for array in arrays]
        sums = np.zeros(heads.NUM_SUMS)
        num_actions = some.action_masks.shape[1]
        heads.ppo_gradients(
            *arrays,
            some.action_masks.numpy(),
            some.actions.numpy(),
            some.log_probs.numpy(),
            part.advantages.numpy(),
            part.returns.numpy(),
            *(np.float32(weight) for weight in weights),
            np.float32(1 / part.total),
            np.empty(num_actions, np.int64),
            np.empty(num_actions, np.float32),
            np.empty(num_actions, np.float32),
            *gradients,
            sums,
        )
        return self._through_hidden(latents, gradients), sums

    def _of_cloning_slice(self, some: Decisions, share: float) -> tuple[_Gradients, NDArray[np.float64]]:
        latents = self._policy.latents(some.inputs)
        arrays = [*(latent.detach().numpy() for latent in latents), *self._head_weights()]
        gradients = [np.zeros_like(array) for array in arrays]
        actor, _, weights, biases, *_ = arrays
        of_actor, _, of_weights, of_biases, *_ = gradients
        num_actions = some.action_masks.shape[1]
        heads.cloning_gradients(
            actor,
            weights,
            biases,
            some.action_masks.numpy(),
            some.actions.numpy(),
            np.float32(share),
            np.empty(num_actions, np.int64),
            np.empty(num_actions, np.float32),
            of_actor,
            of_weights,
            of_biases,
        )
        return self._through_hidden(latents, gradients), np.zeros(heads.NUM_SUMS)

    def _head_weights(self) -> list[NDArray[np.float32]]:
        return [parameter.detach().numpy() for parameter in self._last_layers.parameters()]

    def _through_hidden(
        self, latents: tuple[torch.Tensor, torch.Tensor], gradients: Sequence[NDArray[np.float32]]
    ) -> _Gradients:
        """The gradients of all parameters, from those of latents and last layers."""
        of_actor, of_critic, *of_heads = (torch.from_numpy(gradient) for gradient in gradients)
        of_hidden = torch.autograd.grad(latents, self._hidden, (of_actor, of_critic)) if self._hidden else ()
        return [*of_hidden, *of_heads]

    # ------------------------------------------------------------------ on other devices

    def _of_ppo_by_torch(self, some: Decisions, batch: Minibatch, weights: LossWeights) -> NDArray[np.float64]:
        actor, critic = self._policy.latents(some.inputs)
        all_log_probs, log_probs = self._log_probs(actor, some)
        log_ratios = log_probs - some.log_probs
        ratios = log_ratios.exp()
        clipped = ratios.clamp(1 - weights.clip_range, 1 + weights.clip_range)
        policy_loss = -torch.min(batch.advantages * ratios, batch.advantages * clipped).sum()
        least = torch.finfo(torch.float32).min
        entropy = -(all_log_probs.exp() * all_log_probs.clamp_min(least)).sum()
        values = self._last_layers[1](critic)[:, 0]
        value_loss = (values - batch.returns).square().sum()
        loss = (policy_loss - weights.entropy * entropy + weights.value * value_loss) / batch.total
        self._write(torch.autograd.grad(loss, self._parameters))
        with torch.no_grad():
            kl = (ratios - 1 - log_ratios).sum()
            is_clipped = ((ratios - 1).abs() > weights.clip_range).float().sum()
            sums = torch.stack([policy_loss, value_loss, entropy, kl, is_clipped])
        return sums.double().cpu().numpy() / batch.total

    def _log_probs(self, actor: torch.Tensor, some: Decisions) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, A) of all actions and (n,) of those that were taken."""
        logits = torch.where(some.action_masks, self._last_layers[0](actor), -torch.inf)
        log_probs = logits.log_softmax(dim=1)
        return log_probs, log_probs.gather(1, some.actions[:, None])[:, 0]


def _slice_size(count: int) -> int:
    return max(-(-count // max(_FEWEST_SLICES, -(-count // _SLICE))), 1)
