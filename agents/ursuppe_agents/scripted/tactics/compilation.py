"""The compiler of the tactics: an edit of any of them compiles them anew."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_FOLDER = Path(__file__).resolve().parent

compiled = compiler_for("scripted", [*_FOLDER.glob("*.py"), _FOLDER.parent / "strategy.py"])
