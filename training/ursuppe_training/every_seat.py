"""PPO that learns from the decisions of all seats that its policy has, in every game.

Groups of games are played side by side on threads, and updates are computed on them in slices
(``ursuppe_training.gradients``). Both are cut the same whatever the number of threads, and so are the results.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import Any

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_training.behaviour_cloning import BehaviourCloning
from ursuppe_training.game_group import GameGroup
from ursuppe_training.gradients import Gradients, Losses, LossWeights
from ursuppe_training.inputs import InputsView
from ursuppe_training.magnet import Magnet
from ursuppe_training.outcomes import WIN
from ursuppe_training.processes import Processes
from ursuppe_training.rollout import Rollout
from ursuppe_training.sampling import FrozenCritic, FrozenPolicy
from ursuppe_training.self_play_ppo import SelfPlayPPO
from ursuppe_training.threads import one_torch_thread, workers
from ursuppe_training.who_plays import WhoPlays

with extra("train"):
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.utils import explained_variance
    from stable_baselines3.common.vec_env import VecEnv

BETWEEN_CALLS = 0.05  # seconds between two calls of the callback's ``on_step``


class EverySeatPPO(SelfPlayPPO):
    """The losses of MaskablePPO on trajectories of all seats.

    Its groups step the games themselves; of the environment that Stable-Baselines3 needs, only the spaces are used.
    """

    rollout_buffer: Rollout  # type: ignore[assignment]
    groups: Sequence[GameGroup]  # of this process
    group_sizes: Sequence[int]  # of those of all processes
    view: InputsView
    who_plays: WhoPlays
    magnet: Magnet
    magnet_weight: float
    cloning: BehaviourCloning
    cloning_weight: float = 0.0
    batch_size: int
    rollout_seed: Sequence[int] = ()
    _exchanged_games: list[dict[str, Any]] | None = None

    def compute_on(self, threads: int, processes: Processes) -> None:
        """Use so many threads of this process, one of several."""
        self._processes = processes
        self._workers: ThreadPoolExecutor = workers(threads)
        self._gradients = self._new_gradients()

    def _new_gradients(self) -> Gradients:
        return Gradients(self.policy, self.who_plays, self.magnet, self._workers, self._processes)

    def collect_rollouts(  # type: ignore[override]
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: Rollout,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play until the buffer has a rollout; False if the callback stops it."""
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        before = self.num_timesteps
        is_stopped = self._play(callback)
        learned, stopped = self._processes.sums(np.array([self._learned, is_stopped], float))
        self.num_timesteps = before + int(learned)
        if stopped > 0:
            return False
        critic = FrozenCritic(self.policy, self.who_plays)
        rollout_buffer.compute_returns_and_advantages(critic.foretell, self._workers, self.reward.weights)
        self._exchanged_games = None
        if self._processes.count > 1:  # now: the first one alone decides later if it saves them
            self._exchange_games()
        callback.on_rollout_end()
        return True

    def _play(self, callback: BaseCallback) -> bool:
        """Play until all groups have a rollout; whether the callback has stopped it."""
        before, is_stopped = self.num_timesteps, Event()
        policy = FrozenPolicy(self.policy, self.view)
        for group in self.groups:
            group.begin_rollout(policy, self.rollout_seed, self.cloning_weight > 0)
        playing = [self._workers.submit(group.collect, lambda: not is_stopped.is_set()) for group in self.groups]
        try:
            is_over = False
            while not is_over and not is_stopped.is_set():
                is_over = not wait(playing, BETWEEN_CALLS).not_done
                if not self._goes_on(callback, before):
                    is_stopped.set()
        finally:  # also at Ctrl-C
            if any(not part.done() for part in playing):
                is_stopped.set()
            wait(playing)
        for part in playing:
            part.result()
        return is_stopped.is_set()

    def _goes_on(self, callback: BaseCallback, before: int) -> bool:
        """Count the decisions, after so many before this rollout, and ask the callback whether to go on."""
        self.num_timesteps = before + self._processes.count * self._learned
        callback.update_locals(locals())
        return callback.on_step()

    @property
    def _learned(self) -> int:
        """Decisions of this rollout, in this process."""
        return sum(group.learned for group in self.groups)

    def train(self) -> None:
        """Update the policy from its own decisions with PPO, then from its teachers' by behaviour cloning."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip_range = self.clip_range(self.progress_remaining)  # type: ignore[operator]
        weights = LossWeights(clip_range, self.ent_coef, self.magnet_weight)
        decisions = self.rollout_buffer.decisions
        with one_torch_thread():
            losses = []
            for _ in range(self.n_epochs):
                for batch in self.rollout_buffer.minibatches(self.batch_size):
                    losses.append(self._gradients.of_ppo(decisions, batch, weights))
                    self._step()
            self._n_updates += self.n_epochs
            self._log(Losses(*self._processes.sums(torch.stack(losses).cpu().numpy().mean(axis=0))), weights)
            if self.cloning_weight > 0:
                self.cloning.train(self._gradients, self.policy.optimizer, self._step, self.cloning_weight)
            if self.magnet_weight > 0:
                self.magnet.follow(self.policy, self.n_steps)

    def _step(self) -> None:
        """Change the weights by their gradients; those of actor and critic are limited each."""
        for parameters in (self._gradients.actor, self._gradients.critic):
            torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
        self.policy.optimizer.step()

    def _log(self, losses: Losses, weights: LossWeights) -> None:
        """Tell TensorBoard of the losses, under the names that Stable-Baselines3 uses."""
        chances = (found[:, 0, WIN] for found in (self.rollout_buffer.values, self.rollout_buffer.returns))
        figures = {
            "entropy_loss": -losses.entropy,
            "policy_gradient_loss": losses.policy,
            "value_loss": losses.critic,
            "approx_kl": losses.kl,
            "clip_fraction": losses.clipped,
            "magnet_divergence": losses.magnet,
            "loss": losses.policy - weights.entropy * losses.entropy + weights.magnet * losses.magnet + losses.critic,
            "explained_variance": explained_variance(*chances),
            "clip_range": weights.clip_range,
        }
        for name, figure in figures.items():
            self.logger.record(f"train/{name}", float(figure))
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    # ------------------------------------------------------------------ resuming

    def saved_games(self) -> list[dict[str, Any]]:
        """Where the games of each group stand, and the decisions that have no successor yet; of all processes.

        These do not change until the next rollout, at whose end the processes have exchanged them.
        """
        if self._exchanged_games is None:
            self._exchange_games()
        assert self._exchanged_games is not None
        return self._exchanged_games

    def _exchange_games(self) -> None:
        mine = {group.number: group.state_dict() for group in self.groups}
        all_of_them = {number: state for part in self._processes.gathered(mine) for number, state in part.items()}
        self._exchanged_games = [all_of_them[number] for number in sorted(all_of_them)]

    def restore_games(self, saved: list[dict[str, Any]]) -> None:
        """Go on with these games.

        Raises:
            ValueError: they are in other groups, because there were more or fewer processes.
        """
        sizes = [len(state["states"]) for state in saved]
        if sizes != self.group_sizes:
            raise ValueError(
                f"its {sum(sizes)} games are in {len(sizes)} groups, here in {len(self.group_sizes)}; "
                "go on with as many processes as before, and with games on a GPU if they were there"
            )
        for group in self.groups:
            group.load_state_dict(saved[group.number])
        self._exchanged_games = None
