"""Plays a task with an agent."""

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import entry_points
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl

from ursuppe_agents.evaluator import Predictor, TrainedElsewhereWarning, evaluator_of
from ursuppe_agents.registry import PROCESS, foreign_code, make_agent
from ursuppe_env.jobs import run_in_order
from ursuppe_env.records.format import encode_records
from ursuppe_lab.arena.matches import keys_of, seat_agents, try_agents
from ursuppe_lab.arena.play import records_of, rows_of
from ursuppe_lab.arena.tournament import MatchBatch, Tournament
from ursuppe_lab.benchmark.budget import COUNTED_COLUMNS, Cast, with_simulated
from ursuppe_lab.benchmark.entry import Entry
from ursuppe_lab.benchmark.figures import Figures, figures_of
from ursuppe_lab.benchmark.results import RECORDS, RESULTS, Results
from ursuppe_lab.benchmark.table import row_of, table_of
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.jobs.folder import RunFolder, do_parts
from ursuppe_lab.reports.page import render_page
from ursuppe_lab.reports.text import as_json

ROW, PAGE = "row.md", "report.html"
_GAMES_IN_A_PIECE = 512


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
    if task.budget is not None and (foreign_code(entry.spec) or "").startswith(f"{PROCESS}:"):
        why = "what another program simulates cannot be counted"
        raise ValueError(f"agent is {entry.spec!r}; {why}: give a class in Python, module:Class")
    own, guests = entry.specs(task.opponents), task.guests(entry)
    try_agents(tournaments[0], [*own.values(), *task.met_by(entry.name)])
    settings = {**tournaments[0].as_dict(), "task": task.name, "task_digest": task.digest, "entry": entry.model_dump()}
    kept = RunFolder(folder, settings, COUNTED_COLUMNS)
    exploiters = {}
    if task.exploiters is not None and guests:
        [training] = entry_points(group="ursuppe.exploiters")
        train = training.load()  # ursuppe_training.exploit.reference: train_exploiters
        files = task.exploiters.files(folder)
        train(entry.spec, task.ruleset, task.exploiters.decisions, files, workers, say, on_training)
        exploiters = task.exploiters.specs(entry.spec, folder)
    batches = chain.from_iterable(tournament.batches() for tournament in tournaments)
    play = partial(_play, Cast(own, exploiters, task.budget))
    games = do_parts(play, batches, keys_of, kept, workers, ray, on_progress)
    figures = with_predictions(figures_of(task, entry, games), task, entry.spec)
    records = _records(tournaments, games, workers)
    kept.write(RECORDS, records)
    played: dict[str, Any] = {"task": task.name, "task_digest": task.digest, "entry": entry, "development": development}
    results = Results(**played, records=hashlib.sha256(records).hexdigest(), figures=as_json(figures))
    kept.write(ROW, f"{row_of([results]).in_markdown()}\n".encode())
    rows = table_of(task, [] if development else [results])
    page = {"task": task, "results": results, "figures": figures, "rows": rows}
    kept.write(PAGE, render_page("ursuppe_lab.benchmark", "report.html.j2", None, **page).encode())
    kept.write(RESULTS, results.encoded())
    return results


def with_predictions(figures: Figures, task: Task, spec: str) -> Figures:
    """The figures, with the score of what the agent predicts, if it does and the task asks for it."""
    if task.logs is None:
        return figures
    predictor = evaluator_of(make_agent(spec, 0))
    if not isinstance(predictor, Predictor):
        return figures
    return replace(figures, brier=task.logs.brier_scores(predictor, task.ruleset))


def _play(cast: Cast, batch: MatchBatch) -> pl.DataFrame:
    with warnings.catch_warnings(action="ignore", category=TrainedElsewhereWarning):  # ``try_agents`` has told
        matches = seat_agents(batch, make=cast.agent)
        return with_simulated(rows_of(batch, matches), matches)


def _records(tournaments: list[Tournament], games: pl.DataFrame, workers: int | None) -> bytes:
    """The content of the file of records: pieces of gzip, one after the other, are one."""
    played = zip(tournaments, games.iter_slices(len(games) // len(tournaments)), strict=True)
    pieces = [(tournament, rows) for tournament, all_rows in played for rows in all_rows.iter_slices(_GAMES_IN_A_PIECE)]
    return b"".join(run_in_order(_encoded, pieces, workers))


def _encoded(piece: tuple[Tournament, pl.DataFrame]) -> bytes:
    return encode_records(records_of(*piece), compress=True)
