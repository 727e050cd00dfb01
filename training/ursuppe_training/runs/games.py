"""The games of a training, on the processor or on a GPU, and room for what is learned from them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ursuppe_agents.policies.rulesets import training_rulesets
from ursuppe_env import Games, Ruleset
from ursuppe_env.cuda.arrays import Device
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.config import TrainingConfig
from ursuppe_training.kernels.memory import Memory
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.outcomes import Reward
from ursuppe_training.on_gpu.backend import GpuBackend
from ursuppe_training.on_gpu.frozen_policies import FrozenPolicies
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.ppo.backend import Backend, ProcessorBackend
from ursuppe_training.ppo.behaviour_cloning import BehaviourCloning
from ursuppe_training.ppo.game_group import GameGroup, groups_of
from ursuppe_training.ppo.learner import FrozenPolicy, Learner
from ursuppe_training.ppo.rollout import Rollout
from ursuppe_training.ppo.self_play import SelfPlay
from ursuppe_training.processes import Processes


def rulesets_of(config: TrainingConfig) -> tuple[Ruleset, ...]:
    """Those of the games of a run: one, or those of which each game draws one."""
    return (config.ruleset,) if config.rulesets == "given" else training_rulesets(config.players, config.seed)


def new_self_play(
    config: TrainingConfig,
    rulesets: Sequence[Ruleset],
    learner: Learner,
    gpu: Device | None,
    workers: ThreadPoolExecutor,
    processes: Processes,
) -> SelfPlay:
    """The games that a policy learns from, at their beginning.

    Args:
        config: the settings of the run.
        rulesets: of the games.
        learner: whose policy learns, where it is computed.
        gpu: where the games are played; None: on the processor.
        workers: threads that play, and ask agents.
        processes: that train together.
    """
    memory = Memory.of_processor() if gpu is None else Memory(gpu, learner.device)
    parts = groups_of(config.envs, processes.count)  # each has agents of its own
    pool = OpponentPool(config, learner.policy, range(len(parts)))
    # On a GPU few large groups: two, if one is to be played while agents think about the other.
    together = len(parts) if gpu is None else 2 if pool.on_processor else 1
    numbers = np.array_split(np.arange(len(parts)), together)
    groups = [np.concatenate([parts[number] for number in some]) for some in numbers]
    mine = range(processes.rank, len(groups), processes.count)
    sizes = [len(groups[number]) for number in mine]

    given = rulesets[0] if len(rulesets) == 1 else list(rulesets)
    sources = [RulesetSource(given) for _ in mine]
    games = Games(config.envs, sources[0].rulesets, config.seed, threads=1)
    sources[0].begin(games, None, config.seed)

    rollout = Rollout(
        config.rollout, sizes, config.players, learner.new_decisions, config.gae_lambda, memory, processes
    )
    most_demonstrations = [config.rollout * size + 1 if config.teachers else 0 for size in sizes]
    cloning = BehaviourCloning(learner.new_decisions(sum(most_demonstrations)), most_demonstrations, processes, memory)

    def backend_of(number: int, source: RulesetSource) -> Backend:
        if gpu is None:
            return ProcessorBackend(number, source, pool, memory)
        of_group = {part: parts[part] - groups[number][0] for part in numbers[number].tolist()}
        return GpuBackend(config.observe_rules, source.varies, pool, of_group, workers, memory)

    def freeze() -> FrozenPolicy | FrozenPolicies:
        policy = learner.policy
        if gpu is None or not isinstance(policy, ActorCritic):
            return learner.freeze()
        return FrozenPolicies([policy, *pool.frozen_policies], policy.precision, memory)

    return SelfPlay(
        learner=learner,
        freeze=freeze,
        pool=pool,
        groups=[
            GameGroup(number, games.copy(groups[number]), source, pool, buffer, shown, backend_of(number, source))
            for number, source, buffer, shown in zip(mine, sources, rollout.buffers, cloning.groups, strict=True)
        ],
        group_sizes=[len(rows) for rows in groups],
        rollout=rollout,
        cloning=cloning,
        reward=Reward(config.reward, config.final_reward, config.players, len(config.sides)),
        workers=workers,
        by_turns=gpu is not None,
        processes=processes,
    )
