"""The decorator for the compiled code of the value function, the look-ahead and the tree search."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_AGENTS = Path(__file__).resolve().parent.parent

#: Playing on with a scripted strategy is part of the search.
_SCRIPTED = [_AGENTS / "scripted" / "strategy.py", *_AGENTS.glob("scripted/tactics/*.py")]
compiled = compiler_for("search", [_AGENTS / "value.py", *_AGENTS.glob("search/*.py"), *_SCRIPTED])
