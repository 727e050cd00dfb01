"""Training itself: PPO on self-play, from the first decision or from where a run stopped."""

import copy
import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

from ursuppe_agents.policies.rulesets import training_rulesets
from ursuppe_env.extras import extra
from ursuppe_env.rules.state import LAYOUT, STATE
from ursuppe_env.threads import available_cores
from ursuppe_env.validation import checked_count
from ursuppe_training.config import TrainingConfig
from ursuppe_training.devices import AUTO, Processes, device_named, memory, workers
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.files import new_policy
from ursuppe_training.ppo.learner import PPO, Learner, LossWeights
from ursuppe_training.ppo.self_play import SelfPlay

with extra("train"):
    import torch

_SAVED = 9  # version of what ``Trainer.state_dict`` gives

#: Takes figures by name, and the decisions so far.
Log = Callable[[Mapping[str, float], int], None]


class Trainer:
    """One training run in memory.

    The same settings give the same policy on the same machine, also if the run is saved, restored and continued, unless
    its time is limited; the number of threads has no influence.

    Args:
        config: all settings.
        device: torch's name of where to compute; "auto": on a GPU if there is one.
        threads: to compute on; None: one a core, of the part that this process has.
        processes: that train together, of which this is one; default: it is alone.

    Raises:
        OSError: the initial policy cannot be read.
        ValueError: there is no such device, threads is no positive integer, the games take too much memory, or the
            initial policy is damaged.

    Attributes:
        learner: what learns.
        policy: what it has learned.
        self_play: the games that it learns from.
        ppo: the updates.
        threads: that it computes on.
        processes: that train together.
        device: where gradients are computed.
    """

    def __init__(
        self, config: TrainingConfig, device: str = AUTO, threads: int | None = None, processes: Processes | None = None
    ) -> None:
        self.config = config
        self.processes = Processes() if processes is None else processes
        cores = max(available_cores() // self.processes.on_this_machine, 1)
        self.threads = cores if threads is None else checked_count("threads", threads, 1)
        self.device = device_named(device)
        self._check_memory()
        self._workers = workers(self.threads)
        rulesets = training_rulesets(config.players, config.seed) if config.rulesets == "varied" else (config.ruleset,)
        self.policy = new_policy(config).to(self.device)
        self.learner = Learner(self.policy, rulesets, self._workers, self.processes)
        self.ppo = PPO(self.learner, config.epochs, config.batch_size, self.processes)
        self.self_play = SelfPlay(config, rulesets, self.learner, self._workers, self.processes)
        self._rollouts = self._snapshots = 0
        self._seconds_before = 0.0
        self._started: float | None = None

    def _check_memory(self) -> None:
        """Refuse more games and decisions than can be held, before anything is made of them."""
        config = self.config
        decisions = config.players + config.rollout * (2 if config.teachers else 1)  # with those of the teachers
        part = self.processes.on_this_machine / self.processes.count
        needed, there = config.envs * STATE.itemsize * (1 + decisions) * part, memory()
        if needed > there:
            raise ValueError(
                f"envs is {config.envs:,} and rollout {config.rollout:,}: that takes {needed / 1e9:,.0f} GB of memory, "
                f"and there are {there / 1e9:,.0f} GB"
            )

    @property
    def decisions(self) -> int:
        """The decisions that were made to be learned from."""
        return self.self_play.decisions

    @property
    def seconds(self) -> float:
        """The time that it has taken, over all resumptions."""
        return self._seconds_before + (0 if self._started is None else time.perf_counter() - self._started)

    @property
    def progress_remaining(self) -> float:
        """The part of the run that is still to come, from 1 to 0."""
        done = max(self.decisions / self.config.steps, self.seconds / 60 / self.config.minutes)
        return max(1 - done, 0.0)

    def run(
        self,
        on_rollout: Callable[[], None] | None = None,
        on_step: Callable[[], None] | None = None,
        log: Log | None = None,
    ) -> None:
        """Train to the end.

        Args:
            on_rollout: called between two updates, when the state of the run can be saved.
            on_step: called now and then while games are played.
            log: takes the figures of each update by name, and the decisions so far.
        """
        self._started = time.perf_counter()

        def goes_on() -> bool:
            if on_step is not None:
                on_step()
            return math.isinf(self.config.minutes) or self.progress_remaining > 0

        while (remaining := self.processes.gathered(self.progress_remaining)[0]) > 0:  # each has a clock of its own
            if on_rollout is not None:
                on_rollout()
            figures = self._iterate(remaining, goes_on)
            if figures is None:
                break
            if log is not None:
                log(figures, self.decisions)
        self._seconds_before, self._started = self.seconds, None

    def _iterate(self, remaining: float, goes_on: Callable[[], bool]) -> dict[str, float] | None:
        """A rollout and the update from it; None: the time was over before the rollout had all its decisions."""
        config, self_play, pool = self.config, self.self_play, self.self_play.pool
        cloning_weight = 0.0
        if config.teachers and config.teaching > 0:
            cloning_weight = max(0.0, 1 - (1 - remaining) / config.teaching)
        if self._snapshots < self.decisions // config.snapshot_every:
            self._snapshots = self.decisions // config.snapshot_every
            pool.take_snapshot()
        self._rollouts += 1
        pool.begin_rollout(self._rollouts)
        if not self_play.collect((config.seed, self._rollouts), remaining, cloning_weight > 0, goes_on):
            return None
        learning_rate = _between(config.learning_rate, config.final_learning_rate, remaining)
        entropy = _between(config.entropy, config.final_entropy, remaining)
        # Another order for each rollout, the same after a resumption.
        order = torch.Generator().manual_seed((config.seed + 0x9E3779B1 * self._rollouts) % 2**32)
        weights = LossWeights(config.clip_range, entropy)
        return self.ppo.update(
            self_play.rollout, self_play.demonstrations, learning_rate, weights, cloning_weight, order
        )

    def share(self, saved: dict[str, Any] | None) -> None:
        """Give to the others what the first process gave to its ``load_state_dict``; None: the run is new."""
        state = self.processes.gathered(saved)[0]
        if state is not None and not self.processes.is_first:
            self.load_state_dict(state)

    def state_dict(self) -> dict[str, Any]:
        """All that decides how the run goes on, in tensors and plain values; taken between two updates."""
        return {
            "version": _SAVED,
            "layout": LAYOUT,
            "settings": json.dumps(self.config.model_dump()),
            "decisions": self.decisions,
            "seconds": self.seconds,
            "rollouts": self._rollouts,
            "snapshots_taken": self._snapshots,
            "learner": copy.deepcopy(self.policy.state_dict()),
            "optimizer": copy.deepcopy(self.ppo.optimizer.state_dict()),
            "opponents": self.self_play.pool.state_dict(),
            "games": self.self_play.saved_games(),
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on from what ``state_dict`` gave.

        Raises:
            ValueError: it is from another version of the package, or of a run with other settings.
        """
        if saved.get("version") != _SAVED or saved.get("layout") != LAYOUT:
            raise ValueError(
                f"it is of layout {saved.get('layout')}, version {saved.get('version')}; "
                f"this package has layout {LAYOUT}, version {_SAVED}"
            )
        if TrainingConfig(**json.loads(saved["settings"])) != self.config:
            raise ValueError("it is of a run with other settings")
        self.self_play.restore_games(saved["games"])
        self.policy.load_state_dict(saved["learner"])
        self.ppo.optimizer.load_state_dict(saved["optimizer"])
        self.self_play.pool.load_state_dict(saved["opponents"])
        self.self_play.decisions = saved["decisions"]
        self._seconds_before = saved["seconds"]
        self._rollouts = saved["rollouts"]
        self._snapshots = saved["snapshots_taken"]


def _between(first: float, final: float, remaining: float) -> float:
    """A number that goes from one to the other in a straight line over the run."""
    return final + (first - final) * remaining


def follow(config: TrainingConfig, processes: Processes, device: str = AUTO, threads: int | None = None) -> None:
    """Train to the end with the first of several processes, which alone writes files, evaluates and speaks."""
    trainer = Trainer(config, device, threads, processes)
    trainer.share(None)
    trainer.run()


def train(config: TrainingConfig, device: str = AUTO) -> BoardPolicy:
    """Train a policy with these settings, on this device (see ``Trainer``), and return it."""
    trainer = Trainer(config, device)
    trainer.run()
    return trainer.policy
