"""Look-ahead and Monte-Carlo tree search: what ``greedy`` and ``search`` think with."""

from pathlib import Path

from ursuppe_env.rules.compilation import compiler_for

_SEARCH = Path(__file__).resolve().parent
_SCRIPTED = _SEARCH.parent / "scripted"

#: The decorator for the compiled code; playing on with a scripted strategy is part of the search.
compiled = compiler_for("search", [*_SEARCH.glob("*.py"), _SCRIPTED / "strategy.py", *_SCRIPTED.glob("tactics/*.py")])
