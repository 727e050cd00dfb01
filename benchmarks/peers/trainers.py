"""The trainers: this project's, and its peers', each with its own loop and its own update."""

import ast
import configparser
import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn
from torch.distributions.categorical import Categorical

from peers.job import THREADS, MaskedGames, Measured, Times, Watch, decisions, vec_env
from ursuppe_agents.policies.board.inputs import board_inputs
from ursuppe_agents.policies.board.rules import standardised_rules
from ursuppe_agents.policies.board.weights import WIN
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.state import STATE
from ursuppe_training.config import TrainingConfig
from ursuppe_training.networks.board import board_tensors
from ursuppe_training.networks.critic import predicted_outcomes
from ursuppe_training.networks.files import new_policy
from ursuppe_training.runs.trainer import Trainer

Train = Callable[[TrainingConfig], Measured]

_ILLEGAL = -1e8  # a logit; finite, since a peer's entropy would be none with an infinite one

CLEANRL_SCRIPT = Path("cleanrl", "ppo.py")  # in its repository


class Network(nn.Module):
    """The actor and the critic of ``ursuppe train``, with what the peers call; it reads states, no masks."""

    def __init__(self, config: TrainingConfig) -> None:
        super().__init__()
        self.policy = new_policy(config)
        self._rulesets = (config.ruleset,)
        self._rules = standardised_rules(self._rulesets)
        self._num_actions = len(actions_for(config.players))

    def forward(self, seen: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, A) logits, and (B, 1) rewards that the critic predicts: from 1 for a sure win to -1 / (P - 1)."""
        states = seen[:, : STATE.itemsize]
        games = trusted_games(states.numpy().astype(np.uint8).view(STATE)[:, 0], self._rulesets, threads=1)
        tensors = board_tensors(board_inputs(games), self._rules)
        of_legal, scores = self.policy(tensors)
        logits = of_legal.new_full((len(states), self._num_actions), _ILLEGAL)
        logits[tensors.row, tensors.inputs["actions"]] = of_legal
        outcomes = predicted_outcomes(scores)  # (B, P, 3)
        players = outcomes.shape[1]
        return logits, (outcomes[:, :1, WIN] * players - 1) / (players - 1)

    forward_eval = forward  # PufferLib's name, without gradients

    def forward_actor(self, states: torch.Tensor) -> torch.Tensor:
        """What SB3 takes for the input of its last layer."""
        return self(states)[0]

    def forward_critic(self, states: torch.Tensor) -> torch.Tensor:
        return self(states)[1]


def num_weights(network: nn.Module) -> int:
    """How many numbers it learns."""
    return sum(weights.numel() for weights in network.parameters())


def ursuppe(config: TrainingConfig) -> Measured:
    """``ursuppe train``."""
    trainer = Trainer(config, "cpu", THREADS)
    found = _measured(trainer.self_play, "collect", trainer.ppo, "update", trainer.run)
    return Measured(found, num_weights(trainer.policy))


class PolicyOfSB3(MaskableActorCriticPolicy):
    """The same actor and critic, asked as sb3-contrib asks its own."""

    def __init__(self, *spaces_and_schedule: Any, config: TrainingConfig, **settings: Any) -> None:
        self._config = config
        super().__init__(*spaces_and_schedule, **settings)

    def _build(self, lr_schedule: Any) -> None:
        self.mlp_extractor = Network(self._config)
        self.action_net, self.value_net = nn.Identity(), nn.Identity()
        self.optimizer = torch.optim.Adam(self.parameters(), lr_schedule(1), eps=1e-5, fused=True)


def sb3_contrib(config: TrainingConfig) -> Measured:
    """MaskablePPO as it is."""
    model = MaskablePPO(
        PolicyOfSB3,
        vec_env(config),
        learning_rate=config.learning_rate,
        n_steps=config.rollout,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        policy_kwargs={"config": config},
        seed=config.seed,
        device="cpu",
    )
    found = _measured(model, "collect_rollouts", model, "train", partial(model.learn, config.steps))
    return Measured(found, num_weights(model.policy))


def _measured(collector: Any, collect: str, learner: Any, learn: str, train: Callable[[], Any]) -> list[Times]:
    """What the method ``collect`` of one object and ``learn`` of the other take in a training."""
    watch = Watch()

    def watched(method: Callable[..., Any], begins: Callable[[], None]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            begins()
            return method(*args, **kwargs)

        return call

    with (
        mock.patch.object(collector, collect, watched(getattr(collector, collect), watch.collecting)),
        mock.patch.object(learner, learn, watched(getattr(learner, learn), watch.updating)),
    ):
        train()
        return watch.stop()


class Agent(Network):
    """In place of the class of this name in CleanRL's ``ppo.py``, with the same methods."""

    def __init__(self, config: TrainingConfig, watch: Watch) -> None:
        super().__init__(config)
        self._watch = watch

    def get_value(self, x: torch.Tensor) -> torch.Tensor:
        return self(x)[1]

    def get_action_and_value(self, x: torch.Tensor, action: torch.Tensor | None = None) -> tuple[torch.Tensor, ...]:
        (self._watch.collecting if action is None else self._watch.updating)()
        logits, value = self(x)
        policy = Categorical(logits=logits)
        if action is None:
            action = policy.sample()
        return action, policy.log_prob(action), policy.entropy(), value


