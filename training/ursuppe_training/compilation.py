"""The decorator for the compiled code of training."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent
_COMPILED = ("board_features.py", "seat_features.py", "heads.py", "outcome_head.py", "forward.py")

compiled = compiler_for("training", [_HERE / name for name in _COMPILED])
