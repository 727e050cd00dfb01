"""A policy that sees the board: spaces, amoebas, seats and actions are sets, each with weights of its own.

``inputs.py`` says what the network gets of a position, ``rules.py`` what of its ruleset, ``effects.py`` what each legal
action changes at once, ``weights.py`` which layers there are, and ``network.py`` computes them (``forward.py``,
compiled); while it learns, ``ursuppe_training.networks.board`` does.
"""

from pathlib import Path

from ursuppe_agents.search import value
from ursuppe_env.compilation.compiler import compiler_for

#: ``weights.py`` has constants of the compiled layers.
_COMPILED = (
    Path(__file__).with_name(f"{module}.py") for module in ("effects", "forward", "inputs", "vectors", "weights")
)

#: The decorator for the compiled code.
compiled = compiler_for("board", [*_COMPILED, Path(value.__file__)])
