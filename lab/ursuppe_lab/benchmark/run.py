"""Plays a task with an agent."""

import hashlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Predictor, evaluator_of
from ursuppe_agents.registry import make_agent
from ursuppe_env.records.format import encode_records
from ursuppe_lab.arena.matches import keys_of, seat_agents, try_agents
from ursuppe_lab.arena.play import records_of, rows_of
from ursuppe_lab.arena.tournament import MatchBatch, Tournament
from ursuppe_lab.benchmark.budget import COUNTED_COLUMNS, Metered, check_countable, with_simulated
from ursuppe_lab.benchmark.entry import Entry
from ursuppe_lab.benchmark.figures import Figures, figures_of
from ursuppe_lab.benchmark.page import page_of
from ursuppe_lab.benchmark.results import RECORDS, RESULTS, Results, figures_as_json
from ursuppe_lab.benchmark.table import row_of
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.jobs.folder import RunFolder
from ursuppe_lab.jobs.parts import do_parts
from ursuppe_lab.jobs.runner import run_jobs

ROW, PAGE = "row.md", "report.html"
_GAMES_IN_A_PIECE = 512


@dataclass(frozen=True)
class _Part:
    """Some games of a run; it is picklable."""

    number: int
    batch: MatchBatch
    own: dict[str, str]  # specs of the agent, by its names in the seats
    exploiters: dict[str, str]  # the same of who is trained against it, or knows it
    budget: int | None

    def agent(self, name: str, generator: np.random.Generator) -> Agent:
        """The agent of a name in the seats."""
        if name not in self.own:
            return make_agent(self.exploiters.get(name, name), generator)
        agent = make_agent(self.own[name], generator)
        return agent if self.budget is None else Metered(generator, agent, self.budget)


def run_task(
    task: Task,
    entry: Entry,
    folder: Path,
    development: bool = False,
    workers: int | None = None,
    ray: bool = False,
    on_progress: Callable[[int], None] | None = None,
    say: Callable[[str], None] = lambda line: None,
    on_training: Callable[[int, int], None] = lambda learned, total: None,
) -> Results:
    """Play a task, or what is left of it, and write the results into a folder.

    Args:
        task: what to play.
        entry: who plays.
        folder: for ``results.json``, ``records.jsonl.gz``, ``row.md`` and ``report.html``. Parts are kept there as soon
            as they are done, so that the same call resumes an interrupted run.
        development: play on the dice that are the same for all agents.
        workers: processes; None: one per core.
        ray: play on a Ray cluster instead.
        on_progress: called with the number of games that are over.
        say: prints a line about the training of exploiters.
        on_training: called with the decisions that these learned from, and how many there will be.

    Raises:
        AgentError: the agent crashed, gave an illegal action, or simulated more than the task allows.
        ValueError: the agent does not play such games, its name is that of an opponent that is another agent, or the
            folder belongs to something else.
        MissingExtraError: the task trains exploiters, and the extra ``train`` is not installed.
        OSError: the folder cannot be read or written.
    """
    tournaments = task.tournaments(entry, development)
    if task.budget is not None:
        check_countable(entry.spec)
    own, guests = entry.specs(task.opponents), task.guests(entry)
    try_agents(tournaments[0], [*own.values(), *task.met_by(entry.name)])
    settings = {**tournaments[0].as_dict(), "task": task.name, "task_digest": task.digest, "entry": entry.model_dump()}
    kept = RunFolder(folder, settings, COUNTED_COLUMNS)
    exploiters = {}
    if task.exploiters is not None and guests:
        task.exploiters.train(entry.spec, task.ruleset, folder, workers, say, on_training)
        exploiters = task.exploiters.specs(entry.spec, folder)
    batches = chain.from_iterable(tournament.batches() for tournament in tournaments)
    parts = (_Part(number, batch, own, exploiters, task.budget) for number, batch in enumerate(batches))
    games = do_parts(_play, parts, lambda part: keys_of(part.batch), kept, workers, ray, on_progress)
    figures = with_predictions(figures_of(task, entry, games), task, entry.spec)
    records = _records(tournaments, games, workers)
    kept.write(RECORDS, records)
    results = results_of(task, entry, development, records, figures)
    kept.write(ROW, f"{row_of([results]).in_markdown()}\n".encode())
    kept.write(PAGE, page_of(task, results).encode())
    kept.write(RESULTS, results.encoded())
    return results


def with_predictions(figures: Figures, task: Task, spec: str) -> Figures:
    """The figures, with the score of what the agent predicts, if it does and the task asks for it."""
    if task.logs is None:
        return figures
    predictor = evaluator_of(make_agent(spec, 0))
    if not isinstance(predictor, Predictor):
        return figures
    return figures._replace(brier=task.logs.brier_scores(predictor, task.ruleset))


def results_of(task: Task, entry: Entry, development: bool, records: bytes, figures: Figures) -> Results:
    """The content of ``results.json``."""
    return Results(
        task=task.name,
        task_digest=task.digest,
        entry=entry,
        development=development,
        records=hashlib.sha256(records).hexdigest(),
        figures=figures_as_json(figures),
    )


def _play(part: _Part) -> pl.DataFrame:
    matches = seat_agents(part.batch, make=part.agent)
    return with_simulated(rows_of(part.batch, matches), matches)


def _records(tournaments: list[Tournament], games: pl.DataFrame, workers: int | None) -> bytes:
    """The content of the file of records: pieces of gzip, one after the other, are one."""
    of_each = games.iter_slices(len(games) // len(tournaments))
    pairs = zip(tournaments, of_each, strict=True)
    cut = ((tournament, rows) for tournament, played in pairs for rows in played.iter_slices(_GAMES_IN_A_PIECE))
    slices = [(tournament, number, rows) for number, (tournament, rows) in enumerate(cut)]
    with closing(run_jobs(_encoded, slices, workers)) as pieces:
        encoded = {number: piece for (_, number, _), piece in pieces}
    return b"".join(encoded[number] for number in range(len(slices)))


def _encoded(piece: tuple[Tournament, int, pl.DataFrame]) -> bytes:
    tournament, _, rows = piece
    return encode_records(records_of(tournament, rows), compress=True)
