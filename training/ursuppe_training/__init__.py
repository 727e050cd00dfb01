"""Training agents for Ursuppe, and measuring how well they play."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ursuppe_training.config import TrainingConfig, read_config
    from ursuppe_training.critics.fit import fit_critic
    from ursuppe_training.evaluation.evaluate import Evaluation, evaluate_policy, read_evaluation
    from ursuppe_training.exploit.evaluated import EvaluatedAgent, evaluated_agent
    from ursuppe_training.exploit.measuring import measure_exploitability
    from ursuppe_training.exploit.study import ExploitStudy, budgets_of
    from ursuppe_training.networks.averaging import average_policies
    from ursuppe_training.networks.board import BoardPolicy
    from ursuppe_training.networks.files import load_policy, new_policy, save_policy
    from ursuppe_training.runs.run import Run
    from ursuppe_training.runs.trainer import Trainer, train
    from ursuppe_training.several_seeds.runs import SeedRuns

_HOMES = {
    "config": ("TrainingConfig", "read_config"),
    "critics.fit": ("fit_critic",),
    "evaluation.evaluate": ("Evaluation", "evaluate_policy", "read_evaluation"),
    "exploit.evaluated": ("EvaluatedAgent", "evaluated_agent"),
    "exploit.measuring": ("measure_exploitability",),
    "exploit.study": ("ExploitStudy", "budgets_of"),
    "networks.averaging": ("average_policies",),
    "networks.board": ("BoardPolicy",),
    "networks.files": ("load_policy", "new_policy", "save_policy"),
    "runs.run": ("Run",),
    "runs.trainer": ("Trainer", "train"),
    "several_seeds.runs": ("SeedRuns",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BoardPolicy",
    "EvaluatedAgent",
    "Evaluation",
    "ExploitStudy",
    "Run",
    "SeedRuns",
    "Trainer",
    "TrainingConfig",
    "average_policies",
    "budgets_of",
    "evaluate_policy",
    "evaluated_agent",
    "fit_critic",
    "load_policy",
    "measure_exploitability",
    "new_policy",
    "read_config",
    "read_evaluation",
    "save_policy",
    "train",
]

# Read by torch's threads when torch is first imported. By default they spin while they wait for each other, and with
# anything else running on the machine an update then takes several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def __getattr__(name: str) -> Any:
    """What this package exports: imported when it is asked for, because torch takes seconds."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
