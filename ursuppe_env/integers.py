"""What counts as an integer, for all checks of arguments, rulesets, positions and files."""

from typing import Any

import numpy as np

from ursuppe_env.line import quoted


def is_integer(value: object) -> bool:
    """Python's or NumPy's, but no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_integer(name: str, value: Any, low: int, high: int) -> int:
    """An integer from ``low`` to ``high``.

    Raises:
        ValueError: it is something else; the message names it.
    """
    if not is_integer(value) or not low <= value <= high:
        raise ValueError(f"{name} is {quoted(value)}; it must be an integer from {low} to {high}")
    return int(value)
