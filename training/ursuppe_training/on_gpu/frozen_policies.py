"""The policies that play in a rollout on a GPU, frozen: the one that learns, and snapshots.

Each of them looks at every game: so many products are little for a GPU, and nobody has to wait until it is known who
acts where.
"""

import copy
from collections.abc import Sequence

from ursuppe_env.extras import extra
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.opponents.snapshots import stacked

with extra("train"):
    import torch


class FrozenPolicies:
    """Policies of one shape, as they are now.

    Args:
        policies: W of them.
        precision: in which the products of their hidden layers are computed.
        memory: of the GPU.

    Attributes:
        precision: as given.
        weights: (W, A, L) float32, shared: those of their last layers.
        biases: (W, A) float32, shared.
    """

    def __init__(self, policies: Sequence[ActorCritic], precision: torch.dtype, memory: Memory) -> None:
        self.precision = precision
        actors = [copy.deepcopy(policy.actor).cpu().requires_grad_(False).eval() for policy in policies]
        self._hidden = stacked(actors, memory.device, precision)
        last = [[part.detach().cpu() for part in policy.action_net.parameters()] for policy in policies]
        self.weights = memory.holding(torch.stack([weight for weight, _ in last]).numpy())
        self.biases = memory.holding(torch.stack([bias for _, bias in last]).numpy())
        self._count = len(policies)

    def latents(self, inputs: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
        """(N, L) what the last hidden layer makes of (N, I) inputs, in the network with this number, (N,); of another
        one where the number is negative.
        """
        found = inputs.expand(self._count, *inputs.shape)
        for weights, biases in self._hidden:
            found = torch.baddbmm(biases, found, weights).relu_()
        return found[which.clamp_min(0), torch.arange(len(which), device=which.device)].float()
