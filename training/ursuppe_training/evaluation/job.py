"""The evaluation of a policy of a run, for a process beside it, which starts twice as fast as with torch."""

from dataclasses import dataclass, replace
from pathlib import Path

from ursuppe_training.config import BEST, TrainingConfig
from ursuppe_training.evaluation.curves import draw_curves
from ursuppe_training.evaluation.evaluate import evaluate_policy, play_duel
from ursuppe_training.evaluation.history import WinRate, win_rates_of
from ursuppe_training.evaluation.selection import best_step
from ursuppe_training.seeds import Seed

_POLICIES = "policies"


@dataclass(frozen=True)
class KeptPolicy:
    """A policy that is to be evaluated, in its file."""

    step: int  # decisions that it had learned from
    seconds: float  # of training until then


#: An evaluation that can be played: of the run in a folder with these settings, whom to evaluate, after these others.
EvaluationJob = tuple[Path, TrainingConfig, KeptPolicy, tuple[WinRate, ...]]


def play_job(job: EvaluationJob) -> tuple[list[WinRate], bytes]:
    """The win rates of a kept policy, with the duel against the best one until then; and the curves up to there, if
    there is more than one evaluation.
    """
    folder, config, kept, history = job
    policy = policy_after(folder, kept.step)
    games, ruleset, teams = config.evaluation_games, config.ruleset, config.partition
    evaluation = evaluate_policy(policy, pool_of(config), games, Seed.SELECTION, ruleset, teams=teams)
    best = best_step(history)
    of_best = {one.opponent: one.mean for one in history if one.step == best}
    if best is not None and BEST in config.evaluation_pool:
        ours, theirs = play_duel(policy, policy_after(folder, best), games, Seed.SELECTION, ruleset, teams)
        evaluation = replace(evaluation, results=(*evaluation.results, replace(ours, opponent=BEST)))
        of_best[BEST] = theirs.win_rate.estimate
    win_rates = win_rates_of(evaluation, kept.step, kept.seconds, of_best)
    return win_rates, draw_curves([*history, *win_rates]) if history else b""


def pool_of(config: TrainingConfig) -> list[str]:
    """Whom a policy meets that is evaluated alone."""
    return [name for name in config.evaluation_pool if name != BEST]


def policy_after(folder: Path, step: int) -> Path:
    """The file of the policy of a run that had learned from so many decisions."""
    return folder / _POLICIES / f"{step:012}.zip"
