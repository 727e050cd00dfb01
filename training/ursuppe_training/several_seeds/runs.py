"""Runs with the same settings and several seeds: a folder with a run for each, some at a time, and their report.

| file | what it has |
| --- | --- |
| ``seeds.toml`` | the seeds, and all other settings |
| ``seed-0/`` ... | the run with each seed (``ursuppe_training.runs.run``) |
| ``report.html``, ``summary.json`` | the runs that are done (``ursuppe_training.several_seeds.report``) |
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ursuppe_env.extras import extra
from ursuppe_env.files import write_atomically
from ursuppe_env.jobs import workers_for
from ursuppe_env.parsing import parse_toml
from ursuppe_training.config import TrainingConfig, config_of
from ursuppe_training.devices import AUTO, device_named
from ursuppe_training.evaluation.evaluate import read_best_response, read_evaluation
from ursuppe_training.evaluation.history import HISTORY, read_history
from ursuppe_training.exploit.finished_run import finish
from ursuppe_training.runs.run import EVALUATION, RunProgress, Say, check_new, resume_command, try_agents_of
from ursuppe_training.runs.several import RunTask, train_runs
from ursuppe_training.seeds import checked_seeds
from ursuppe_training.several_seeds.report import REPORT, SUMMARY, SeedReport, SeedRun

with extra("train"):
    import tomli_w

SEEDS = "seeds.toml"

OnSeedProgress = Callable[[int, RunProgress | None], None]


@dataclass
class SeedRuns:
    """Runs with several seeds in their folder.

    Args:
        folder: of all of them.
        config: the settings of each; its own seed has no meaning.
        seeds: of the runs, each once.
        say: prints a line.
        device: as for ``Trainer``.
        threads: of each run, as for ``Trainer``; None: an equal share of the cores.
        workers: how many are trained at a time, each in a process of its own; None: one per core, or one where their
            time is limited.

    Raises:
        ValueError: a seed is out of its range or given twice, there is no such device, or ``workers`` is less than 1.
    """

    folder: Path
    config: TrainingConfig
    seeds: Sequence[int]
    say: Say
    device: str = AUTO
    threads: int | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        self.seeds = checked_seeds(self.seeds)
        device_named(self.device)
        workers_for(len(self.seeds), self.workers)
        self._done: list[SeedRun] = []

    @classmethod
    def begin(
        cls,
        folder: Path,
        config: TrainingConfig,
        seeds: Sequence[int],
        say: Say,
        device: str = AUTO,
        threads: int | None = None,
        workers: int | None = None,
    ) -> "SeedRuns":
        """New runs.

        Raises:
            ValueError: the folder has something in it; or as for the class.
            OSError: it cannot be written.
        """
        runs = cls(folder, config, seeds, say, device, threads, workers)
        check_new(folder)
        settings = {"seeds": list(runs.seeds), **config.model_dump(exclude={"seed"})}
        write_atomically(folder / SEEDS, tomli_w.dumps(settings).encode())
        return runs

    @classmethod
    def resume(
        cls,
        folder: Path,
        say: Say,
        device: str = AUTO,
        threads: int | None = None,
        workers: int | None = None,
        allowed_code: Collection[str] = (),
    ) -> "SeedRuns":
        """Runs that were interrupted.

        Args:
            allowed_code: what their settings may have run, as for ``read_config``.

        Raises:
            ValueError: the folder's settings are damaged, or name an agent of another module; or as for the class.
            OSError: it cannot be read.
        """
        file = folder / SEEDS
        try:
            settings = parse_toml(file.read_text(encoding="utf-8"))
            seeds = checked_seeds(settings.pop("seeds", None))
            config = config_of(settings, allowed_code)
        except ValueError as error:  # of TOML and of UTF-8, too
            raise ValueError(f"{file}: {error}") from error
        return cls(folder, config, seeds, say, device, threads, workers)

    def train(self, on_progress: OnSeedProgress | None = None) -> None:
        """Train with each seed, or what is left of it, and write the report anew after each.

        Args:
            on_progress: called now and then with a seed and how far its run is; None: it is done.

        Raises:
            ValueError: an agent crashed, or a run's folder is damaged or belongs to something else; the message begins
                with the seed.
            OSError: a file cannot be read or written, or a process died.
        """
        self._done = []
        configs = {seed: self.config.changed({"seed": seed}) for seed in self.seeds}
        tasks = [RunTask(f"seed {seed}", self._folder_of(seed), config) for seed, config in configs.items()]

        def show(task: RunTask, now: RunProgress | None) -> None:
            if on_progress is not None:
                on_progress(task.config.seed, now)
            if now is None:
                self._report(task.config.seed)

        if self.workers is not None and self.workers > 1 and math.isfinite(self.config.minutes):
            self.say(
                f"minutes is {self.config.minutes:g}: runs that share the machine learn from fewer decisions in that "
                "time than alone"
            )
        try_agents_of(self.config)  # what concerns all runs is said once
        train_runs(tasks, self.say, show, self.device, self.threads, self.workers, finish)

    def _report(self, seed: int) -> None:
        """Write the report anew, now with the run of this seed, which is done."""
        folder, evaluation, best_response = self._folder_of(seed), None, None
        if self.config.report_games > 0:
            evaluation = read_evaluation(folder / EVALUATION)
            best_response = read_best_response(folder / EVALUATION)
        self._done.append(SeedRun(seed, tuple(read_history(folder / HISTORY)), evaluation, best_response))
        self._done.sort(key=lambda run: self.seeds.index(run.seed))
        report = SeedReport(self.config, self.seeds, self._done)
        write_atomically(self.folder / SUMMARY, report.as_json())
        write_atomically(self.folder / REPORT, report.as_html().encode())

    def said_when_interrupted(self) -> str:
        """What is done, and how to go on."""
        command = resume_command(self.folder, self.config)
        return f"{len(self._done)} of {len(self.seeds)} seeds are done; continue with: {command}"

    def _folder_of(self, seed: int) -> Path:
        return self.folder / f"seed-{seed}"
