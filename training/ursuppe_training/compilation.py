"""The decorator for the compiled code of training."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent
_COMPILED = (
    "board_features.py",
    "forward.py",
    "game_outcome.py",
    "heads.py",
    "outcome_head.py",
    "seat_features.py",
    "seating.py",
)

compiled = compiler_for("training", [_HERE / name for name in _COMPILED])
