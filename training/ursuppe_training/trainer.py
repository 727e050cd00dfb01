"""Training itself: MaskablePPO on self-play, from the first decision or from where a run stopped."""

import copy
import json
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ursuppe_env import Games
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.extras import extra
from ursuppe_env.rules.state import LAYOUT
from ursuppe_env.threads import available_cores
from ursuppe_env.validation import checked_count
from ursuppe_training.behaviour_cloning import BehaviourCloning, TaughtDecisions
from ursuppe_training.best_responses import exploiter_config
from ursuppe_training.carried_weights import carry_weights
from ursuppe_training.config import TrainingConfig
from ursuppe_training.default_policies import policy_path
from ursuppe_training.devices import AUTO, device_named, gpu_for_games, precision_named
from ursuppe_training.every_seat import EverySeatPPO
from ursuppe_training.game_group import GameGroup, groups_of
from ursuppe_training.inputs import InputsView, num_inputs
from ursuppe_training.magnet import Magnet
from ursuppe_training.masked_policy import MaskedCategoricalPolicy
from ursuppe_training.models import load_policy
from ursuppe_training.networks import network
from ursuppe_training.on_gpu.every_seat import EverySeatPPOOnGpu
from ursuppe_training.on_gpu.game_group import GameGroupOnGpu
from ursuppe_training.on_gpu.memory import Memory
from ursuppe_training.on_gpu.opponents import on_processor_among
from ursuppe_training.on_gpu.rollout_buffer import RolloutOnGpu
from ursuppe_training.on_gpu.taught_decisions import TaughtDecisionsOnGpu
from ursuppe_training.one_seat import OneSeatPPO, RewardedVecEnv
from ursuppe_training.opponent_pool import OpponentPool
from ursuppe_training.outcomes import Reward
from ursuppe_training.processes import Processes
from ursuppe_training.rollout import Rollout
from ursuppe_training.rulesets import training_rulesets
from ursuppe_training.seat_rollout_buffer import Decisions
from ursuppe_training.self_play_ppo import SelfPlayPPO
from ursuppe_training.weights import check_size
from ursuppe_training.who_plays import WhoPlays

with extra("train"):
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.utils import set_random_seed
    from torch import nn

_SAVED = 6  # version of what ``Trainer.state_dict`` gives
_LARGEST_SEED = 2**32
_SHORTEST = 1e-6  # minutes: a training has some
_OF_THE_NETWORK = ("observe_rules", "layers", "critic_width")


