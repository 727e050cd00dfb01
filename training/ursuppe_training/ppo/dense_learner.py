"""The dense networks as a ``Learner``."""

import copy
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from ursuppe_agents.policies.inputs import InputsView, num_inputs
from ursuppe_env.extras import extra
from ursuppe_env.rules.actions import actions_for
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.who_plays import WhoPlays
from ursuppe_training.ppo.buffer import Decisions
from ursuppe_training.ppo.dense_gradients import Gradients
from ursuppe_training.ppo.dense_playing import DenseDecisions, FrozenDenseCritic, FrozenDensePolicy
from ursuppe_training.ppo.learner import LossWeights
from ursuppe_training.ppo.rollout import Minibatch
from ursuppe_training.processes import Processes

with extra("train"):
    import torch


class DenseLearner:
    """A dense policy that learns, as a ``Learner``.

    Args:
        policy: that learns, where it is computed.
        who_plays: what its critic is told of who plays; learns, too.
        config: the settings of the run.
        workers: threads that compute slices.
        processes: that train together.
        by_torch: as of ``Gradients``.
    """

    def __init__(
        self,
        policy: ActorCritic,
        who_plays: WhoPlays,
        config: TrainingConfig,
        workers: Executor,
        processes: Processes,
        by_torch: bool,
    ) -> None:
        self.policy = policy
        self.who_plays = who_plays
        self.device = policy.device
        self._gradients = Gradients(policy, who_plays, workers, processes, by_torch)
        self.clipped = self._gradients.actor, self._gradients.critic
        self._view = InputsView(config.observe_rules)
        inputs = num_inputs(config.players, config.observe_rules)
        self._shape = config.players, inputs, len(actions_for(config.players))

    def new_decisions(self, count: int) -> DenseDecisions:
        """See ``Learner``, as for all methods."""
        return DenseDecisions.empty(count, *self._shape, self.policy.precision, self.policy.device)

    def freeze(self) -> FrozenDensePolicy:
        return FrozenDensePolicy(self.policy, self._view)

    def freeze_critic(self) -> FrozenDenseCritic:
        return FrozenDenseCritic(self.policy, self.who_plays)

    def ppo_gradients(self, decisions: Decisions, batch: Minibatch, weights: LossWeights) -> torch.Tensor:
        assert isinstance(decisions, DenseDecisions)
        return self._gradients.of_ppo(decisions, batch, weights)

    def cloning_gradients(self, decisions: Decisions, rows: torch.Tensor, total: int) -> None:
        assert isinstance(decisions, DenseDecisions)
        self._gradients.of_cloning(decisions, rows, total)

    def state_dict(self) -> dict[str, Any]:
        return copy.deepcopy({"policy": self.policy.state_dict(), "who_plays": self.who_plays.state_dict()})

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        self.policy.load_state_dict(saved["policy"])
        self.who_plays.load_state_dict(saved["who_plays"])
