"""Training runs in folders: settings, checkpoints, evaluations and policies, with progress on the screen.

| file | what it has |
| --- | --- |
| ``config.toml`` | all settings |
| ``provenance.json`` | ruleset, seed, preset, commit, versions, layout of observations and actions, machine, device |
| ``checkpoints/`` | the last few, to go on from |
| ``evaluations.jsonl``, ``curves.svg`` | win rates on the way, and their picture |
| ``tensorboard/`` | the same and the losses, for TensorBoard |
| ``policies/`` | the policy at each evaluation |
| ``latest.zip``, ``best.zip`` | the last of them, and the best (``ursuppe_training.selection``) |
| ``evaluation.json`` | the win rates of the best one at the end, on other dice than it was chosen on |
"""

import json
from collections.abc import Callable, Collection
from dataclasses import asdict, replace
from pathlib import Path
from shlex import quote

import tomli_w
from rich.markup import escape
from stable_baselines3.common.logger import configure

from ursuppe_env.cli.line import in_one_line
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import is_empty, write_atomically
from ursuppe_env.parsing import parse_json
from ursuppe_env.provenance import provenance
from ursuppe_training.checkpoints import Checkpoints
from ursuppe_training.config import BEST as BEST_POLICY
from ursuppe_training.config import TrainingConfig, read_config
from ursuppe_training.curves import draw_curves
from ursuppe_training.devices import AUTO, describe_device
from ursuppe_training.evaluation import (
    REPORT_SEED,
    SELECTION_SEED,
    Evaluation,
    evaluate_policy,
    evaluation_file,
    evaluation_tournament,
    play_duel,
)
from ursuppe_training.history import HISTORY, WinRate, scalars, win_rates_of, write_history
from ursuppe_training.models import policy_layout, read_provenance, save_policy
from ursuppe_training.policy_agent import policy_path
from ursuppe_training.provenance import DISTRIBUTIONS, file_digest, provenance_of
from ursuppe_training.selection import best_step
from ursuppe_training.trainer import Trainer

