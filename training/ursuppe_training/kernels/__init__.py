"""What a step does to one game, compiled for processor and GPU, and the memory that it and torch share."""

from pathlib import Path

from ursuppe_env.compilation.compiler import compiler_for

#: The decorator for the compiled code.
compiled = compiler_for(
    "training", [Path(__file__).with_name(f"{name}.py") for name in ("games", "outcome", "seating")]
)
