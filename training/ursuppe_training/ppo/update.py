"""PPO with parameters shared by all seats: the update of a policy from the decisions of a rollout."""

from typing import NamedTuple

import numpy as np

from ursuppe_agents.policies.board.weights import WIN
from ursuppe_env.extras import extra
from ursuppe_training.ppo.behaviour_cloning import BehaviourCloning
from ursuppe_training.ppo.learner import Learner, Losses, LossWeights
from ursuppe_training.ppo.rollout import Rollout
from ursuppe_training.processes import Processes
from ursuppe_training.threads import one_torch_thread

with extra("train"):
    import torch

_MAX_GRAD_NORM = 0.5  # of all parameters together
_ADAM_EPSILON = 1e-5


class UpdateSettings(NamedTuple):
    """The numbers of one update.

    Attributes:
        learning_rate: of Adam.
        loss: the weights of the losses.
        cloning_weight: from 0 to 1; by how much slower the policy learns what demonstrations show.
    """

    learning_rate: float
    loss: LossWeights
    cloning_weight: float


class PPO:
    """Proximal policy optimisation (Schulman et al., 2017) of an actor, with a critic that predicts outcomes.

    Args:
        learner: that gives the gradients of the losses.
        epochs: over a rollout.
        batch_size: decisions of a minibatch, about.
        processes: that train together.

    Attributes:
        optimizer: of all parameters.
        updates: epochs so far.
    """

    def __init__(
        self,
        learner: Learner,
        epochs: int,
        batch_size: int,
        processes: Processes,
    ) -> None:
        self._learner = learner
        self._epochs = epochs
        self._batch_size = batch_size
        self._processes = processes
        self.optimizer = torch.optim.Adam(learner.parameters, eps=_ADAM_EPSILON, fused=True)  # in one pass
        self.updates = 0

    def update(
        self, rollout: Rollout, cloning: BehaviourCloning, settings: UpdateSettings, generator: torch.Generator
    ) -> dict[str, float]:
        """Learn from the own decisions with PPO, then from demonstrations by behaviour cloning.

        Args:
            rollout: with returns and advantages.
            cloning: with the demonstrations.
            settings: of this update.
            generator: of the order of the decisions.

        Returns:
            What TensorBoard is told, by name.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate
        with one_torch_thread():
            losses = []
            for _ in range(self._epochs):
                for batch in rollout.minibatches(self._batch_size, generator):
                    losses.append(self._learner.ppo_gradients(rollout.decisions, batch, settings.loss))
                    self._step()
            self.updates += self._epochs
            means = Losses(*self._processes.sums(torch.stack(losses).numpy().mean(axis=0)))
            if settings.cloning_weight > 0:
                cloning.train(self._learner, self.optimizer, self._step, settings.cloning_weight, generator)
        return _figures(means, rollout, settings)

    def _step(self) -> None:
        torch.nn.utils.clip_grad_norm_(self._learner.parameters, _MAX_GRAD_NORM)
        self.optimizer.step()


def _figures(losses: Losses, rollout: Rollout, settings: UpdateSettings) -> dict[str, float]:
    """Under the names that Stable-Baselines3 uses."""
    predicted, returns = (found[:, 0, WIN] for found in (rollout.values, rollout.returns))
    figures = {
        "entropy_loss": -losses.entropy,
        "policy_gradient_loss": losses.policy,
        "value_loss": losses.critic,
        "approx_kl": losses.kl,
        "clip_fraction": losses.clipped,
        "loss": losses.policy - settings.loss.entropy * losses.entropy + losses.critic,
        "explained_variance": 1 - np.var(returns - predicted) / (np.var(returns) or np.nan),
        "clip_range": settings.loss.clip_range,
        "learning_rate": settings.learning_rate,
        "entropy_coefficient": settings.loss.entropy,
        "cloning_weight": settings.cloning_weight,
    }
    return {f"train/{name}": float(figure) for name, figure in figures.items()}
