"""The decorator for the compiled code of training."""

from pathlib import Path

from ursuppe_env.compilation.compiler import compiler_for

_KERNELS = Path(__file__).resolve().parent / "kernels"

compiled = compiler_for("training", [_KERNELS / name for name in ("games.py", "outcome.py", "seating.py")])
