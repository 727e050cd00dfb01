"""Training runs in folders: settings, checkpoints, evaluations and policies, with progress on the screen.

| file | what it has |
| --- | --- |
| ``config.toml`` | all settings |
| ``provenance.json`` | commit, versions, layout of observations and actions, machine, device, threads, precision |
| ``checkpoints/`` | the last few, to go on from |
| ``evaluations.jsonl``, ``curves.svg`` | win rates on the way, and their picture |
| ``tensorboard/`` | the same and the losses, for TensorBoard |
| ``latest.zip``, ``best.zip`` | the policy at the last evaluation, and at that with the highest mean win rate |
"""

import json
from collections.abc import Callable, Collection
from dataclasses import asdict
from pathlib import Path
from shlex import quote

import tomli_w
from rich.markup import escape
from stable_baselines3.common.logger import configure

from ursuppe_env.cli.line import in_one_line
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import is_empty, write_atomically
from ursuppe_env.provenance import provenance
from ursuppe_training.checkpoints import Checkpoints
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.curves import draw_curves
from ursuppe_training.devices import AUTO, describe_device
from ursuppe_training.evaluation import Evaluation, evaluate_policy
from ursuppe_training.history import HISTORY, WinRate, scalars, win_rates_of, write_history
from ursuppe_training.models import policy_layout, save_policy
from ursuppe_training.trainer import Trainer

