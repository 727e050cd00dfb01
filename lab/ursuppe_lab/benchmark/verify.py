"""Checks the results of a task that somebody else has sent: every game is played again."""

import hashlib
import math
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from pathlib import Path
from random import SystemRandom
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.asking import AgentError
from ursuppe_env import Games
from ursuppe_env.jobs import run_jobs
from ursuppe_env.line import quoted
from ursuppe_env.parsing import first_difference
from ursuppe_env.records import Record, read_records
from ursuppe_env.rules.actions import NO_ACTION, Actions, actions_for
from ursuppe_lab.arena.matches import Matches, Observer, seat_agents
from ursuppe_lab.arena.play import records_of, rows_of
from ursuppe_lab.arena.tournament import MatchBatch, Tournament
from ursuppe_lab.benchmark.budget import COUNTED_COLUMNS, SIMULATED, Cast, with_simulated
from ursuppe_lab.benchmark.entry import Entry, entry_digest
from ursuppe_lab.benchmark.figures import figures_of
from ursuppe_lab.benchmark.results import RECORDS, read_results
from ursuppe_lab.benchmark.run import with_predictions
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.reports.text import as_json

_AGENT_PLAYS_AGAIN = 10  # one batch of so many
_NOT_PLAYED = ("milliseconds", "forfeits")  # figures that no replay can tell


class _OtherwiseError(Exception):
    """A game goes otherwise than its record says."""


@dataclass(frozen=True)
class _Part:
    """Some games and what their records say; it is picklable."""

    batch: MatchBatch
    cast: Cast  # without the agent at hand, only those of the exploiters that need nothing but their files
    repeated: frozenset[str]  # names of those that do as the records say
    first: int  # number of the first game in the file, from 1
    records: list[Record]  # of the games


def verify(
    folder: Path, spec: str | None = None, workers: int | None = None, on_progress: Callable[[int], None] | None = None
) -> Iterator[str]:
    """What is wrong with the results in a folder, in words, as soon as it is found; nothing if all is right.

    No code that the results name is run. All games are played again: with the dice of the task, the opponents' actions
    computed anew, and the agent's as the records say. The figures come from these games.

    Args:
        folder: with ``results.json`` and ``records.jsonl.gz``.
        spec: of the agent, if it is at hand: in a tenth of the games its actions are computed anew, too; with a budget
            in all of them, and what it simulates is counted again; what it predicts is scored anew, if the task asks.
        workers: processes; None: one per core.
        on_progress: called with the number of games that were checked.

    Raises:
        ValueError: the folder has no results that could be checked, or those of another task or version; or the spec
            describes no agent.
        OSError: they cannot be read.
    """
    results = read_results(folder)
    task, entry = results.of_task, results.entry
    opponent = entry.name if entry.name in task.opponents else None  # whoever has its name must be the same
    for agent in filter(None, (spec, opponent)):
        if (digest := entry_digest(agent, task.players, task.opponents)) != entry.digest:
            yield f"the agent {agent} has the digest {digest}; that of the results is {quoted(entry.digest)}"
            return
    if task.budget is not None and ((counted := results.found.simulated) is None or counted.maximum > task.budget):
        yield f"figures: simulated is {results.figures.get(SIMULATED)}; {task.name} allows {task.budget:,} a decision"
    content = (folder / RECORDS).read_bytes()
    if hashlib.sha256(content).hexdigest() != results.records:
        yield f"{RECORDS} is another file than the one that {results.task} was told of: its digest differs"
    tournaments = task.tournaments(entry, results.development)
    total = sum(tournament.total_games for tournament in tournaments)
    records = list(read_records(folder / RECORDS))
    if len(records) != total:
        yield f"there are {len(records):,} games; the task has {total:,}"
        return
    done: dict[int, pl.DataFrame] = {}
    checked = 0
    with closing(run_jobs(_checked, _parts(task, tournaments, entry, spec, folder, records), workers)) as checks:
        for part, (rows, problems) in checks:
            yield from problems
            done[part.first] = rows
            checked += len(part.records)
            if on_progress is not None:
                on_progress(checked)
    games = pl.concat([done[first] for first in sorted(done)])
    if len(games) < len(records):
        return
    found = figures_of(task, entry, games)
    figures = as_json(found if spec is None else with_predictions(found, task, spec))
    unknown = [*_NOT_PLAYED]
    if spec is None:
        unknown += [SIMULATED] * (task.budget is not None) + ["brier"] * (task.logs is not None)
    for name in dict.fromkeys([*figures, *results.figures]):
        differs = first_difference(name, results.figures.get(name), figures.get(name), _are_alike)
        if name not in unknown and differs is not None:
            where, said, given = differs
            yield f"figures: {where} is {said}; the games give {given}"