class Trainer:
    """One training run in memory.

    The same settings give the same policy on the same machine, also if the run is saved, restored and continued, unless
    its time is limited; the number of threads has no influence. What Stable-Baselines3 and torch draw comes from the
    global generators of Python, NumPy and torch: they are seeded anew before each rollout.

    Args:
        config: all settings.
        device: torch's name of where to compute; "auto": on a GPU if there is one.
        threads: to compute on; None: one a core, of the part that this process has.
        processes: that train together, of which this is one; default: it is alone.

    Raises:
        OSError: the initial policy cannot be read.
        ValueError: there is no such device, threads is no positive integer, the layers have more weights than a policy
            may have, or the initial policy is damaged or has another network.

    Attributes:
        model: the learner; ``model.policy`` is what it has learned.
        threads: that it computes on.
        processes: that train together.
        precision: in which products of the hidden layers are computed.
        decisions: that it has learned from.
        seconds: that it has taken.
        exploiter: the training of an exploiter, for which this one pauses now; None: it does not.
        exploiter_decisions: that exploiters have learned from, beside ``decisions``.
        exploiter_is_due: whether one is trained before the next rollout.
    """

    def __init__(
        self,
        config: TrainingConfig,
        device: str = AUTO,
        threads: int | None = None,
        processes: Processes | None = None,
    ) -> None:
        self.config = config
        self.processes = Processes() if processes is None else processes
        cores = max(available_cores() // self.processes.on_this_machine, 1)
        self.threads = cores if threads is None else checked_count("threads", threads, 1)
        computes_on = device_named(device)
        check_size(config)
        self.model: OneSeatPPO | EverySeatPPO
        if config.learner == "one_seat":
            if self.processes.count > 1:
                raise ValueError(f"learner is 'one_seat'; {self.processes.count} processes need 'every_seat'")
            self.precision = torch.float32  # that of Stable-Baselines3
            self.model = _new_one_seat(config, computes_on)
        else:
            self.precision = precision_named(config.precision, computes_on)
            self.model = _new_every_seat(config, computes_on, self.precision, self.processes)
            self.model.compute_on(self.threads, self.processes)
        if config.initial_policy:
            _begin_from(self.model, config)
        if config.exploiters > 0:
            groups_of(exploiter_config(config, 0, config.minutes).envs, self.processes.count)  # are they enough?
        self.exploiter: Trainer | None = None
        self.exploiter_decisions = 0
        self.exploiter_is_due = False
        self._device = device
        self._rollouts = 0
        self._snapshots = 0
        self._seconds_before = 0.0
        self._started: float | None = None

    @property
    def decisions(self) -> int:
        """The decisions that were made to be learned from."""
        return self.model.num_timesteps

    @property
    def seconds(self) -> float:
        """The time that it has taken, over all resumptions; with that of exploiters."""
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
    ) -> None:
        """Train to the end.

        Args:
            on_rollout: called between two updates, when the state of the run can be saved.
            on_step: called after each step of the games.
        """
        self._started = time.perf_counter()
        if self.progress_remaining > 0:
            self.model.learn(
                self.config.steps - self.decisions,
                callback=_TrainingCallback(self, on_rollout, on_step),
                log_interval=1,
                reset_num_timesteps=False,
            )
        self._seconds_before, self._started = self.seconds, None

    @property
    def num_exploiters(self) -> int:
        """How many have joined the opponents."""
        return self.model.opponent_pool.num_exploiters

    def see_whether_an_exploiter_is_due(self) -> None:
        """Set ``exploiter_is_due``: of n exploiters, number k is at the part k / (n + 1) of the run."""
        config = self.config
        if self.num_exploiters < config.exploiters:
            remaining = self.processes.of_the_first(self.progress_remaining)  # each has a clock of its own
            over = (1 - remaining) * (config.exploiters + 1)
            self.exploiter_is_due = remaining > 0 and self.num_exploiters + 1 <= over

    def train_exploiter(self, on_step: Callable[[], None] | None = None) -> None:
        """Let a copy of the policy learn to beat it as it is now, alone against P-1 of it, and join the opponents.

        Args:
            on_step: called after each step of the games.
        """
        number, config, pool = self.num_exploiters, self.config, self.model.opponent_pool
        minutes_left = self.processes.of_the_first(config.minutes - self.seconds / 60)
        settings = exploiter_config(config, number, max(minutes_left, _SHORTEST))
        self.exploiter = exploiter = Trainer(settings, self._device, self.threads, self.processes)
        policy = self.model.policy.state_dict()
        exploiter.model.policy.load_state_dict(policy)
        exploiter.model.opponent_pool.take_snapshot(policy)
        exploiter.run(on_step=on_step)
        pool.add_exploiter(exploiter.model.policy.state_dict())
        self.exploiter_decisions += exploiter.decisions
        self.exploiter, self.exploiter_is_due = None, False

    def begin_rollout(self) -> None:
        """Set what the next rollout and update need; after a resumption this gives the same."""
        config, model = self.config, self.model
        remaining = self.processes.of_the_first(self.progress_remaining)  # each has a clock of its own
        model.ent_coef = config.final_entropy + (config.entropy - config.final_entropy) * remaining
        if isinstance(model, EverySeatPPO) and config.teachers and config.teaching > 0:
            model.cloning_weight = max(0.0, 1 - (1 - remaining) / config.teaching)
        model.progress_remaining = model.reward.progress_remaining = remaining
        if self._snapshots < self.decisions // config.snapshot_every:
            self._snapshots = self.decisions // config.snapshot_every
            model.opponent_pool.take_snapshot()
        self._rollouts += 1
        number = config.seed + 0x9E3779B1 * self._rollouts
        set_random_seed(number % _LARGEST_SEED, using_cuda=model.device.type == "cuda")
        model.opponent_pool.begin_rollout(self._rollouts)
        if isinstance(model, EverySeatPPO):
            model.rollout_seed = (config.seed, self._rollouts)

    def end_rollout(self) -> None:
        """Take in who has won in it, and tell the log."""
        pool = self.model.opponent_pool
        pool.end_rollout(self.processes)
        for name, figure in pool.figures():
            self.model.logger.record(f"opponents/{name}", figure)

    @property
    def _who_plays(self) -> nn.Module:
        """What is learned beside the policy."""
        return self.model.who_plays if isinstance(self.model, EverySeatPPO) else nn.Module()

    @property
    def _magnet(self) -> nn.Module:
        """What follows the policy."""
        return self.model.magnet if isinstance(self.model, EverySeatPPO) else nn.Module()

    # ------------------------------------------------------------------ resuming

    def share(self, saved: dict[str, Any] | None) -> None:
        """Give the state that the first process goes on from to the others.

        Args:
            saved: of the first process: what ``load_state_dict`` was given, None for a new run.
        """
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
            "policy": copy.deepcopy(self.model.policy.state_dict()),
            "who_plays": copy.deepcopy(self._who_plays.state_dict()),
            "magnet": copy.deepcopy(self._magnet.state_dict()),
            "optimizer": copy.deepcopy(self.model.policy.optimizer.state_dict()),
            "updates": self.model._n_updates,
            "opponents": self.model.opponent_pool.state_dict(),
            "exploiter_decisions": self.exploiter_decisions,
            "games": self.model.saved_games(),
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
        self.model.restore_games(saved["games"])
        self.model.policy.load_state_dict(saved["policy"])
        self._who_plays.load_state_dict(saved["who_plays"])
        self._magnet.load_state_dict(saved["magnet"])
        self.model.policy.optimizer.load_state_dict(saved["optimizer"])
        self.model.opponent_pool.load_state_dict(saved["opponents"])
        self.model.num_timesteps = saved["decisions"]
        self.model._n_updates = saved["updates"]
        self._seconds_before = saved["seconds"]
        self._rollouts = saved["rollouts"]
        self._snapshots = saved["snapshots_taken"]
        self.exploiter_decisions = saved["exploiter_decisions"]


