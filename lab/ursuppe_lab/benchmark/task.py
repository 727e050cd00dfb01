"""A task: opponents, rules and a number of games, under a name with a version. Nothing of it ever changes."""

import hashlib
import json
import tomllib
from functools import cached_property
from importlib.resources import files
from typing import Any

from pydantic import BaseModel, ConfigDict

from ursuppe_env import Ruleset
from ursuppe_env.teams import Partition
from ursuppe_lab.arena.lineups import Lineup
from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.jobs.origins import origins_of

_TASKS = files("ursuppe_lab.benchmark") / "tasks"
_DEVELOPMENT = "development"


class Task(BaseModel):
    """What an agent is asked, against whom.

    Attributes:
        name: with its version.
        question: that it answers.
        players: of each game.
        edition: of the rules.
        teams: the seats of each team; None: each seat for itself.
        opponents: specs of agents of the package.
        seeds: games of the dice that each lineup plays, once in each rotation of the seats (or teams).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    question: str
    players: int
    edition: str
    teams: Partition | None = None
    opponents: tuple[str, ...]
    seeds: int

    @cached_property
    def digest(self) -> str:
        """Of all that decides what is played, the opponents' policies included."""
        policies = {name: origin.digest for name, origin in origins_of(self.opponents, [self.players]).items()}
        return digest_of(json.dumps([self.model_dump(), policies], sort_keys=True))

    @property
    def sides(self) -> int:
        """How many agents meet in a game: players, or teams."""
        return self.players if self.teams is None else len(self.teams)

    @property
    def chance(self) -> float:
        """Share of the games that each of equals wins."""
        return 1 / self.sides

    def met_by(self, agent: str) -> tuple[str, ...]:
        """The opponents but for the agent itself, if it is one of them: against itself it wins its share."""
        return tuple(opponent for opponent in self.opponents if opponent != agent)

    def tournament(self, agent: str, digest: str, development: bool) -> Tournament:
        """The games of an agent.

        With each opponent it plays alone among copies of it, and the opponent alone among copies of the agent; of two
        sides both are the same. All lineups have the same dice.

        Args:
            agent: its name in the seats.
            digest: of the agent. With the task it gives the dice, so that nobody can choose them.
            development: play on the dice that are the same for all agents instead.
        """
        others = self.sides - 1
        lineups: list[Lineup] = []
        for opponent in self.met_by(agent):
            lineups.append((agent, *[opponent] * others))
            if others > 1:
                lineups.append((opponent, *[agent] * others))
        return Tournament(
            lineups=tuple(lineups),
            num_games=self.seeds * self.sides,
            ruleset=Ruleset(players=self.players, edition=self.edition),
            seed=int(digest_of(f"{self.digest} {_DEVELOPMENT if development else digest}")[:15], 16),
            teams=self.teams,
            keeps_actions=True,
        )


def digest_of(content: str | bytes) -> str:
    """16 hexadecimal digits of SHA-256."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:16]


def task_names() -> list[str]:
    """All tasks of the package."""
    return sorted(file.name.removesuffix(".toml") for file in _TASKS.iterdir())


def task_named(name: str) -> Task:
    """A task of the package.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in task_names():
        raise ValueError(f"task is {name!r}; it must be one of {', '.join(task_names())}")
    values: dict[str, Any] = tomllib.loads((_TASKS / f"{name}.toml").read_text(encoding="utf-8"))
    return Task(name=name, **values)