def _are_alike(one: Any, other: Any) -> bool:
    """Are two numbers, or texts, equal but for rounding? Processors add up in other orders."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def _parts(
    task: Task, tournaments: list[Tournament], entry: Entry, spec: str | None, folder: Path, records: list[Record]
) -> Iterator[_Part]:
    own = entry.model_copy(update={"spec": spec or entry.spec}).specs(task.opponents)
    exploiters: dict[str, str] = {}
    repeated = frozenset(own)
    if task.exploiters is not None and task.guests(entry):
        exploiters = task.exploiters.policies(folder) if spec is None else task.exploiters.specs(spec, folder)
        if spec is None:  # how it plays depends on the agent
            repeated |= {task.exploiters.search}
    cast = Cast(own, exploiters, task.budget)
    first = 0
    batches = [*chain.from_iterable(tournament.batches() for tournament in tournaments)]
    drawn = SystemRandom().sample(range(len(batches)), -(-len(batches) // _AGENT_PLAYS_AGAIN))  # not known before
    for number, batch in enumerate(batches):
        size = sum(1 for _ in batch.games())
        plays_again = spec is not None and (task.budget is not None or number in drawn)
        told = frozenset() if plays_again else repeated
        yield _Part(batch, cast, told, first + 1, records[first : first + size])
        first += size


def _checked(part: _Part) -> tuple[pl.DataFrame, list[str]]:
    """The rows of these games, played again, and what differs in their records; no rows if a game goes otherwise."""
    told = _Told(part)
    matches = seat_agents(part.batch, make=told.agent)
    told.matches = matches
    try:
        rows = rows_of(part.batch, matches, told)
    except (_OtherwiseError, AgentError) as error:
        return pl.DataFrame(schema=COUNTED_COLUMNS), [str(error)]
    played = records_of(part.batch.tournament, rows)
    found = enumerate(map(_difference, part.records, played), part.first)
    return with_simulated(rows, matches), [f"game {number}: {difference}" for number, difference in found if difference]


class _Told(Observer):
    """Compares what is played with what the records say."""

    matches: Matches  # that are played

    def __init__(self, part: _Part) -> None:
        self._part = part
        table = actions_for(part.batch.tournament.ruleset.players)
        self._actions = [_ids(table, record) for record in part.records]
        self.taken_in = np.zeros(len(part.records), np.int64)  # decisions of each game so far

    def agent(self, name: str, generator: np.random.Generator) -> Agent:
        """The agent of a name in the seats."""
        is_repeated = name in self._part.repeated
        return _Repeating(generator, self) if is_repeated else self._part.cast.agent(name, generator)

    def said(self, row: int) -> int:
        """The action that is next in the record of a game; ``NO_ACTION`` if there is none."""
        actions, number = self._actions[row], int(self.taken_in[row])
        return actions[number] if number < len(actions) else NO_ACTION

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        seats, legal = games.player[rows].tolist(), games.copy(rows).legal()
        for place, (row, action, seat) in enumerate(zip(rows.tolist(), actions.tolist(), seats, strict=True)):
            said, number = self.said(row), int(self.taken_in[row]) + 1
            if said == NO_ACTION:
                raise _OtherwiseError(f"game {self._part.first + row}: decision {number} is missing or no action")
            where = f"game {self._part.first + row}: decision {number}, of player {seat}"
            if not legal[place, said]:
                raise _OtherwiseError(f"{where}: {games.actions.text(said, seat)} is not legal")
            if said != action:
                takes, says = games.actions.text(action, seat), games.actions.text(said, seat)
                name = self.matches.specs[self.matches.seating[row, seat]]
                raise _OtherwiseError(f"{where}: {name} takes {takes}, and the record says {says}")

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.taken_in[rows] += 1


class _Repeating(Agent):
    """Does as the records say."""

    def __init__(self, generator: np.random.Generator, told: _Told) -> None:
        super().__init__(generator)
        self._told = told

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.array([self._told.said(row) for row in rows.tolist()], np.int64)


def _ids(table: Actions, record: Record) -> list[int]:
    """The actions of a game; none from the first one on that does not exist."""
    ids: list[int] = []
    with suppress(ValueError):
        for event in record.events:
            if len(event) == 3:
                ids.append(table.id(event[2], event[1]))
    return ids


def _difference(told: Record, played: Record) -> str | None:
    """Where a record differs from that of the game that was played again."""
    for number, (said, happened) in enumerate(zip_longest(told.events, played.events), 1):
        if said != happened:
            return f"event {number} is {said}; the dice of the task give {happened}"
    if told.result != played.result:
        return f"the result is {told.result}; it must be {played.result}"
    if told.agents != played.agents:
        return f"the agents are {told.agents}; they must be {played.agents}"
    if replace(told, layout=None) != replace(played, layout=None):
        return "what it says beside events, agents and result differs"
    return None
