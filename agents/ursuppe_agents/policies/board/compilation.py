"""The decorator for the compiled code of policies that see the board."""

from pathlib import Path

from ursuppe_agents.search import value
from ursuppe_env.rules.compilation import compiler_for

_HERE = Path(__file__).resolve().parent

#: ``weights.py`` has constants of the compiled layers.
_SOURCES = [_HERE / name for name in ("effects.py", "forward.py", "inputs.py", "vectors.py", "weights.py")]

compiled = compiler_for("board", [*_SOURCES, Path(value.__file__)])
