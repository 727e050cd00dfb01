"""The decorator for the compiled code of policies that see the board."""

from pathlib import Path

from ursuppe_agents.search import value
from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent

compiled = compiler_for("board", [*_HERE.glob("*.py"), Path(value.__file__)])
