"""How scripted players decide, compiled: one module a phase of the rules, shared by all strategies."""

from pathlib import Path

from ursuppe_env.compilation.compiler import compiler_for

_FOLDER = Path(__file__).resolve().parent

#: The decorator for the compiled code.
compiled = compiler_for("scripted", [*_FOLDER.glob("*.py"), _FOLDER.parent / "strategy.py"])
