"""Win rates and how sure they are."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

RESAMPLES = 10_000


class Interval(NamedTuple):
    """A mean and the interval that holds it."""

    mean: float
    low: float
    high: float


def bootstrap(values: ArrayLike, generator: np.random.Generator, confidence: float = 0.95) -> Interval:
    """The mean of the values with a percentile bootstrap interval, which resamples whole values.

    Games that share a seed are not independent: give the mean of each seed as one value.

    Args:
        values: (S,) numbers, at least one.
        generator: draws the resamples.
        confidence: between 0 and 1.

    Raises:
        ValueError: ``values`` is not (S,) numbers with S of at least 1, or ``confidence`` is out of its range.
    """
    sample: NDArray[np.float64] = np.asarray(values, np.float64)
    if sample.ndim != 1 or len(sample) == 0:
        raise ValueError(f"values has shape {sample.shape}; it must be (S,) with at least one value")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; it must be between 0 and 1")
    distinct, counts = np.unique(sample, return_counts=True)  # a few, so that no resample is ever spelled out
    resampled = generator.multinomial(len(sample), counts / len(sample), size=RESAMPLES) @ distinct / len(sample)
    low, high = np.quantile(resampled, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(sample.mean()), float(low), float(high))
