"""The policy that a run begins with, and what belongs to its learning."""

from collections.abc import Sequence
from concurrent.futures import Executor

from ursuppe_agents.policies.board.weights import Widths
from ursuppe_agents.policies.files import SavedBoardPolicy, read_policy
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_training.config import BOARD, SELF, TrainingConfig
from ursuppe_training.networks.actor_critic import ActorCritic
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.carried_weights import carry_weights
from ursuppe_training.networks.files import load_policy
from ursuppe_training.networks.initial_policy import OF_THE_NETWORK
from ursuppe_training.networks.who_plays import WhoPlays
from ursuppe_training.ppo.board_learner import BoardLearner
from ursuppe_training.ppo.dense_learner import DenseLearner
from ursuppe_training.ppo.learner import Learner
from ursuppe_training.processes import Processes

with extra("train"):
    import torch


def new_learner(
    config: TrainingConfig,
    rulesets: Sequence[Ruleset],
    device: torch.device,
    precision: torch.dtype,
    workers: Executor,
    processes: Processes,
    plays_on_gpu: bool,
) -> Learner:
    """What learns in a run with these settings, as it begins.

    Args:
        config: the settings.
        rulesets: of the games.
        device: where it computes.
        precision: in which products of dense layers are computed.
        workers: threads that compute slices.
        processes: that train together.
        plays_on_gpu: whether the games are on a GPU.

    Raises:
        OSError: the initial policy cannot be read.
        ValueError: it is damaged, or has another network.
    """
    policy = first_policy(config).to(device)
    if isinstance(policy, BoardPolicy):
        return BoardLearner(policy, rulesets, config.players, workers, processes)
    pool_names = len(dict.fromkeys([*config.opponents, SELF]))
    with torch.random.fork_rng(devices=[]):
        who_plays = WhoPlays(pool_names, config.critic_width).to(device)
    policy.precision = precision
    return DenseLearner(policy, who_plays, config, workers, processes, by_torch=plays_on_gpu)


def first_policy(config: TrainingConfig) -> ActorCritic | BoardPolicy:
    """The policy that a run with these settings begins with, on the processor; raises what ``new_learner`` does."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        if config.network == BOARD:
            return _board_policy(config)
        policy = ActorCritic(config)
        policy.initialise()
        if config.initial_policy:
            _begin_from(policy, config)
        return policy


def _board_policy(config: TrainingConfig) -> BoardPolicy:
    policy = BoardPolicy(Widths(), (config.players,), config.partition)
    if config.initial_policy:
        saved = read_policy(policy_path(config.initial_policy, config.players))
        if not isinstance(saved, SavedBoardPolicy):
            raise ValueError(
                f"initial_policy is {config.initial_policy!r}, whose network is dense; here network is {BOARD!r}, and "
                "must be the same"
            )
        policy.take(saved.weights.arrays)
    return policy


def _begin_from(policy: ActorCritic, config: TrainingConfig) -> None:
    """Give a policy the weights of its initial policy, which may be for another number of players."""
    initial, trained = load_policy(policy_path(config.initial_policy, config.players))
    for name in OF_THE_NETWORK:
        theirs, ours = getattr(trained, name), getattr(config, name)
        if theirs != ours:
            raise ValueError(
                f"initial_policy is {config.initial_policy!r}, of which {name} is {theirs!r}; "
                f"here it is {ours!r}, and must be the same"
            )
    if trained.players == config.players:
        policy.load_state_dict(initial.state_dict())
    else:
        carry_weights(initial, trained.players, policy, config.players, config.observe_rules)