CONFIG = "config.toml"
LATEST = "latest.zip"
BEST = "best.zip"
_PROVENANCE = "provenance.json"
_CURVES = "curves.svg"
_TENSORBOARD = "tensorboard"
_VERSIONS = ("ursuppe-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "gymnasium")
_TRAINER, _EVALUATIONS = "trainer", "evaluations"  # what a checkpoint has
_EVALUATION_SEED = 2**63  # far from the seeds that are trained with

Say = Callable[[str], None]


class Run:
    """A training run in its folder.

    Args:
        folder: of the run.
        config: its settings.
        say: prints a line.
        device: as for ``Trainer``.
    """

    def __init__(self, folder: Path, config: TrainingConfig, say: Say, device: str = AUTO) -> None:
        _check_name(folder)
        self.folder = folder
        self.config = config
        self._say = say
        self.trainer = Trainer(config, device)
        self._checkpoints = Checkpoints(folder, config.checkpoints)
        self._checkpointed = 0  # decisions at the last one
        self._history: list[WinRate] = []  # of all evaluations
        self._latest = ""  # win rates

    @classmethod
    def begin(cls, folder: Path, config: TrainingConfig, say: Say, device: str = AUTO) -> "Run":
        """A new run.

        Raises:
            ValueError: the folder has something in it or a name that is no UTF-8, there is no such device, or the
                layers have more weights than a policy may have.
            OSError: it cannot be written.
        """
        if folder.exists() and (not folder.is_dir() or not is_empty(folder)):
            raise ValueError(
                f"{folder} exists already; give another folder, or continue it with --resume {quote(str(folder))}"
            )
        run = cls(folder, config, say, device)
        write_atomically(folder / CONFIG, tomli_w.dumps(config.model_dump()).encode())
        run._write_provenance()
        return run

    @classmethod
    def resume(cls, folder: Path, say: Say, device: str = AUTO, allowed_modules: Collection[str] = ()) -> "Run":
        """A run that was interrupted, as it was at its newest checkpoint that can be read.

        Args:
            folder: as all up to ``device`` for the class.
            say: as above.
            device: as above.
            allowed_modules: those that the run's settings may name agents of, as for ``read_config``.

        Raises:
            ValueError: the folder has no run, its settings are damaged or name an agent of another module, or no
                checkpoint can be read.
            OSError: it cannot be read.
        """
        if not (folder / CONFIG).exists():
            raise ValueError(f"{folder} has no {CONFIG}; give the folder of a run of `ursuppe train`")
        run = cls(folder, read_config(str(folder / CONFIG), allowed_modules), say, device)
        run._restore()
        if not (folder / _PROVENANCE).exists():  # it was interrupted before it began
            run._write_provenance()
        return run

    def _restore(self) -> None:
        damaged = 0
        for path, saved in self._checkpoints.read():
            try:
                if isinstance(saved, Exception):
                    raise saved
                self.trainer.load_state_dict(saved[_TRAINER])
                self._history = [WinRate(**win_rate) for win_rate in saved[_EVALUATIONS]]
            except Exception as error:  # of a file with anything in it
                damaged += 1
                reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                self._say(in_one_line(f"{path} cannot be used, the one before it is tried: {reason}"))
                continue
            self._checkpointed = self.trainer.decisions
            self._say(f"Going on from {path}, after {self.trainer.decisions:,} decisions.")
            return
        if damaged:
            raise ValueError(f"{self.folder}: none of its {damaged} checkpoints can be used")
        self._say(f"{self.folder} has no checkpoint yet; beginning anew.")

    def train(self, on_progress: Callable[[float], None] | None = None) -> None:
        """Train to the end, with checkpoints and evaluations on the way and at the end.

        Args:
            on_progress: called with the part of the run that is done, from 0 to 1, after each step of the games; None:
                there is a progress bar.
        """
        self.trainer.model.set_logger(configure(str(self.folder / _TENSORBOARD), ["tensorboard"]))
        if on_progress is not None:
            self.trainer.run(self._between_updates, lambda: on_progress(1 - self.trainer.progress_remaining))
        else:
            self._train_with_progress_bar()
        if self._checkpointed < self.trainer.decisions:
            self._checkpoint()
        if self._evaluated < self.trainer.decisions:
            self._evaluate()
            self._checkpoint()  # anew, with the evaluation

    def _train_with_progress_bar(self) -> None:
        with progress_bar() as progress:
            task = progress.add_task("training", total=self.config.steps)

            def between_updates() -> None:
                self._between_updates()
                speed = self.trainer.decisions / self.trainer.seconds
                progress.update(task, description=f"training at {speed:,.0f} decisions/s{self._latest}")

            self.trainer.run(between_updates, lambda: progress.update(task, completed=self.trainer.decisions))

    def said_when_interrupted(self) -> str:
        """What is kept of the run, and how to continue it."""
        command = f"ursuppe train --resume {quote(str(self.folder))}"
        command += "".join(f" --allow-module {module}" for module in self.config.modules)
        if self._checkpointed == 0:
            return f"Nothing that was learned is kept, because there was no checkpoint yet; begin anew with: {command}"
        return f"What was learned up to {self._checkpointed:,} decisions is kept; continue with: {command}"

    @property
    def _evaluated(self) -> int:
        """Decisions at the last evaluation."""
        return self._history[-1].step if self._history else 0

    def _between_updates(self) -> None:
        decisions = self.trainer.decisions
        if decisions // self.config.evaluate_every > self._evaluated // self.config.evaluate_every:
            self._evaluate()
        if decisions // self.config.checkpoint_every > self._checkpointed // self.config.checkpoint_every:
            self._checkpoint()

    def _checkpoint(self) -> None:
        saved = {_TRAINER: self.trainer.state_dict(), _EVALUATIONS: [asdict(win_rate) for win_rate in self._history]}
        self._checkpoints.write(self.trainer.decisions, saved)
        self._checkpointed = self.trainer.decisions

    def _evaluate(self) -> None:
        """Measure the policy as it is, and keep it if it is the best so far."""
        decisions, policy = self.trainer.decisions, self.trainer.model.policy
        save_policy(policy, self.config, self.folder / LATEST)
        evaluation = evaluate_policy(
            self.folder / LATEST,
            self.config.evaluation_pool,
            self.config.evaluation_games,
            _EVALUATION_SEED,
            self.config.ruleset,
        )
        self._history = self._history + win_rates_of(evaluation, decisions, self.trainer.seconds)
        write_history(self.folder / HISTORY, self._history)
        write_atomically(self.folder / _CURVES, draw_curves(self._history))
        for name, value in scalars(evaluation):
            self.trainer.model.logger.record(name, value)
        means: dict[int, list[float]] = {}
        for win_rate in self._history:
            means.setdefault(win_rate.step, []).append(win_rate.mean)
        if sum(means[decisions]) >= max(map(sum, means.values())):
            save_policy(policy, self.config, self.folder / BEST)
        in_short = _in_short(evaluation)
        self._latest = " " + escape(in_short)
        self._say(f"{decisions:,} decisions, {self.trainer.seconds / 60:.1f} minutes: {in_short}")

    def _write_provenance(self) -> None:
        found = {
            **provenance(_VERSIONS),
            "layout": policy_layout(self.config.players, self.config.observe_rules),
            **describe_device(self.trainer.model.device),
        }
        write_atomically(self.folder / _PROVENANCE, (json.dumps(found, indent=2) + "\n").encode())


def _check_name(folder: Path) -> None:
    """Refuse a name at which TensorBoard would fail after the first update."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise ValueError(f"{str(folder)!a} is no UTF-8; give a folder of another name") from None


def _in_short(evaluation: Evaluation) -> str:
    """The win rates of deterministic play, in a line."""
    deterministic = [result for result in evaluation.results if result.way == "deterministic"]
    return ", ".join(f"{result.opponent} {result.win_rate.estimate:.0%}" for result in deterministic)
