"""The decorator for the compiled code of training."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent

compiled = compiler_for("training", [_HERE / "board_features.py", _HERE / "heads.py"])
