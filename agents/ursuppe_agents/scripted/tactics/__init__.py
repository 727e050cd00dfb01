"""How scripted players decide, compiled: one module a phase of the rules, shared by all strategies."""

from pathlib import Path

import numpy as np

from ursuppe_env.compilation.compiler import compiler_for
from ursuppe_env.rules.genes import NUM_PURCHASES

#: The decorator for the compiled code.
compiled = compiler_for("scripted", [*Path(__file__).resolve().parent.glob("*.py")])

#: A strategy (``ursuppe_agents.scripted.agents``) as tactics read it.
STRATEGY = np.dtype(
    [
        ("num_wishes", np.int64),
        ("wishes", np.int64, (NUM_PURCHASES,)),  # purchases, the dearest wish first
        ("rank", np.int64, (NUM_PURCHASES,)),  # of each purchase among the wishes; num_wishes if it is none
        ("colony", np.int64),
        ("reserve", np.int64),
        ("debt", np.float64),
        ("ransom", np.int64),
        ("effort", np.float64),
    ],
    align=True,
)
