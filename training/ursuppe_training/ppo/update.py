"""PPO with parameters shared by all seats: the update of a policy from the decisions of a rollout."""

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


class PPO:
    """Proximal policy optimisation (Schulman et al., 2017) of an actor, with a critic that predicts outcomes.

    Attributes:
        optimizer: of all parameters.
    """

    def __init__(self, learner: Learner, epochs: int, batch_size: int, processes: Processes) -> None:
        self._learner = learner
        self._epochs = epochs
        self._batch_size = batch_size
        self._processes = processes
        self.optimizer = torch.optim.Adam(learner.parameters, eps=_ADAM_EPSILON, fused=True)  # in one pass

    def update(
        self,
        rollout: Rollout,
        cloning: BehaviourCloning,
        learning_rate: float,
        weights: LossWeights,
        cloning_weight: float,
        generator: torch.Generator,
    ) -> dict[str, float]:
        """Learn from the own decisions with PPO, then from demonstrations by behaviour cloning.

        Args:
            rollout: with returns and advantages.
            cloning: with the demonstrations.
            learning_rate: of Adam.
            weights: of the losses.
            cloning_weight: from 0 to 1; the learning rate of demonstrations is so many times that of the rest.
            generator: of the order of the decisions.

        Returns:
            What TensorBoard is told, by name.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        with one_torch_thread():
            losses = []
            for _ in range(self._epochs):
                for batch in rollout.minibatches(self._batch_size, generator):
                    losses.append(self._learner.ppo_gradients(rollout.decisions, batch, weights))
                    self._step()
            means = Losses(*self._processes.sums(torch.stack(losses).numpy().mean(axis=0)))
            if cloning_weight > 0:
                cloning.train(self._learner, self.optimizer, self._step, cloning_weight, generator)
        settings = {
            "clip_range": weights.clip_range,
            "learning_rate": learning_rate,
            "entropy_coefficient": weights.entropy,
            "cloning_weight": cloning_weight,
        }
        figures = {**_figures(means, rollout, weights), **settings}
        return {f"train/{name}": float(figure) for name, figure in figures.items()}

    def _step(self) -> None:
        torch.nn.utils.clip_grad_norm_(self._learner.parameters, _MAX_GRAD_NORM)
        self.optimizer.step()


def _figures(losses: Losses, rollout: Rollout, weights: LossWeights) -> dict[str, float]:
    """Under the names that Stable-Baselines3 uses."""
    predicted, returns = (found[:, 0, WIN] for found in (rollout.values, rollout.returns))
    return {
        "entropy_loss": -losses.entropy,
        "policy_gradient_loss": losses.policy,
        "value_loss": losses.critic,
        "approx_kl": losses.kl,
        "clip_fraction": losses.clipped,
        "loss": losses.policy - weights.entropy * losses.entropy + losses.critic,
        "explained_variance": 1 - np.var(returns - predicted) / (np.var(returns) or np.nan),
    }