class _TrainingCallback(BaseCallback):
    """Calls back before each rollout and after each step, and trains exploiters in between."""

    def __init__(
        self, trainer: Trainer, on_rollout: Callable[[], None] | None, on_step: Callable[[], None] | None
    ) -> None:
        super().__init__()
        self._trainer = trainer
        self._notify_rollout = on_rollout
        self._notify_step = on_step

    def _on_rollout_start(self) -> None:
        trainer = self._trainer
        trainer.see_whether_an_exploiter_is_due()
        self._between_updates()
        if trainer.exploiter_is_due:
            trainer.train_exploiter(self._notify_step)
            self._between_updates()  # again: now the state has the exploiter
        trainer.begin_rollout()

    def _between_updates(self) -> None:
        if self._notify_rollout is not None:
            self._notify_rollout()

    def _on_rollout_end(self) -> None:
        self._trainer.end_rollout()

    def _on_step(self) -> bool:
        if self._notify_step is not None:
            self._notify_step()
        return math.isinf(self._trainer.config.minutes) or self._trainer.progress_remaining > 0


def _settings_of_ppo(config: TrainingConfig, device: torch.device) -> dict[str, Any]:
    """What both learners are made with."""
    return {
        "policy": MaskedCategoricalPolicy,
        "learning_rate": lambda remaining: (
            config.final_learning_rate + (config.learning_rate - config.final_learning_rate) * remaining
        ),
        "batch_size": config.batch_size,
        "n_epochs": config.epochs,
        "gamma": 1.0,
        "gae_lambda": config.gae_lambda,
        "clip_range": config.clip_range,
        "policy_kwargs": network(config),
        "seed": config.seed,
        "device": device,
    }


def _reward(config: TrainingConfig) -> Reward:
    return Reward(config.reward, config.final_reward, config.players, len(config.sides))


def _new_one_seat(config: TrainingConfig, device: torch.device) -> OneSeatPPO:
    env = RewardedVecEnv(config.envs, config.ruleset, config.seed, config.observe_rules, config.partition)
    model = OneSeatPPO(env=env, n_steps=config.rollout, **_settings_of_ppo(config, device))
    model.games_env = env
    policy = model.policy
    model.opponent_pool = env.opponent = env.pool = OpponentPool(config, policy)
    model.reward = env.rewards = policy.value_net.reward = _reward(config)
    return model


