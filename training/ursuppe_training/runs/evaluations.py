"""The evaluations of a run, in a process beside it: training goes on while they are played.

A policy that is due waits in a file for its turn: one is evaluated after the other, because each meets the best one
until then. What came out is taken in between two later updates, or waited for when training is over. So neither the
figures nor which policy is the best depend on how long anything takes, also if a run goes on from a checkpoint.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ursuppe_agents.policies.files import read_provenance
from ursuppe_agents.policies.provenance import Provenance
from ursuppe_env.files import write_atomically
from ursuppe_env.jobs import Beside
from ursuppe_training.config import TrainingConfig
from ursuppe_training.evaluation.history import HISTORY, WinRate, write_history
from ursuppe_training.evaluation.job import EvaluationJob, KeptPolicy, play_job, policy_after
from ursuppe_training.evaluation.selection import best_step
from ursuppe_training.networks.board import BoardPolicy
from ursuppe_training.networks.files import save_policy
from ursuppe_training.runs.trainer import Log

LATEST = "latest.zip"
BEST = "best.zip"
CURVES = "curves.svg"
_FINISHED, _PENDING = "evaluations", "pending"  # what a checkpoint has


@dataclass
class RunEvaluations:
    """All evaluations of a run in its folder: those that are over, and the policies that wait for theirs."""

    folder: Path
    config: TrainingConfig
    history: list[WinRate] = field(default_factory=list)  # of the evaluations that are over, in their order
    pending: list[KeptPolicy] = field(default_factory=list)  # in their order; the first one may be at the table already

    def __post_init__(self) -> None:
        self._beside: Beside[EvaluationJob, tuple[list[WinRate], bytes]] = Beside(
            play_job, "the process that plays the evaluations"
        )

    @property
    def last_step(self) -> int:
        """Decisions that the last policy had learned from which was kept; 0 if there was none."""
        if self.pending:
            return self.pending[-1].step
        return self.history[-1].step if self.history else 0

    def keep(self, policy: BoardPolicy, kept: KeptPolicy, provenance: Provenance, temperature: float | None) -> None:
        """Write a policy to its file, to be evaluated when its turn comes; all is as for ``save_policy``."""
        path = policy_after(self.folder, kept.step)
        save_policy(policy, self.config, path, provenance, temperature)
        write_atomically(self.folder / LATEST, path.read_bytes())
        self.pending.append(kept)

    def go_on(self, log: Log) -> list[WinRate]:
        """Take in the evaluation that is over, if one is, and begin the next one, without waiting for anything.

        It returns the win rates that were taken in, which ``log`` takes, too.

        Raises:
            ValueError: an agent crashed; the message says which.
            OSError: the process died.
        """
        win_rates = self._take_in(*self._beside.result(), log) if self._beside.is_ready else []
        if self.pending and not self._beside.is_busy:
            self._beside.begin(self._job())
        return win_rates

    def finish_one(self, log: Log) -> list[WinRate]:
        """As ``go_on``, but wait for the evaluation that is played; if none is, play the first one in this process."""
        return self._take_in(*(self._beside.result() if self._beside.is_busy else play_job(self._job())), log)

    def close(self) -> None:
        """End the process, also in the middle of an evaluation."""
        self._beside.close()

    def _job(self) -> EvaluationJob:
        return self.folder, self.config, self.pending[0], tuple(self.history)

    def _take_in(self, win_rates: list[WinRate], curves: bytes, log: Log) -> list[WinRate]:
        kept = self.pending.pop(0)
        self.history += win_rates
        write_history(self.folder / HISTORY, self.history)
        if curves:
            write_atomically(self.folder / CURVES, curves)
        if best_step(self.history) == kept.step:
            write_atomically(self.folder / BEST, policy_after(self.folder, kept.step).read_bytes())
        log({f"evaluation/{one.opponent}": one.mean for one in win_rates}, kept.step)
        return win_rates

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint has of them."""
        return {
            _FINISHED: [asdict(win_rate) for win_rate in self.history],
            _PENDING: [asdict(kept) for kept in self.pending],
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Go on from what ``state_dict`` gave: what was pending then is played anew.

        Raises:
            ValueError: the file of a pending policy is damaged, or of another one.
            OSError: it cannot be read.
        """
        history = [WinRate(**win_rate) for win_rate in saved[_FINISHED]]
        pending = [KeptPolicy(**kept) for kept in saved[_PENDING]]
        for kept in pending:
            path = policy_after(self.folder, kept.step)
            if read_provenance(path).decisions != kept.step:
                raise ValueError(f"{path} has a policy of another run")
        self.history, self.pending = history, pending
