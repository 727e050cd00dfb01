"""Look-ahead and play-outs: what ``greedy`` and ``search`` think with."""

from pathlib import Path

from ursuppe_env.compilation.compiler import compiler_for

#: The decorator for the compiled code.
compiled = compiler_for("greedy", (Path(__file__).with_name(f"{module}.py") for module in ("greedy", "value")))
