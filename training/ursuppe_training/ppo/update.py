"""PPO with parameters shared by all seats: the update of a policy from the decisions of a rollout."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ursuppe_agents.policies.board.weights import WIN
from ursuppe_env.extras import extra
from ursuppe_training.devices import one_torch_thread
from ursuppe_training.ppo.buffer import DemonstrationBuffer
from ursuppe_training.ppo.learner import Learner, Losses, LossWeights
from ursuppe_training.ppo.rollout import Rollout
from ursuppe_training.processes import Processes

with extra("train"):
    import torch

_MAX_GRAD_NORM = 0.5  # of all parameters together
_ADAM_EPSILON = 1e-5
_CLONED_BATCH = 512  # a teacher's action has little noise, unlike a return: many small steps learn it fastest


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
            learning_rate: of Adam.
            weights: of the losses.
            cloning_weight: from 0 to 1; the learning rate of demonstrations is so many times that of the rest.
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
        settings = {
            "clip_range": weights.clip_range,
            "learning_rate": learning_rate,
            "entropy_coefficient": weights.entropy,
            "cloning_weight": cloning_weight,
        }
        figures = {**_figures(means, rollout, weights), **settings}
        return {f"train/{name}": float(figure) for name, figure in figures.items()}

    def clone(self, demonstrations: Sequence[DemonstrationBuffer], weight: float, generator: torch.Generator) -> None:
        """One epoch on the teachers' decisions (cross-entropy), at the optimiser's learning rate times ``weight``.

        ``generator`` orders the decisions.
        """
        [group] = self.optimizer.param_groups
        rate, group["lr"] = group["lr"], group["lr"] * weight
        states, actions = (torch.cat(parts) for parts in zip(*(one.shown for one in demonstrations), strict=True))
        [total] = self.processes.sums(np.array([float(len(actions))]))
        order = torch.randperm(len(actions), generator=generator)
        batches = order.tensor_split(max(int(total) // _CLONED_BATCH, 1))
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
        "loss": losses.policy - weights.entropy * losses.entropy + losses.critic,
        "explained_variance": 1 - np.var(returns - predicted) / (np.var(returns) or np.nan),
    }