def _new_every_seat(
    config: TrainingConfig, device: torch.device, precision: torch.dtype, processes: Processes
) -> EverySeatPPO:
    gpu = gpu_for_games(device, processes.count)
    memory = None if gpu is None else Memory(gpu, device)
    groups = parts = groups_of(config.envs, processes.count)
    if memory is not None:  # few large groups: two, if one is to be played while agents think about the other
        together = 2 if on_processor_among(config.opponents) else 1
        numbers = np.array_split(np.arange(len(parts)), together)
        groups = [np.concatenate([parts[number] for number in some]) for some in numbers]
    mine = range(processes.rank, len(groups), processes.count)
    sizes = [len(groups[number]) for number in mine]
    inputs = num_inputs(config.players, config.observe_rules)
    model = (EverySeatPPO if memory is None else EverySeatPPOOnGpu)(
        env=RewardedVecEnv(1, config.ruleset, config.seed, config.observe_rules),  # for its spaces
        n_steps=config.rollout * config.envs,
        rollout_buffer_class=Rollout if memory is None else RolloutOnGpu,  # type: ignore[arg-type]
        rollout_buffer_kwargs={
            "decisions_a_game": config.rollout,
            "group_sizes": sizes,
            "players": config.players,
            "num_inputs": inputs,
            "precision": precision,
            "processes": processes,
            **({} if memory is None else {"memory": memory}),
        },
        **_settings_of_ppo(config, device),
    )
    policy = model.policy
    policy.precision = precision
    pool = model.opponent_pool = OpponentPool(config, policy, mine if memory is None else range(len(parts)))
    model.reward = policy.value_net.reward = _reward(config)
    model.who_plays = WhoPlays(pool.num_names, config.critic_width).to(device)
    policy.optimizer.add_param_group({"params": list(model.who_plays.parameters())})
    model.magnet, model.magnet_weight = Magnet(policy, config.magnet_decisions).to(device), config.magnet
    played = config.ruleset if config.rulesets == "given" else training_rulesets(config.players, config.seed)
    sources = [RulesetSource(played) for _ in mine]
    games = Games(config.envs, sources[0].rulesets, config.seed, threads=1)
    sources[0].begin(games, None, config.seed)
    new_taught = TaughtDecisions if memory is None else TaughtDecisionsOnGpu
    most_taught = [new_taught.capacity(config.rollout * size) if config.teachers else 0 for size in sizes]
    room = Decisions.empty(sum(most_taught), config.players, inputs, games.num_actions, precision, device)
    model.cloning = BehaviourCloning(room, most_taught, processes, new_taught)
    model.group_sizes = [len(rows) for rows in groups]
    model.view = InputsView(config.observe_rules)
    taught_groups = model.cloning.groups
    if isinstance(model, EverySeatPPOOnGpu) and memory is not None:
        model.memory = memory
        model.groups = [
            GameGroupOnGpu(
                number,
                games.copy(groups[number]),
                source,
                config.observe_rules,
                pool,
                {part: parts[part] - groups[number][0] for part in numbers[number].tolist()},
                buffer,
                taught,
                memory,
            )
            for number, source, buffer, taught in zip(
                mine, sources, model.rollout_buffer.buffers, taught_groups, strict=True
            )
        ]
    else:
        model.groups = [
            GameGroup(number, games.copy(groups[number]), source, pool, buffer, taught)
            for number, source, buffer, taught in zip(
                mine, sources, model.rollout_buffer.buffers, taught_groups, strict=True
            )
        ]
    return model


def _begin_from(model: SelfPlayPPO, config: TrainingConfig) -> None:
    """Give a model the weights of its initial policy, which may be for another number of players."""
    policy, trained = load_policy(policy_path(config.initial_policy, config.players))
    for name in _OF_THE_NETWORK:
        theirs, ours = getattr(trained, name), getattr(config, name)
        if theirs != ours:
            raise ValueError(
                f"initial_policy is {config.initial_policy!r}, of which {name} is {theirs!r}; "
                f"here it is {ours!r}, and must be the same"
            )
    if trained.players == config.players:
        model.policy.load_state_dict(policy.state_dict())
    else:
        carry_weights(policy, trained.players, model.policy, config.players, config.observe_rules)
    if isinstance(model, EverySeatPPO):
        model.magnet.begin_at(model.policy)


def train(config: TrainingConfig, device: str = AUTO) -> SelfPlayPPO:
    """Train a policy from scratch, and return it as a model of Stable-Baselines3.

    Args:
        config: all settings.
        device: as for ``Trainer``.
    """
    trainer = Trainer(config, device)
    trainer.run()
    return trainer.model
