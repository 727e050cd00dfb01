"""The magnet: a moving average of a policy's own weights, which holds it back.

What beats the opponents of the moment need not beat those of a while ago; policies that chase each other go in circles.
A divergence from the average in the loss damps that (magnetic mirror descent: Sokota et al., 2023).
"""

import copy
import math

from ursuppe_env.extras import extra
from ursuppe_training.masked_policy import MaskedCategoricalPolicy

with extra("train"):
    import torch
    from torch import nn


class Magnet(nn.Module):
    """The moving average of an actor.

    Args:
        policy: whose average it is; its actor is where the average begins.
        decisions: over about so many the weights are averaged, the last ones counting most.
    """

    def __init__(self, policy: MaskedCategoricalPolicy, decisions: int) -> None:
        super().__init__()
        self._decisions = decisions
        self.hidden = copy.deepcopy(policy.actor).requires_grad_(False)
        self.last = copy.deepcopy(policy.action_net).requires_grad_(False)

    def begin_at(self, policy: MaskedCategoricalPolicy) -> None:
        """Let the average begin at these weights."""
        self._move(policy, 1.0)

    def follow(self, policy: MaskedCategoricalPolicy, decisions: int) -> None:
        """Take in the weights after so many further decisions."""
        self._move(policy, 1 - math.exp(-decisions / self._decisions))

    def _move(self, policy: MaskedCategoricalPolicy, part: float) -> None:
        theirs = [*policy.actor.parameters(), *policy.action_net.parameters()]
        with torch.no_grad():
            for mine, other in zip(self.parameters(), theirs, strict=True):
                mine.lerp_(other, part)