CONFIG = "config.toml"
LATEST = "latest.zip"
BEST = "best.zip"
EVALUATION = "evaluation.json"
_POLICIES = "policies"
_PROVENANCE = "provenance.json"
_CURVES = "curves.svg"
_TENSORBOARD = "tensorboard"
_RESUMED = "resumed"  # of the provenance: where the run went on with other code
_CODE = {"commit", "dirty", "versions"}
_TRAINER, _EVALUATIONS = "trainer", "evaluations"  # what a checkpoint has

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
        initial = config.initial_policy
        self._initial_policy = file_digest(policy_path(initial)) if initial else None

    @classmethod
    def begin(cls, folder: Path, config: TrainingConfig, say: Say, device: str = AUTO) -> "Run":
        """A new run.

        Raises:
            ValueError: the folder has something in it or a name that is no UTF-8, there is no such device, or the
                layers have more weights than a policy may have.
            OSError: it cannot be written.
        """
        check_new(folder)
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
            ValueError: the folder has no run, its settings are damaged or name an agent of another module, its
                provenance is damaged, or no checkpoint can be read.
            OSError: it cannot be read.
        """
        if not (folder / CONFIG).exists():
            raise ValueError(f"{folder} has no {CONFIG}; give the folder of a run of `ursuppe train`")
        run = cls(folder, read_config(str(folder / CONFIG), allowed_modules), say, device)
        run._restore()
        if (folder / _PROVENANCE).exists():
            run._note_other_code()
        else:  # it was interrupted before it began
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
        """Train to the end, with checkpoints and evaluations on the way; then measure the best policy.

        Args:
            on_progress: called with the part of the run that is done, from 0 to 1, after each step of the games; None:
                there is a progress bar.
        """
        before = self.trainer.decisions
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
        if self.config.report_games > 0 and (
            self.trainer.decisions > before or not (self.folder / EVALUATION).exists()
        ):
            self._report()

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
        command = resume_command(self.folder, self.config)
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
        """Measure the policy as it is, and keep it, also as the best one if it is."""
        decisions, config = self.trainer.decisions, self.config
        path = self._policy_after(decisions)
        provenance = provenance_of(config, decisions, self._initial_policy)
        save_policy(self.trainer.model.policy, config, path, provenance)
        write_atomically(self.folder / LATEST, path.read_bytes())
        evaluation = evaluate_policy(path, self._pool, config.evaluation_games, SELECTION_SEED, config.ruleset)
        evaluation, of_best = self._beside_the_best(path, evaluation)
        self._history = self._history + win_rates_of(evaluation, decisions, self.trainer.seconds, of_best)
        write_history(self.folder / HISTORY, self._history)
        write_atomically(self.folder / _CURVES, draw_curves(self._history))
        for name, value in scalars(evaluation):
            self.trainer.model.logger.record(name, value)
        if best_step(self._history) == decisions:
            write_atomically(self.folder / BEST, path.read_bytes())
        in_short = _in_short(evaluation)
        self._latest = " " + escape(in_short)
        self._say(f"{decisions:,} decisions, {self.trainer.seconds / 60:.1f} minutes: {in_short}")

    def _beside_the_best(
        self, path: Path, evaluation: Evaluation
    ) -> tuple[Evaluation, dict[tuple[str, str], float] | None]:
        """The evaluation with the duel against the best policy until then, and that one's win rates at these tables."""
        best = best_step(self._history)
        if best is None:
            return evaluation, None
        of_best = {(one.opponent, one.way): one.mean for one in self._history if one.step == best}
        if BEST_POLICY not in self.config.evaluation_pool:
            return evaluation, of_best
        games, ruleset = self.config.evaluation_games, self.config.ruleset
        ours, theirs = play_duel(path, self._policy_after(best), games, SELECTION_SEED, ruleset)
        results = evaluation.results + tuple(replace(result, opponent=BEST_POLICY) for result in ours)
        of_best |= {(BEST_POLICY, result.way): result.win_rate.estimate for result in theirs}
        return replace(evaluation, results=results), of_best

    def _report(self) -> None:
        """Measure the best policy on dice on which nothing was chosen."""
        best, games, ruleset = self.folder / BEST, self.config.report_games, self.config.ruleset
        with progress_bar() as progress:
            total = evaluation_tournament(best, self._pool, games, REPORT_SEED, ruleset).total_games
            task = progress.add_task("games of the best policy", total=total)
            evaluation = evaluate_policy(
                best,
                self._pool,
                games,
                REPORT_SEED,
                ruleset,
                workers=None,
                on_progress=lambda over: progress.update(task, completed=over),
            )
        write_atomically(self.folder / EVALUATION, evaluation_file(evaluation, read_provenance(best)))
        self._say(f"{best}, after {best_step(self._history):,} decisions, on other dice: {_in_short(evaluation)}")

    @property
    def _pool(self) -> list[str]:
        """Whom a policy meets that is evaluated alone."""
        return [name for name in self.config.evaluation_pool if name != BEST_POLICY]

    def _policy_after(self, decisions: int) -> Path:
        return self.folder / _POLICIES / f"{decisions:012}.zip"

    def _write_provenance(self) -> None:
        found = {
            **provenance(DISTRIBUTIONS),
            **provenance_of(self.config, None, self._initial_policy).model_dump(exclude={"decisions"}),
            "layout": policy_layout(self.config.players, self.config.observe_rules),
            **describe_device(self.trainer.model.device, self.trainer.threads, self.trainer.precision),
        }
        write_atomically(self.folder / _PROVENANCE, (json.dumps(found, indent=2) + "\n").encode())

    def _note_other_code(self) -> None:
        """Add to the provenance that the run goes on with another commit or other versions, if it does."""
        path = self.folder / _PROVENANCE
        try:
            found = parse_json(path.read_bytes())
            before = [found, *found.get(_RESUMED, ())][-1]
            last = {name: before[name] for name in _CODE}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} is damaged, or no provenance of a run") from error
        now = provenance_of(self.config).model_dump(include=_CODE)
        if now != last:
            found.setdefault(_RESUMED, []).append({"decisions": self.trainer.decisions, **now})
            write_atomically(path, (json.dumps(found, indent=2) + "\n").encode())
            self._say(in_one_line(f"It goes on with other code: commit {now['commit']}, before {last['commit']}."))


def check_new(folder: Path) -> None:
    """Refuse a folder that has something in it.

    Raises:
        ValueError: it has, or it is a file.
    """
    if folder.exists() and (not folder.is_dir() or not is_empty(folder)):
        raise ValueError(
            f"{folder} exists already; give another folder, or continue it with --resume {quote(str(folder))}"
        )


def resume_command(folder: Path, config: TrainingConfig) -> str:
    """What a user types to go on with what is in a folder."""
    modules = "".join(f" --allow-module {module}" for module in config.modules)
    return f"ursuppe train --resume {quote(str(folder))}{modules}"


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
