"""A task: opponents, rules and a number of games, under a name with a version. Nothing of it ever changes."""

import json
import tomllib
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from ursuppe_agents.policies.provenance import digest_of
from ursuppe_agents.registry import agent_spec
from ursuppe_agents.search.agent import search_against
from ursuppe_env import Ruleset
from ursuppe_env.teams import Partition
from ursuppe_lab.arena.lineups import TWO_AND_TWO, Lineup, make_lineups
from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.benchmark.entry import Entry
from ursuppe_lab.benchmark.logs import Logs
from ursuppe_lab.benchmark.rulesets import NEAR_TO_TRAIN_ON, TRAIN, encoded_lists, ruleset_lists
from ursuppe_lab.jobs.folder import origins_of

_TASKS = files("ursuppe_lab.benchmark") / "tasks"
_DEVELOPMENT = "development"
# Later: the digests of tasks that have none are as before.
_ADDED = ("budget", "rulesets_seed", "trained_rulesets", "logs", "exploiters")


class Exploiters(BaseModel):
    """Who attacks the agent of a task: policies that are trained against it, and a search that knows how it plays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decisions: int  # that each policy learns from
    seeds: tuple[int, ...]  # of their trainings; each begins with the weights of ``policy:default``
    search: str  # the spec of a search, to be used against the agent (``search_against``)

    @property
    def names(self) -> tuple[str, ...]:
        """In the seats."""
        return (*(f"exploiter-{seed}" for seed in self.seeds), self.search)

    def files(self, folder: Path) -> dict[int, Path]:
        """Where the policies are in the folder of a run, by seed."""
        return {seed: folder / "exploiters" / f"{seed}.zip" for seed in self.seeds}

    def policies(self, folder: Path) -> dict[str, str]:
        """The specs, by their names, of those that are trained."""
        return {
            f"exploiter-{seed}": agent_spec("policy", model=str(file), deterministic=True)
            for seed, file in self.files(folder).items()
        }

    def specs(self, spec: str, folder: Path) -> dict[str, str]:
        """The same of all of them, against an agent."""
        return self.policies(folder) | {self.search: search_against(self.search, spec)}


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
        rulesets_seed: of the lists of ``ursuppe_lab.benchmark.rulesets``, whose shells are played two and two; None:
            all games are played as printed, one among copies of another.
        trained_rulesets: how many ``near`` ones to train on are played, too; "visit" and "host" leave them out.
        budget: decisions that the agent may simulate at each of its own; None: nobody counts.
        logs: sets of games to learn from; None: there are none.
        exploiters: who is alone among copies of the agent, in place of the opponents; None: these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    question: str
    players: int
    edition: str
    teams: Partition | None = None
    opponents: tuple[str, ...]
    seeds: int
    budget: int | None = None
    rulesets_seed: int | None = None
    trained_rulesets: int | None = None
    logs: Logs | None = None
    exploiters: Exploiters | None = None

    @property
    def ruleset(self) -> Ruleset:
        """The rules as printed."""
        return Ruleset(players=self.players, edition=self.edition)

    @cached_property
    def rulesets(self) -> dict[str, tuple[Ruleset, ...]]:
        """Those to train on, and those to test on, by their list; none if all is played as printed."""
        return {} if self.rulesets_seed is None else ruleset_lists(self.players, self.rulesets_seed)

    @property
    def shells(self) -> dict[str, tuple[Ruleset, ...]]:
        """Those that are played, by their list: all to test on, then some to train on."""
        tested = {name: found for name, found in self.rulesets.items() if name != TRAIN}
        trained = self.trained_rulesets
        return tested if trained is None else {**tested, TRAIN: self.rulesets[TRAIN][NEAR_TO_TRAIN_ON][:trained]}

    @cached_property
    def digest(self) -> str:
        """Of all that decides what is played, the opponents' policies and the lists of rulesets included."""
        agents = [*self.opponents, *(self.logs.agents if self.logs else ())]
        policies = {name: origin.actor for name, origin in origins_of(agents, [self.players]).items()}
        added = {name for name in _ADDED if getattr(self, name) is None}
        lists = [digest_of(encoded_lists(self.rulesets))] if self.rulesets else []
        return digest_of(json.dumps([self.model_dump(exclude=added), policies, *lists], sort_keys=True))

    @property
    def sides(self) -> int:
        """How many agents meet in a game: players, or teams; two and two they are 2."""
        if self.rulesets_seed is not None:
            return 2
        return self.players if self.teams is None else len(self.teams)

    @property
    def chance(self) -> float:
        """Share of the games that each of equals wins."""
        return 1 / self.sides

    def met_by(self, agent: str) -> tuple[str, ...]:
        """The opponents but for the agent itself, if it is one of them: against itself it wins its share."""
        return tuple(opponent for opponent in self.opponents if opponent != agent)

    def guests(self, entry: Entry) -> tuple[str, ...]:
        """Who is alone among copies of the agent, in games of their own: the opponents or the exploiters."""
        if self.sides == 2 or entry.only_attacks:
            return ()
        return self.met_by(entry.name) if self.exploiters is None else self.exploiters.names

    def lineups(self, entry: Entry) -> tuple[Lineup, ...]:
        """The agent alone among copies of each opponent, and each guest alone among copies of the agent.

        Of two sides both are the same; with rulesets both have two seats, as neighbours and opposite.
        """
        met, guests, rest = self.met_by(entry.name), self.guests(entry), self.sides - 1
        if self.rulesets_seed is not None:
            pairs = [(entry.name_against(opponent), opponent) for opponent in met]
            return tuple(chain.from_iterable(make_lineups(pair, self.players, TWO_AND_TWO) for pair in pairs))
        alone = [(entry.name_against(opponent), *[opponent] * rest) for opponent in met]
        visited = [(guest, *[entry.name] * rest) for guest in guests]
        if guests == met:
            return tuple(chain.from_iterable(zip(alone, visited, strict=True)))
        return (*alone, *visited)

    def tournaments(self, entry: Entry, development: bool) -> list[Tournament]:
        """The games of an agent: one tournament, or one for each ruleset of the shells.

        The agent's digest and the task give the dice, so that nobody can choose them; in development they are the same
        for all agents. All lineups of a tournament have the same ones.

        Raises:
            ValueError: the agent's name is that of an opponent that is another agent, or of the only one; or it is
                another agent against each, and the task has no exploiters.
        """
        guests = () if self.exploiters is None else self.exploiters.names
        if entry.name in guests or (entry.name in self.opponents and entry.spec != entry.name):
            raise ValueError(f"name is {entry.name!r}, which is an opponent of {self.name}; give another")
        if entry.only_attacks and self.exploiters is None:
            raise ValueError(f"agent is {entry.spec!r}, one for each opponent; {self.name} takes the same for all")
        if not self.met_by(entry.name):
            raise ValueError(f"name is {entry.name!r}, which is the only opponent of {self.name}; give another")
        tournament = Tournament(
            lineups=self.lineups(entry),
            num_games=self.seeds * (self.players if self.teams is None else self.sides),
            ruleset=self.ruleset,
            seed=int(digest_of(f"{self.digest} {_DEVELOPMENT if development else entry.digest}")[:15], 16),
            teams=self.teams,
            keeps_actions=True,
        )
        if self.rulesets_seed is None:
            return [tournament]
        in_one_batch = self.seeds * self.players * len(tournament.lineups)
        return [
            replace(tournament, ruleset=ruleset, seed=tournament.seed + number, games_at_once=in_one_batch)
            for number, ruleset in enumerate(chain.from_iterable(self.shells.values()))
        ]


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
