"""The games of a training, and room for what is learned from them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ursuppe_agents.policies.rulesets import training_rulesets
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.outcomes import Reward
from ursuppe_training.opponents.pool import OpponentPool
from ursuppe_training.ppo.behaviour_cloning import BehaviourCloning
from ursuppe_training.ppo.game_group import GameGroup, groups_of
from ursuppe_training.ppo.learner import Learner
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
    workers: ThreadPoolExecutor,
    processes: Processes,
) -> SelfPlay:
    """The games that a policy learns from, at their beginning.

    Args:
        config: the settings of the run.
        rulesets: of the games.
        learner: whose policy plays.
        workers: threads that play, and ask agents.
        processes: that train together.
    """
    groups = groups_of(config.envs, processes.count)
    mine = range(processes.rank, len(groups), processes.count)
    sizes = [len(groups[number]) for number in mine]
    pool = OpponentPool(config, learner.policy, mine)

    given = rulesets[0] if len(rulesets) == 1 else list(rulesets)
    sources = [RulesetSource(given) for _ in mine]
    games = Games(config.envs, sources[0].rulesets, config.seed, threads=1)
    sources[0].begin(games, None, config.seed)

    rollout = Rollout(config.rollout, sizes, config.players, config.gae_lambda, processes)
    cloning = BehaviourCloning([config.rollout * size if config.teachers else 0 for size in sizes], processes)
    parts = zip(mine, sources, rollout.buffers, cloning.groups, strict=True)
    return SelfPlay(
        learner=learner,
        pool=pool,
        groups=[
            GameGroup(number, games.copy(groups[number]), source, pool, buffer, shown)
            for number, source, buffer, shown in parts
        ],
        group_sizes=[len(rows) for rows in groups],
        rollout=rollout,
        cloning=cloning,
        reward=Reward(config.reward, config.final_reward, config.players, len(config.sides)),
        workers=workers,
        processes=processes,
    )
