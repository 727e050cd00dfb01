"""The decorator for the compiled code of training."""

from pathlib import Path

from ursuppe_agents.policies import SOURCES
from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent
_COMPILED = (
    *("networks/heads.py", "networks/outcome_head.py"),
    *("kernels/bodies.py", "kernels/outcome.py", "kernels/seating.py"),
)

compiled = compiler_for("training", [*SOURCES, *(_HERE / name for name in _COMPILED)])