def cleanrl(config: TrainingConfig, repository: Path) -> Measured:
    """CleanRL's ``ppo.py`` in a clone of its repository: the script is executed whole, but for its ``Agent``."""
    settings = {
        "seed": config.seed,
        "total-timesteps": config.steps,
        "learning-rate": config.learning_rate,
        "num-envs": config.envs,
        "num-steps": config.rollout,
        "gamma": 1.0,
        "gae-lambda": config.gae_lambda,
        "num-minibatches": decisions(config) // config.batch_size,
        "update-epochs": config.epochs,
        "clip-coef": config.clip_range,
        "ent-coef": config.entropy,
    }
    arguments = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    script = repository / CLEANRL_SCRIPT
    program = ast.parse(script.read_text(encoding="utf-8"))
    program.body = [part for part in program.body if not (isinstance(part, ast.ClassDef) and part.name == "Agent")]
    watch = Watch()
    agent = Agent(config, watch)
    names = {"__name__": "__main__", "__file__": str(script), "Agent": lambda envs: agent}
    with (
        _aside(),
        mock.patch.object(sys, "argv", [str(script), *arguments, "--no-cuda"]),
        mock.patch("gymnasium.vector.SyncVectorEnv", return_value=MaskedGames(config)),
    ):
        exec(compile(program, str(script), "exec"), names)
        times = watch.stop()
    return Measured(times, num_weights(agent))


def pufferlib(config: TrainingConfig) -> Measured:
    """``PuffeRL`` of PufferLib 3: its loop, with its ``Adam`` and otherwise its own settings."""
    with _aside():
        library = importlib.import_module("pufferlib")
        pufferl = importlib.import_module("pufferlib.pufferl")

        class PufferGames(library.PufferEnv):
            """All games as one environment of N agents, which writes into the library's arrays."""

            def __init__(self) -> None:
                self.games = MaskedGames(config)
                self.single_observation_space = self.games.single_observation_space
                self.single_action_space = self.games.single_action_space
                self.num_agents = config.envs
                super().__init__()

            def reset(self, seed: int | None = None) -> tuple[Any, list[Any]]:
                self.observations[:], _ = self.games.reset()
                return self.observations, []

            def step(self, actions: Any) -> tuple[Any, ...]:
                self.observations[:], self.rewards[:], self.terminals[:], *_ = self.games.step(actions)
                return self.observations, self.rewards, self.terminals, self.truncations, []

            def close(self) -> None:
                """Nothing to close."""

        settings = {
            **_puffer_defaults(Path(library.__file__).parent),
            "env": "ursuppe",
            "use_rnn": False,
            "device": "cpu",
            "seed": config.seed,
            "optimizer": "adam",
            "adam_eps": 1e-5,
            "total_timesteps": 2 * config.steps,  # at their end it would write a checkpoint
            "learning_rate": config.learning_rate,
            "gamma": 1.0,
            "gae_lambda": config.gae_lambda,
            "update_epochs": config.epochs,
            "clip_coef": config.clip_range,
            "ent_coef": config.entropy,
            "bptt_horizon": config.rollout,
            "minibatch_size": config.batch_size,
        }
        policy, watch = Network(config), Watch()
        trainer = pufferl.PuffeRL(settings, PufferGames(), policy)
        torch.set_float32_matmul_precision("highest")  # as everywhere else; it has asked for less
        while trainer.global_step < config.steps:
            watch.collecting()
            trainer.evaluate()
            watch.updating()
            trainer.train()
        times = watch.stop()
        trainer.utilization.stop()
    return Measured(times, num_weights(policy))


def _puffer_defaults(folder: Path) -> dict[str, Any]:
    """The settings of training that come with PufferLib."""
    parser = configparser.ConfigParser()
    parser.read(folder / "config" / "default.ini")
    settings: dict[str, Any] = dict(parser["train"])
    for name, text in settings.items():
        with contextlib.suppress(ValueError, SyntaxError):  # what is no literal is a text
            settings[name] = ast.literal_eval(text)
    return settings


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """In an empty folder, where it may write, with nothing on the screen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        open(os.devnull, "w") as nothing,
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(nothing),
    ):
        yield
