"""Runs with the same settings and several seeds: a folder with a run for each, one after the other, and their report.

| file | what it has |
| --- | --- |
| ``seeds.toml`` | the seeds, and all other settings |
| ``seed-0/`` ... | the run with each seed (``ursuppe_training.runs``) |
| ``report.html``, ``summary.json`` | the runs that are done (``ursuppe_training.seed_report``) |
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from ursuppe_env.files import write_atomically
from ursuppe_env.integers import is_integer
from ursuppe_env.parsing import parse_toml
from ursuppe_training.config import LARGEST_SEED, TrainingConfig, config_of
from ursuppe_training.devices import AUTO
from ursuppe_training.evaluation import read_evaluation
from ursuppe_training.history import HISTORY, read_history
from ursuppe_training.runs import CONFIG, EVALUATION, Run, Say, check_new, resume_command
from ursuppe_training.seed_report import REPORT, SUMMARY, SeedReport, SeedRun

SEEDS = "seeds.toml"


class SeedRuns:
    """Runs with several seeds in their folder.

    Args:
        folder: of all of them.
        config: the settings of each; its own seed has no meaning.
        seeds: of the runs, each once.
        say: prints a line.
        device: as for ``Trainer``.
    """

    def __init__(
        self, folder: Path, config: TrainingConfig, seeds: Sequence[int], say: Say, device: str = AUTO
    ) -> None:
        self.folder = folder
        self.config = config
        self.seeds = checked_seeds(seeds)
        self._say = say
        self._device = device
        self._allowed_modules: Collection[str] = config.modules  # whoever got here has allowed them
        self._done: list[SeedRun] = []

    @classmethod
    def begin(
        cls, folder: Path, config: TrainingConfig, seeds: Sequence[int], say: Say, device: str = AUTO
    ) -> "SeedRuns":
        """New runs.

        Raises:
            ValueError: the folder has something in it, or a seed is out of its range or given twice.
            OSError: it cannot be written.
        """
        runs = cls(folder, config, seeds, say, device)
        check_new(folder)
        settings = {"seeds": list(runs.seeds), **config.model_dump(exclude={"seed"})}
        write_atomically(folder / SEEDS, tomli_w.dumps(settings).encode())
        return runs

    @classmethod
    def resume(cls, folder: Path, say: Say, device: str = AUTO, allowed_modules: Collection[str] = ()) -> "SeedRuns":
        """Runs that were interrupted.

        Args:
            folder: as all up to ``device`` for the class.
            say: as above.
            device: as above.
            allowed_modules: as for ``Run.resume``.

        Raises:
            ValueError: the folder's settings are damaged, or name an agent of another module.
            OSError: it cannot be read.
        """
        file = folder / SEEDS
        try:
            settings = parse_toml(file.read_text(encoding="utf-8"))
            seeds = settings.pop("seeds", None)
            return cls(folder, config_of(settings, allowed_modules), checked_seeds(seeds), say, device)
        except ValueError as error:  # of TOML and of UTF-8, too
            raise ValueError(f"{file}: {error}") from error

    def train(self) -> None:
        """Train with each seed, or what is left of it, and write the report anew after each.

        Raises:
            ValueError: a run's folder is damaged, or belongs to something else.
            OSError: a file cannot be read or written.
        """
        self._done = []
        for seed in self.seeds:
            self._train(seed)
            self._done.append(self._done_run(seed))
            report = SeedReport(self.config, self.seeds, self._done)
            write_atomically(self.folder / SUMMARY, report.as_json())
            write_atomically(self.folder / REPORT, report.as_html().encode())

    def said_when_interrupted(self) -> str:
        """What is done, and how to go on."""
        command = resume_command(self.folder, self.config)
        return f"{len(self._done)} of {len(self.seeds)} seeds are done; continue with: {command}"

    def _train(self, seed: int) -> None:
        folder, config = self._folder_of(seed), self.config.changed({"seed": seed})

        def say(line: str) -> None:
            self._say(f"seed {seed}: {line}")

        if (folder / CONFIG).exists():
            run = Run.resume(folder, say, self._device, self._allowed_modules)
            if run.config != config:
                raise ValueError(f"{folder} has a run with other settings than {self.folder / SEEDS}")
        else:
            run = Run.begin(folder, config, say, self._device)
        run.train()

    def _done_run(self, seed: int) -> SeedRun:
        folder = self._folder_of(seed)
        evaluation = read_evaluation(folder / EVALUATION) if self.config.report_games > 0 else None
        return SeedRun(seed, tuple(read_history(folder / HISTORY)), evaluation)

    def _folder_of(self, seed: int) -> Path:
        return self.folder / f"seed-{seed}"


def checked_seeds(seeds: Any) -> tuple[int, ...]:
    """The seeds of several runs.

    Raises:
        ValueError: they are no list of different seeds.
    """
    are_seeds = isinstance(seeds, (list, tuple)) and all(
        is_integer(seed) and 0 <= seed <= LARGEST_SEED for seed in seeds
    )
    if not are_seeds or not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds is {seeds!r}; it must be a list of different integers from 0 to {LARGEST_SEED}")
    return tuple(seeds)
