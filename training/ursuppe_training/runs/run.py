"""Training runs in folders (``docs/training.md``): settings, checkpoints, evaluations, policies, progress.

What is measured beside the report when training is over, ``ursuppe_training.exploit.finished_run`` says.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from ursuppe_agents.policies.files import policy_layout, read_provenance, read_temperature
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_agents.policies.shipped import policy_path
from ursuppe_agents.registry import option_to_allow
from ursuppe_env.extras import extra
from ursuppe_env.files import is_empty, write_atomically
from ursuppe_env.parsing import parse_json
from ursuppe_env.provenance import provenance
from ursuppe_lab.arena.matches import try_agents
from ursuppe_lab.jobs.folder import origins_of
from ursuppe_lab.reports.text import percent
from ursuppe_training.config import BEST as BEST_POLICY
from ursuppe_training.config import MIXED, OF_THE_RUN, TrainingConfig, read_config
from ursuppe_training.devices import AUTO, started_together
from ursuppe_training.evaluation.evaluate import evaluate_policy, evaluation_file, evaluation_tournament, tournament_of
from ursuppe_training.evaluation.history import WinRate, in_short, in_short_name
from ursuppe_training.evaluation.job import KeptPolicy, pool_of
from ursuppe_training.evaluation.selection import best_step
from ursuppe_training.provenance import CODE, DISTRIBUTIONS, OF_POLICIES, provenance_of
from ursuppe_training.runs.checkpoints import Checkpoints
from ursuppe_training.runs.evaluations import BEST, CURVES, RunEvaluations
from ursuppe_training.runs.trainer import Trainer
from ursuppe_training.seeds import Seed

with extra("train"):
    import tomli_w
    import torch
    from torch.utils.tensorboard import SummaryWriter

CONFIG = "config.toml"
EVALUATION = "evaluation.json"
_PROVENANCE = "provenance.json"
_TENSORBOARD = "tensorboard"
_MET = "met"  # of the provenance: digests of policies among the opponents and in the pool
_RESUMED = "resumed"  # of the provenance: where the run went on with other code
_NO_AGENTS = (*OF_THE_RUN, MIXED, BEST_POLICY)
_TRAINER = "trainer"  # what a checkpoint has beside the evaluations

Say = Callable[[str], None]


class RunProgress(NamedTuple):
    """How far a run is."""

    doing: str  # now
    over: int  # how much of that is done
    total: int  # of so much; decisions of training, or its seconds if they end first; then evaluations, then games
    trained: float  # the part of its training that is over, from 0 to 1


OnProgress = Callable[[RunProgress], None]
Finish = Callable[["Run", OnProgress], None]


class Run:
    """A training run in its folder.

    Of processes that ``torchrun`` started, the first one has it; the others follow (``trainer.follow``). All arguments
    but ``device`` are attributes, too.

    Args:
        folder: of the run.
        config: its settings.
        say: prints a line.
        device: as for ``Trainer``.
        threads: as for ``Trainer``; at the end as many processes play the games of the report.

    Attributes:
        trainer: its training.
        went_on: whether it has been trained further since it was begun or resumed here.
    """

    def __init__(
        self, folder: Path, config: TrainingConfig, say: Say, device: str = AUTO, threads: int | None = None
    ) -> None:
        self.folder = folder
        self.config = config
        self.say = say
        self.threads = threads
        self.went_on = False
        self.trainer = Trainer(config, device, threads, started_together())
        self._restored: dict[str, Any] | None = None  # what the trainer goes on from
        self._checkpoints = Checkpoints(folder, config.checkpoints)
        self._checkpointed = 0  # decisions at the last one
        self._evaluations = RunEvaluations(folder, config)
        self._latest = ""  # win rates
        self._doing = "training"
        self._initial: tuple[str | None, int] = None, 0  # digest and decisions of the initial policy
        self._initial_temperature = 1.0
        if config.initial_policy:
            initial = policy_path(config.initial_policy, config.players)
            self._initial = file_digest(initial), read_provenance(initial).all_decisions or 0
            self._initial_temperature = read_temperature(initial)

    @classmethod
    def begin(
        cls, folder: Path, config: TrainingConfig, say: Say, device: str = AUTO, threads: int | None = None
    ) -> "Run":
        """A new run.

        Raises:
            ValueError: the folder has something in it, there is no such device, or ``threads`` is less than 1.
            OSError: it cannot be written.
        """
        check_new(folder)
        run = cls(folder, config, say, device, threads)
        write_atomically(folder / CONFIG, tomli_w.dumps(config.model_dump()).encode())
        run._write_provenance()
        return run

    @classmethod
    def resume(
        cls, folder: Path, say: Say, device: str = AUTO, threads: int | None = None, allowed_code: Collection[str] = ()
    ) -> "Run":
        """A run that was interrupted, as it was at its newest checkpoint that can be read.

        Args:
            allowed_code: what the run's settings may have run, as for ``read_config``.

        Raises:
            ValueError: the folder has no run, its settings are damaged or name an agent of another module, its
                provenance is damaged, or no checkpoint can be read.
            OSError: it cannot be read.
        """
        if not (folder / CONFIG).exists():
            raise ValueError(f"{folder} has no {CONFIG}; give the folder of a run of `ursuppe train`")
        run = cls(folder, read_config(str(folder / CONFIG), allowed_code), say, device, threads)
        run._restore()
        if (folder / _PROVENANCE).exists():
            run._note_other_code()
        else:  # it was interrupted before it began
            run._write_provenance()
        return run

    @classmethod
    def begin_or_resume(
        cls, folder: Path, config: TrainingConfig, say: Say, device: str = AUTO, threads: int | None = None
    ) -> "Run":
        """The run with these settings, a new one or the one that is in the folder; it may name any agents.

        Raises:
            ValueError: as for ``begin`` and ``resume``; or the folder has a run with other settings.
            OSError: it cannot be read or written.
        """
        if not (folder / CONFIG).exists():
            return cls.begin(folder, config, say, device, threads)
        run = cls.resume(folder, say, device, threads, config.foreign_code)
        if run.config != config:
            raise ValueError(f"{folder} has a run with other settings; give another folder")
        return run

    def _restore(self) -> None:
        damaged = 0
        for path, saved in self._checkpoints.read():
            try:
                if isinstance(saved, Exception):
                    raise saved
                self.trainer.load_state_dict(saved[_TRAINER])
                self._evaluations.load_state_dict(saved)
            except Exception as error:  # of a file with anything in it
                damaged += 1
                reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                self.say(f"{path} cannot be used: {reason}")
                continue
            self._restored = saved[_TRAINER]
            self._checkpointed = self.trainer.decisions
            self.say(f"Going on from {path}, after {self.trainer.decisions:,} decisions.")
            return
        if damaged:
            raise ValueError(f"{self.folder}: none of its {damaged} checkpoints can be used")
        self.say(f"{self.folder} has no checkpoint yet; beginning anew.")

    def train(self, on_progress: OnProgress | None = None, finish: Finish | None = None) -> None:
        """Train to the end, with checkpoints and evaluations on the way; then measure the best policy.

        The evaluations are played in a process beside the training, which ends with this call, however that ends.

        Args:
            on_progress: called between two updates, now and then in between, and while the last games are played.
            finish: measures the best policy; default: ``report``.

        Raises:
            ValueError: an agent crashed; the message says which.
            OSError: a file cannot be read or written, or the process of the evaluations died.
        """
        show = on_progress or (lambda _: None)
        self._train(show)
        (finish or Run.report)(self, show)

    def _train(self, show: OnProgress) -> None:
        before = self.trainer.decisions
        self.trainer.share(self._restored)
        if self.trainer.progress_remaining > 0:
            try_agents_of(self.config)

        board = SummaryWriter(str(self.folder / _TENSORBOARD), purge_step=before and before + 1)
        with closing(self._evaluations), board as self._board:
            if self.config.initial_policy and self.trainer.decisions == 0 and not self._evaluations.pending:
                self._keep_policy(self._initial_temperature)  # no later one ships that is worse
            self.trainer.run(lambda: self._between_updates(show), lambda: show(self._progress()), self._log)
            self._finish_evaluations(show)
        self.went_on = self.trainer.decisions > before

    def _log(self, figures: Mapping[str, float], step: int) -> None:
        """Tell TensorBoard."""
        for name, figure in figures.items():
            self._board.add_scalar(name, figure, step)

    def _progress(self) -> RunProgress:
        trainer = self.trainer
        trained = 1 - trainer.progress_remaining
        if trainer.seconds / 60 / self.config.minutes > trainer.decisions / self.config.steps:
            seconds = 60 * self.config.minutes
            return RunProgress(f"{self._doing}; seconds", round(trained * seconds), round(seconds), trained)
        return RunProgress(self._doing, trainer.decisions, self.config.steps, trained)

    def said_when_interrupted(self) -> str:
        """What is kept of the run, and how to continue it."""
        command = resume_command(self.folder, self.config)
        if self._checkpointed == 0:
            best = self.folder / BEST
            kept = f"{best} is the best policy until then; nothing else" if best.exists() else "Nothing"
            return f"{kept} that was learned is kept, because there was no checkpoint yet; begin anew with: {command}"
        return f"What was learned up to {self._checkpointed:,} decisions is kept; continue with: {command}"

    def _between_updates(self, show: OnProgress) -> None:
        trainer, config = self.trainer, self.config
        decisions = trainer.decisions
        self._refuse_diverged()
        if decisions // config.evaluate_every > self._evaluations.last_step // config.evaluate_every:
            self._keep_policy()
        self._say_of(self._evaluations.go_on(self._log))
        if decisions // config.checkpoint_every > self._checkpointed // config.checkpoint_every:
            self._checkpoint()
        speed = f" at {decisions / trainer.seconds:,.0f} decisions/s" if decisions > 0 else ""
        self._doing = f"training{speed}{self._latest}"
        show(self._progress())

    def _refuse_diverged(self) -> None:
        # Files have float16 numbers.
        if not all(bool(weights.half().isfinite().all()) for weights in self.trainer.policy.parameters()):
            raise ValueError(
                f"{self.folder}: after {self.trainer.decisions:,} decisions the training has diverged: some weights "
                "are too large; a smaller learning_rate may help"
            )

    def _checkpoint(self) -> None:
        saved = {_TRAINER: self.trainer.state_dict(), **self._evaluations.state_dict()}
        self._checkpoints.write(self.trainer.decisions, saved)
        self._checkpointed = self.trainer.decisions

    def _keep_policy(self, temperature: float | None = None) -> None:
        """The policy as it is, drawing its actions at this temperature or that of the settings, is to be evaluated."""
        trainer = self.trainer
        kept = KeptPolicy(trainer.decisions, trainer.seconds)
        come_from = provenance_of(self.config, trainer.decisions, *self._initial)
        self._evaluations.keep(trainer.policy, kept, come_from, temperature)

    def _finish_evaluations(self, show: OnProgress) -> None:
        """Wait for those that are left, and for that of the last policy."""
        decisions, evaluations = self.trainer.decisions, self._evaluations
        self._refuse_diverged()
        is_kept = decisions in {one.step for one in evaluations.history} | {one.step for one in evaluations.pending}
        if not is_kept:
            self._keep_policy()
        if not is_kept or self._checkpointed < decisions:
            self._checkpoint()
        left = len(evaluations.pending)
        for number in range(left):
            show(RunProgress("the last evaluations", number, left, 1.0))
            self._say_of(evaluations.finish_one(self._log))
        if left:
            self._checkpoint()  # anew, with what came out
        if not (self.folder / CURVES).exists():
            self.say(f"There is no {CURVES}, because there was one evaluation; a smaller evaluate_every has more.")

    def _say_of(self, win_rates: Sequence[WinRate]) -> None:
        """Tell of the evaluation that was taken in, if one was."""
        if win_rates:
            found, policy = in_short(win_rates), win_rates[0]
            self._latest = f" {found}"
            done = f"{policy.step:,} decisions, {policy.seconds / 60:.1f} minutes" if policy.step else "initial policy"
            self.say(f"{done}: {found}")

    def report(self, show: OnProgress) -> None:
        """Measure the best policy on dice on which nothing was chosen, if that is not done."""
        config, best = self.config, self.folder / BEST
        if config.report_games == 0 or ((self.folder / EVALUATION).exists() and not self.went_on):
            return
        asked = best, pool_of(config), config.report_games, Seed.REPORT, config.ruleset
        total = evaluation_tournament(*asked, teams=config.partition).total_games

        def on_progress(over: int) -> None:
            show(RunProgress("games of the best policy", over, total, 1.0))

        evaluation = evaluate_policy(*asked, workers=self.threads, on_progress=on_progress, teams=config.partition)
        write_atomically(self.folder / EVALUATION, evaluation_file(evaluation, read_provenance(best)))
        step = best_step(self._evaluations.history)
        assert step is not None
        found = ", ".join(f"{in_short_name(one.opponent)} {percent(one.win_rate)}" for one in evaluation.results)
        learned = f"after {step:,} decisions" if step else "the initial policy, than which no later one is better"
        self.say(f"{best}, {learned}, wins on other dice against {found}; by chance {evaluation.chance:.0%}")

    def _write_provenance(self) -> None:
        trainer, device = self.trainer, self.trainer.device
        found = {
            **provenance(DISTRIBUTIONS),
            **provenance_of(self.config, None, *self._initial).model_dump(exclude=OF_POLICIES),
            "layout": policy_layout(),
            _MET: self._policies_met(),
            "device": torch.cuda.get_device_name(device) if device.type == "cuda" else str(device),
            "threads": trainer.threads,
            "processes": trainer.processes.count,
        }
        self._keep_provenance(found)

    def _policies_met(self) -> dict[str, str]:
        """The digests of the policies among opponents and in the pool, by agent and number of players."""
        met = origins_of(_agents_of(self.config), [self.config.players])
        return {name: origin.digest for name, origin in met.items()}

    def _keep_provenance(self, found: dict[str, Any]) -> None:
        write_atomically(self.folder / _PROVENANCE, (json.dumps(found, indent=2) + "\n").encode())

    def _note_other_code(self) -> None:
        """Add to the provenance that the run goes on with another commit or other versions, if it does."""
        path = self.folder / _PROVENANCE
        try:
            found = parse_json(path.read_bytes())
            before = [found, *found.get(_RESUMED, ())][-1]
            last, met = {name: before[name] for name in CODE}, dict(found.get(_MET, ()))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} is damaged, or no provenance of a run") from error
        if found.get("initial_policy") != self._initial[0]:
            raise ValueError(f"{self.config.initial_policy} is not what {self.folder} began with; put that back there")
        for name, digest in self._policies_met().items():
            if met.get(name, digest) != digest:
                raise ValueError(f"{name} is not the policy that {self.folder} has met until now; put that back")
        now = provenance_of(self.config).model_dump(include=CODE)
        if now != last:
            found.setdefault(_RESUMED, []).append({"decisions": self.trainer.decisions, **now})
            self._keep_provenance(found)
            self.say(f"It goes on with other code: commit {now['commit']}, before {last['commit']}.")


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
    allowed = "".join(f" {option_to_allow(code)}" for code in config.foreign_code)
    return f"ursuppe train --resume {quote(str(folder))}{allowed}"


def try_agents_of(config: TrainingConfig) -> None:
    """Let each agent that a run meets make a decision: one that crashes shows at once, and where a policy plays with
    another ruleset than its own is said here, not in the process of the evaluations.

    Raises:
        ValueError: an agent crashed; the message says which.
    """
    lineups = [(spec,) * len(config.sides) for spec in dict.fromkeys(_agents_of(config))]
    try_agents(tournament_of(lineups, 1, config.ruleset, 0, config.partition))


def _agents_of(config: TrainingConfig) -> list[str]:
    return [spec for spec in (*config.opponents, *config.evaluation_pool) if spec not in _NO_AGENTS]
