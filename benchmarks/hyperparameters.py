"""Which numbers of PPO make the strongest policy: a sweep by Optuna's sampler, then the best ones with more seeds.

``python benchmarks/hyperparameters.py --initial runs/mine/latest.zip``: every trial goes on from the same policy, so
that trials differ by their numbers more than by their luck at the beginning. The first trial is the preset as it is,
the next ones change one of its numbers each, and then the sampler chooses. A trial takes as long as a training of so
many decisions and its evaluation: with 3,000,000 on two cores some three minutes. Trials are judged by how often they
win alone among three of an agent, of the initial policy, and at mixed tables, as the mean of all tables in both ways of
playing, on dice of no training and of no other measurement. The dice of the second part are others again: the best of
many was lucky where it was chosen.

``runs/hyperparameters`` (``--out``) has the trials, and the same command goes on where it was interrupted.
"""

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState
from rich.console import Console
from rich.progress import track
from rich.table import Table

from ursuppe_agents.registry import agent_spec
from ursuppe_training.config import MIXED, TrainingConfig, preset_names, read_config
from ursuppe_training.evaluation import WAYS, Evaluation, evaluate_policy
from ursuppe_training.run_evaluations import LATEST
from ursuppe_training.runs import Run

#: What is drawn for a trial; ``final_entropy`` is the same part of ``entropy`` as in the preset.
SPACE: dict[str, BaseDistribution] = {
    "entropy": FloatDistribution(0.002, 0.1, log=True),
    "clip_range": FloatDistribution(0.025, 0.2, log=True),
    "epochs": IntDistribution(1, 3),
    "learning_rate": FloatDistribution(1e-4, 1e-3, log=True),
    "final_learning_rate": FloatDistribution(5e-6, 1e-4, log=True),
    "gae_lambda": CategoricalDistribution([0.9, 0.95, 0.98]),
    "magnet": CategoricalDistribution([0.0, 0.05, 0.2]),
}
#: The first trials change one number of the preset each, the very first none.
_FIRST: tuple[dict[str, float], ...] = (
    {},
    {"entropy": 0.005},
    {"entropy": 0.06},
    {"clip_range": 0.1},
    {"magnet": 0.05},
    {"gae_lambda": 0.9},
    {"gae_lambda": 0.98},
    {"epochs": 2},
    {"learning_rate": 2e-4},
    {"learning_rate": 8e-4},
    {"final_learning_rate": 1e-4},
)
_POOL = ("breeder", "hoarder", "hunter", "greedy", MIXED)
_SWEEP_SEED = 2**60  # of games of no training, and of no other measurement
_CONFIRMATION_SEED = _SWEEP_SEED + 1
_CONSOLE = Console(width=120)


def main() -> None:
    """Train, measure, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="standard", choices=preset_names(), help="what is not drawn")
    parser.add_argument("--initial", default="", help="the file of a policy that all trials go on from")
    parser.add_argument("--steps", type=int, default=3_000_000, help="decisions of a trial")
    parser.add_argument("--trials", type=int, default=14)
    parser.add_argument("--games", type=int, default=600, help="of each table, in each way of playing")
    parser.add_argument(
        "--confirm", type=int, default=2, help="how many of the best, beside the first, have more seeds"
    )
    parser.add_argument("--seeds", type=int, default=3, help="of these")
    parser.add_argument("--out", type=Path, default=Path("runs/hyperparameters"))
    arguments = parser.parse_args()
    preset = read_config(arguments.preset)
    shared = trial_settings(preset, arguments.initial, arguments.steps)
    arguments.out.mkdir(parents=True, exist_ok=True)
    study = study_in(arguments.out, preset)
    while (trial := next_trial(study, arguments.trials)) is not None:
        _CONSOLE.print(f"trial {trial.number}: {shown(trial.params)}")
        config = configured(shared, preset, trial.params)
        measured = measure(arguments.out / f"trial-{trial.number}", config, arguments.games, _SWEEP_SEED)
        study.tell(trial.number, score(measured))
        _CONSOLE.print(f"trial {trial.number}: {score(measured):.1%}")
    _CONSOLE.print(table_of_trials(study))
    chosen = chosen_trials(study, arguments.confirm)
    scores: dict[int, list[Evaluation]] = {trial.number: [] for trial in chosen}
    for seed in track(range(1, arguments.seeds + 1), "seeds"):  # 0 is that of the sweep
        for trial in chosen:
            config = configured(shared, preset, trial.params).changed({"seed": seed})
            folder = arguments.out / f"trial-{trial.number}-seed-{seed}"
            scores[trial.number].append(measure(folder, config, arguments.games, _CONFIRMATION_SEED))
    _CONSOLE.print(table_of_seeds(chosen, scores))


def trial_settings(preset: TrainingConfig, initial: str, steps: int) -> TrainingConfig:
    """The settings that all trials share: next to nothing is measured on the way, and an initial policy had lessons."""
    changes: dict[str, Any] = {
        "steps": steps,
        "initial_policy": initial,
        "evaluate_every": 100 * steps,
        "checkpoint_every": 100 * steps,
        "evaluation_pool": ("greedy",),
        "evaluation_games": preset.players,
    }
    if initial:
        changes |= {"teachers": ()}
    return preset.changed(changes)


def study_in(folder: Path, preset: TrainingConfig) -> optuna.Study:
    """The study that is kept in a folder, a new one with the first trials."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        storage=JournalStorage(JournalFileBackend(str(folder / "trials.log"))),
        sampler=optuna.samplers.TPESampler(seed=0, multivariate=True, n_startup_trials=len(_FIRST)),
        study_name="hyperparameters",
        direction="maximize",
        load_if_exists=True,
    )
    if not study.trials:
        for changes in _FIRST:
            study.enqueue_trial({name: getattr(preset, name) for name in SPACE} | changes)
    return study


