"""Estimates from games, and how certain they are."""

from ursuppe_lab.statistics.intervals import (
    FALSE_DISCOVERIES,
    FEWEST_SEEDS,
    RESAMPLES,
    Interval,
    Resampling,
    bootstrap,
    intervals,
    seed_means,
    shares,
)

__all__ = [
    "FALSE_DISCOVERIES",
    "FEWEST_SEEDS",
    "RESAMPLES",
    "Interval",
    "Resampling",
    "bootstrap",
    "intervals",
    "seed_means",
    "shares",
]
