"""What a training run is made of."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ursuppe_agents.registry import check_module, make_agent, module_of
from ursuppe_env import Ruleset
from ursuppe_env.envs.rewards import check_reward
from ursuppe_env.parsing import parse_toml

#: Whose decisions are learned from: those of all seats that the present policy has in a game, or of one of them.
LEARNERS = ("every_seat", "one_seat")
#: Opponents that are no agents of the registry.
SELF = "self"  # the present policy
SNAPSHOTS = "snapshots"  # one of its past states

_OF_AGENTS = ("opponents", "teachers", "evaluation_pool")  # settings that have codes
_PRESETS = Path(__file__).with_name("presets")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings of a training run; every one is checked.

    Raises:
        ValueError: a setting is out of its range; the message begins with its name.
    """

    # What is played
    players: int = 4
    edition: str = "1998"
    reward: str = "win"  # at first: "win", "rank" or "margin"
    final_reward: str = "win"  # at the end; in between it is a mixture of both
    seed: int = 0  # of the games, the network and the order of the samples
    learner: str = "every_seat"  # or "one_seat"
    # How likely each is to have a seat, beside the one that the learner has in each game: "self", "snapshots" or the
    # code of an agent; weights of any sum.
    opponents: dict[str, float] = field(default_factory=lambda: {SELF: 1.0})
    whole_tables: float = 0.0  # part of the games in which one draw is for all other seats together
    # Those opponents whose decisions the policy learns to take as well, with a weight that falls from 1 to 0 over this
    # part of the run.
    teachers: tuple[str, ...] = ()
    teaching: float = 0.2
    snapshots: int = 8  # so many past states are kept
    snapshot_every: int = 500_000  # decisions

    # How long
    steps: int = 4_000_000  # decisions to learn from, rounded up to whole rollouts
    minutes: float = math.inf  # or until so much time is over; a run with a limit that matters cannot be repeated
    envs: int = 256  # games at once
    rollout: int = 64  # decisions to learn from in each of them, on average, between two updates

    # How it is learned
    batch_size: int = 2048
    epochs: int = 2
    learning_rate: float = 1e-3  # at first
    final_learning_rate: float = 0.0  # at the end; in between it follows a straight line
    entropy: float = 0.01  # weight of the bonus for varied play, at first
    final_entropy: float = 0.01  # and at the end
    gamma: float = 1.0  # a game has about 80 decisions of each player and its reward at the end
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    shared_layers: tuple[int, ...] = ()  # of the part that policy and value network have in common
    layers: tuple[int, ...] = (128, 128)  # of each of both behind it

    # What is kept on the way
    checkpoint_every: int = 1_000_000  # decisions
    checkpoints: int = 3  # so many last ones are kept
    evaluate_every: int = 2_000_000  # decisions
    evaluation_games: int = 400  # against each of the pool, for each way of playing
    evaluation_pool: tuple[str, ...] = ("random", "hunter", "greedy")  # agents; three of one at each table

    def __post_init__(self) -> None:
        _ = self.ruleset  # checks players and edition
        for name in ("reward", "final_reward"):
            _check_reward(name, getattr(self, name))
        if self.learner not in LEARNERS:
            raise ValueError(f"learner is {self.learner!r}; it must be one of {', '.join(map(repr, LEARNERS))}")
        self._check_opponents()
        self._check_teachers()
        for name, least in _LEAST.items():
            self._check_integer(name, least)
        # Below 2**32, because NumPy's global generator, which Stable-Baselines3 seeds, takes no more.
        self._check("seed", lambda value: value < 2**32, "less than 2**32")
        self._check("minutes", lambda value: value > 0, "a number greater than 0")
        self._check("learning_rate", lambda value: 0 < value < math.inf, "a number greater than 0")
        for name in ("final_learning_rate", "entropy", "final_entropy"):
            self._check(name, lambda value: 0 <= value < math.inf, "a number of at least 0")
        for name in ("whole_tables", "gamma", "gae_lambda", "teaching"):
            self._check(name, lambda value: 0 <= value <= 1, "a number from 0 to 1")
        self._check("clip_range", lambda value: 0 < value < 1, "a number between 0 and 1")
        for name in ("shared_layers", "layers"):
            layers = getattr(self, name)
            if not isinstance(layers, tuple) or any(not _is_integer(width) or width < 1 for width in layers):
                raise ValueError(f"{name} is {layers!r}; it must be a tuple of integers of at least 1")
        if not isinstance(self.evaluation_pool, tuple):
            raise ValueError(f"evaluation_pool is {self.evaluation_pool!r}; it must be a tuple of codes of agents")
        for code in self.evaluation_pool:
            _check_code("evaluation_pool", code)

    @property
    def modules(self) -> list[str]:
        """Those that the settings name agents of, beside the agents that are registered."""
        found = (module_of(code) for _, code in _codes(self.as_dict()))
        return sorted({module for module in found if module is not None})

    @property
    def ruleset(self) -> Ruleset:
        """The numbers that are played with."""
        return Ruleset(players=self.players, edition=self.edition)

    def as_dict(self) -> dict[str, Any]:
        """The settings by name, as JSON and TOML can write them."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> "TrainingConfig":
        """The settings as ``as_dict`` gives them, or some of them; the others have their defaults.

        Raises:
            ValueError: one is unknown, or out of its range; the message names it.
        """
        return cls().changed(settings)

    def changed(self, settings: Mapping[str, Any]) -> "TrainingConfig":
        """These settings with some others.

        Raises:
            ValueError: one is unknown, or out of its range; the message names it.
        """
        known = [one.name for one in fields(self)]
        for name in settings:
            if name not in known:
                raise ValueError(f"there is no setting {name!r}; there are {', '.join(known)}")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
        }
        return replace(self, **values)

    def _check_opponents(self) -> None:
        weights = self.opponents
        if not isinstance(weights, dict) or not weights:
            raise ValueError(f"opponents is {weights!r}; it must be a table of weights, such as {{self = 1.0}}")
        for name, weight in weights.items():
            if not _is_number(weight) or not 0 <= weight < math.inf:
                raise ValueError(f"opponents.{name} is {weight!r}; it must be a number of at least 0")
            if name not in (SELF, SNAPSHOTS):
                _check_code("opponents", name)
        if sum(weights.values()) == 0:
            raise ValueError(f"opponents is {weights!r}; one of the weights must be more than 0")

    def _check_teachers(self) -> None:
        teachers = self.teachers
        if not isinstance(teachers, tuple) or any(name not in self.opponents or name == SELF for name in teachers):
            raise ValueError(f"teachers is {teachers!r}; it must be a tuple of names among opponents, without 'self'")
        if teachers and self.learner != "every_seat":
            raise ValueError(f"teachers is {teachers!r}; it needs learner 'every_seat'")

    def _check_integer(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not _is_integer(value) or value < least:
            raise ValueError(f"{name} is {value!r}; it must be an integer of at least {least}")

    def _check(self, name: str, is_right: Callable[[Any], bool], wanted: str) -> None:
        value = getattr(self, name)
        if not _is_number(value) or not is_right(value):
            raise ValueError(f"{name} is {value!r}; it must be {wanted}")


_LEAST = {
    "seed": 0,
    "snapshots": 1,
    "snapshot_every": 1,
    "steps": 1,
    "envs": 1,
    "rollout": 2,
    "batch_size": 2,
    "epochs": 1,
    "checkpoint_every": 1,
    "checkpoints": 1,
    "evaluate_every": 1,
    "evaluation_games": 1,
}


def preset_names() -> list[str]:
    """The presets that come with the package."""
    return sorted(file.stem for file in _PRESETS.glob("*.toml"))


def read_config(source: str, allowed_modules: Collection[str] = ()) -> TrainingConfig:
    """The settings of a preset, or of a TOML file, which need name only what differs from the defaults.

    Args:
        source: name of a preset, or path of a file that ends in ``.toml``.
        allowed_modules: those that the file may name agents of, as ``module:Class``: to make one, its module is
            imported, and that can do anything. A file alone names registered agents.

    Raises:
        OSError: the file cannot be read.
        ValueError: there is no such preset, or the file is no TOML, has a wrong setting, or names an agent of another
            module.
    """
    if not source.endswith(".toml") and source not in preset_names():
        names = ", ".join(preset_names())
        raise ValueError(f"there is no preset {source!r}; there are {names}, or give a file that ends in .toml")
    path = Path(source) if source.endswith(".toml") else _PRESETS / f"{source}.toml"
    try:
        settings = parse_toml(path.read_text(encoding="utf-8"))
        for name, code in _codes(settings):
            check_module(f"{name}: agent {code!r}", module_of(code), allowed_modules)
        return TrainingConfig.from_dict(settings)
    except ValueError as error:  # of TOML and of UTF-8, too
        raise ValueError(f"{source}: {error}") from error


def _codes(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What may be codes of agents, each with the setting that has it."""
    for name in _OF_AGENTS:
        codes = settings.get(name)
        if isinstance(codes, (dict, list)):
            yield from ((name, code) for code in codes if isinstance(code, str))


def _check_reward(setting: str, kind: object) -> None:
    try:
        check_reward(kind)
    except ValueError as error:
        raise ValueError(str(error).replace("reward", setting, 1)) from error


def _check_code(setting: str, code: object) -> None:
    try:
        if not isinstance(code, str):
            raise ValueError(f"{code!r} is no code of an agent")
        make_agent(code, 0)
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from error


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