def next_trial(study: optuna.Study, most: int) -> FrozenTrial | None:
    """One that was interrupted, or else a new one; None: there are enough."""
    interrupted = study.get_trials(states=(TrialState.RUNNING,))
    if interrupted:
        return interrupted[0]
    if len(study.get_trials(states=(TrialState.COMPLETE,))) >= most:
        return None
    asked = study.ask(SPACE)
    return study.trials[asked.number]


def configured(shared: TrainingConfig, preset: TrainingConfig, numbers: dict[str, Any]) -> TrainingConfig:
    """The settings of a trial with these numbers."""
    final_entropy = numbers["entropy"] * preset.final_entropy / preset.entropy
    return shared.changed(numbers | {"final_entropy": final_entropy})


def measure(folder: Path, config: TrainingConfig, games: int, seed: int) -> Evaluation:
    """How often a policy with these settings wins, trained in this folder, or trained further if it was begun."""
    Run.begin_or_resume(folder, config, _CONSOLE.print).train(finish=lambda *_: None)
    pool = list(_POOL)
    if config.initial_policy:
        pool.insert(0, agent_spec("policy", model=config.initial_policy))
    return evaluate_policy(folder / LATEST, pool, games, seed, workers=None)


def score(evaluation: Evaluation, way: str | None = None) -> float:
    """The mean win rate over all tables, in one way of playing or in both."""
    rates = [result.win_rate.estimate for result in evaluation.results if way in (None, result.way)]
    return statistics.mean(rates)


def chosen_trials(study: optuna.Study, count: int) -> list[FrozenTrial]:
    """The first trial, and the best ones beside it."""
    first, *others = study.get_trials(states=(TrialState.COMPLETE,))
    return [first, *sorted(others, key=lambda trial: -(trial.value or 0))[:count]]


def shown(numbers: dict[str, Any]) -> str:
    """The numbers of a trial in a line."""
    return ", ".join(f"{name} {number:.3g}" for name, number in numbers.items())


def table_of_trials(study: optuna.Study) -> Table:
    """All trials, the best first."""
    table = Table("trial", *SPACE, "wins", title="trials")
    for trial in sorted(study.get_trials(states=(TrialState.COMPLETE,)), key=lambda trial: -(trial.value or 0)):
        table.add_row(str(trial.number), *(f"{trial.params[name]:.3g}" for name in SPACE), f"{trial.value:.1%}")
    return table


def table_of_seeds(chosen: Sequence[FrozenTrial], scores: dict[int, list[Evaluation]]) -> Table:
    """The wins of each seed and their mean."""
    table = Table("trial", "numbers", "plays", "wins of each seed", "mean", title="more seeds, other dice")
    for trial in chosen:
        for way in WAYS:
            rates = [score(evaluation, way) for evaluation in scores[trial.number]]
            each = " ".join(f"{rate:.1%}" for rate in rates)
            table.add_row(str(trial.number), shown(trial.params), way, each, f"{statistics.mean(rates):.1%}")
    return table


if __name__ == "__main__":
    main()
