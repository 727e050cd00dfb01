"""Trained policies: how they play, without torch; their files, and those that come with the package."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent

#: The files of compiled code; what calls it is compiled anew with it, too.
SOURCES = tuple(_HERE / name for name in ("board_features.py", "forward.py", "seat_features.py"))

compiled = compiler_for("policies", SOURCES)
