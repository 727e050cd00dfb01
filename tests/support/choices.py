"""Random play of masked actions."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def choose(masks: ArrayLike, choices: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action for each game."""
    return np.array([choices.choice(np.flatnonzero(mask)) for mask in np.asarray(masks)])
