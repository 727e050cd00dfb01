"""What a training run is made of."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, JsonValue, model_validator

from ursuppe_agents.policies.files import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from ursuppe_agents.policies.provenance import LARGEST_SEED, partition_of
from ursuppe_agents.policies.rulesets import RulesetsOfTraining
from ursuppe_agents.registry import check_foreign_code, foreign_code, make_agent
from ursuppe_agents.settings import Settings
from ursuppe_env import Ruleset
from ursuppe_env.envs.rewards import RewardKind
from ursuppe_env.parsing import read_toml
from ursuppe_env.rules.ruleset import NUMBERS, SWITCHES
from ursuppe_env.teams import Score, Teams, sides_of

#: Opponents that are no agents of the registry.
SELF = "self"  # the present policy
SNAPSHOTS = "snapshots"  # one of its past states
OF_THE_RUN = (SELF, SNAPSHOTS)

#: What an evaluation pool may have beside agents.
MIXED = "mixed"  # tables of different agents of the pool
BEST = "best"  # the best policy of the run until then

#: The settings that say what is kept and measured on the way; whatever they are, the same is learned.
NOT_LEARNED_BY = frozenset(
    [
        *("checkpoint_every", "checkpoints", "evaluate_every", "evaluation_games", "evaluation_pool", "report_games"),
        *("exploit_percent", "exploit_seeds", "temperature"),
    ]
)

_OF_AGENTS = ("opponents", "teachers", "evaluation_pool")  # settings that have specs of agents
_PRESETS = Path(__file__).with_name("presets")


def _agent_or(*names: str) -> AfterValidator:
    """Accepts these names, and the specs of agents."""

    def checked(name: str) -> str:
        if name not in names:
            make_agent(name, 0)
        return name

    return AfterValidator(checked)


_Count = Annotated[int, Field(ge=1)]
_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Fraction = Annotated[float, Field(ge=0, le=1)]
_Seed = Annotated[int, Field(ge=0, le=LARGEST_SEED)]
_Opponent = Annotated[str, _agent_or(*OF_THE_RUN)]
_Evaluated = Annotated[str, _agent_or(MIXED, BEST)]


class TrainingConfig(Settings):
    """The settings of a training run; every one is checked.

    Raises:
        ValueError: a setting is unknown or out of its range; the message begins with its name.
    """

    # What is played
    players: int = 4
    edition: str = "1998"
    # The seats of each team, such as "0+2,1+3": whoever plays a team plays all its colours. Nothing: each seat for
    # itself.
    teams: str = ""
    score: Score = "worst"  # which place is a team's: of its worst or best marker, or the sum of all
    ruleset_changes: dict[str, JsonValue] = {}  # the fields of the ruleset that differ from the edition
    # Are all games played with this one, or does each draw its own (``policies.rulesets``)? Evaluations are played
    # with this one in any case.
    rulesets: RulesetsOfTraining = "given"
    reward: RewardKind = "win"  # at first
    final_reward: RewardKind = "win"  # at the end; in between it is a mixture of both
    seed: _Seed = 0  # of the games, the network and the order of the samples
    # How likely each is drawn for a seat, beside the learner's own in each game: "self", "snapshots" or the spec of an
    # agent; weights of any sum.
    opponents: Annotated[dict[_Opponent, _Weight], Field(min_length=1, examples=["{self = 1.0}"])] = {SELF: 1.0}
    whole_tables: _Fraction = 0.0  # of the games, in which one draw is for all other seats together
    # Opponents whose decisions the policy learns by behaviour cloning, with a weight that falls from 1 to 0 over this
    # part of the run.
    teachers: Annotated[tuple[str, ...], Field(strict=False)] = ()
    teaching: _Fraction = 0.2
    snapshots: _Count = 8  # past states that are kept
    snapshot_every: _Count = 500_000  # decisions

    # How long
    steps: _Count = 4_000_000  # decisions to learn from, rounded up to whole rollouts
    # Or until this much time is over; a run that ends by time cannot be repeated exactly.
    minutes: Annotated[float, Field(gt=0)] = math.inf
    envs: _Count = 256  # games at once
    # Decisions to learn from in each of them, on average, between two updates.
    rollout: Annotated[int, Field(ge=2)] = 64

    # How it is learned
    batch_size: Annotated[int, Field(ge=2)] = 2048
    epochs: _Count = 2
    learning_rate: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1e-3  # at first
    final_learning_rate: _Weight = 0.0  # at the end; in between it follows a straight line
    entropy: _Weight = 0.01  # weight of the bonus for varied play, at first
    final_entropy: _Weight = 0.01  # and at the end
    gae_lambda: _Fraction = 0.95
    clip_range: Annotated[float, Field(gt=0, lt=1)] = 0.2
    # The file of a policy to begin from, or "default" or "duel", those that come with the package;
    # nothing: from weights drawn at random. It takes part in the choice of the best one.
    initial_policy: str = ""

    # What is kept on the way
    checkpoint_every: _Count = 1_000_000  # decisions
    checkpoints: _Count = 3  # the last ones, which are kept
    evaluate_every: _Count = 2_000_000  # decisions
    evaluation_games: _Count = 120  # at each table
    # Against whom the best policy is chosen: agents, three of one at each table; "mixed", tables of different ones of
    # them; "best", the best policy until then.
    evaluation_pool: Annotated[tuple[_Evaluated, ...], Field(strict=False)] = (
        "breeder",
        "hoarder",
        "hunter",
        "greedy",
        MIXED,
        BEST,
    )
    report_games: Annotated[int, Field(ge=0)] = 2000  # the same of the best policy at the end, on other dice; 0: none
    # Decisions of each best response to it that is trained then, in per cent of all that made it; 0: none.
    exploit_percent: Annotated[float, Field(ge=0, le=100)] = 5.0
    exploit_seeds: Annotated[tuple[_Seed, ...], Field(strict=False, min_length=1)] = (0,)  # a best response for each
    # At which the policies of the run draw their actions when they are evaluated, and from then on.
    temperature: Annotated[float, Field(ge=LOWEST_TEMPERATURE, le=HIGHEST_TEMPERATURE)] = 0.5

    @model_validator(mode="before")
    @classmethod
    def _refuse_fields_of_the_ruleset(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """Say where they belong."""
        for name in settings:
            if name in NUMBERS or name in SWITCHES:
                raise ValueError(
                    f"there is no setting {name!r}; it is a field of the ruleset, and those go into ruleset_changes, "
                    f"such as ruleset_changes={{{name} = ...}}, or into a file for --ruleset"
                )
        return settings

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        """Refuse settings that do not go together."""
        _ = self.ruleset  # checks players, edition, and what differs from it
        seen = self.sides.own_seats
        if (seen != seen[0]).any():
            raise ValueError(
                f"teams is {self.teams!r}; teams that learn must have as many seats each, which follow each other at "
                "the same distances, such as 0+2,1+3"
            )
        if not 0 < sum(self.opponents.values()) < math.inf:
            raise ValueError(f"opponents is {self.opponents!r}; the sum of the weights must be finite, and more than 0")
        if any(not self.opponents.get(name) or name == SELF for name in self.teachers):
            right = "it must have names among opponents, without 'self', whose weight is more than 0"
            raise ValueError(f"teachers is {self.teachers!r}; {right}")
        if self.rulesets == "varied" and self.ruleset_changes:
            raise ValueError(
                f"rulesets is 'varied' and ruleset_changes {self.ruleset_changes!r}; give one of them: evaluations of "
                "varied rulesets are played as printed"
            )
        check_pool("evaluation_pool", self.evaluation_pool)
        if len(set(self.exploit_seeds)) < len(self.exploit_seeds):
            raise ValueError(f"exploit_seeds is {list(self.exploit_seeds)}; it must not have one twice")
        return self

    @property
    def partition(self) -> Teams | None:
        """Who plays together, if there are teams."""
        return partition_of(self.teams, self.score, self.players)

    @property
    def sides(self) -> Teams:
        """The same; where there are no teams, each seat is a team of its own."""
        return sides_of(self.partition, self.players)

    @property
    def foreign_code(self) -> list[str]:
        """The modules and programs of agents beside those that are registered (``registry.foreign_code``)."""
        return sorted({code for _, spec in _specs(dict(self)) if (code := foreign_code(spec)) is not None})

    @property
    def ruleset(self) -> Ruleset:
        """The numbers that are played with."""
        return Ruleset.from_changes(self.players, self.edition, self.ruleset_changes)


def changed_settings(config: TrainingConfig, changes: Mapping[str, Any]) -> TrainingConfig:
    """Settings with some others. Among them an initial policy leaves out teachers that are not: they would make a
    beginner of it. So do opponents among whom they are not.

    Raises:
        ValueError: a setting is not possible.
    """
    opponents = changes.get("opponents")
    met = [name for name in config.teachers if not isinstance(opponents, Mapping) or opponents.get(name)]
    return config.changed({"teachers": [] if changes.get("initial_policy") else met, **changes})


def check_pool(name: str, pool: Sequence[str]) -> None:
    """Refuse a pool of this name against which no policy could be evaluated.

    Raises:
        ValueError: there is no agent, one is named twice, or too few are there to be mixed.
    """
    agents = [spec for spec in pool if spec not in (MIXED, BEST)]
    twice = next((spec for spec in pool if pool.count(spec) > 1), None)
    if twice is not None:
        raise ValueError(f"{name} is {list(pool)}; it has {twice} twice")
    least = 2 if MIXED in pool else 1
    if len(agents) < least:
        needs = "at least one agent" if least == 1 else f"at least 2 agents, of which {MIXED!r} makes tables"
        raise ValueError(f"{name} is {list(pool)}; it must have {needs}")


def preset_names() -> list[str]:
    """The presets that come with the package."""
    return sorted(file.stem for file in _PRESETS.glob("*.toml"))


def read_config(source: str, allowed_code: Collection[str] = ()) -> TrainingConfig:
    """The settings of a preset, or of a TOML file, which need name only what differs from the defaults.

    Args:
        source: name of a preset, or path of a file that ends in ``.toml``.
        allowed_code: what the file may have run (``ursuppe_agents.registry.foreign_code``): modules that it names
            agents of, as ``module:Class``, and programs of ``process:COMMAND``. Both can do anything. A file alone
            names registered agents.

    Raises:
        OSError: the file cannot be read.
        ValueError: there is no such preset, or the file is no TOML, has a wrong setting, or names an agent of another
            module.
    """
    if not source.endswith(".toml") and source not in preset_names():
        names = ", ".join(preset_names())
        raise ValueError(f"there is no preset {source!r}; there are {names}, or give a file that ends in .toml")
    table = read_toml(Path(source) if source.endswith(".toml") else _PRESETS / f"{source}.toml")
    try:
        return config_of(table, allowed_code)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from error


def config_of(settings: Mapping[str, Any], allowed_code: Collection[str] = ()) -> TrainingConfig:
    """The settings that a file has; ``allowed_code`` is that of ``read_config``.

    Raises:
        ValueError: a setting is wrong, or names an agent of another module.
    """
    for name, spec in _specs(settings):
        check_foreign_code(f"{name}: agent {spec!r}", foreign_code(spec), allowed_code)
    return TrainingConfig(**settings)


def _specs(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What may be specs of agents, each with the setting that has it."""
    for name in _OF_AGENTS:
        specs = settings.get(name)
        if isinstance(specs, (dict, list, tuple)):
            yield from ((name, spec) for spec in specs if isinstance(spec, str))
