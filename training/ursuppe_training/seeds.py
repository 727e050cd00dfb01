"""Whose dice are whose: a single book of the seeds that anything is measured or chosen with.

Training takes the seeds of ``TrainingConfig``, which are all below 2**32. What was chosen on some dice is reported on
others: the best of many is lucky where it was chosen.
"""

from enum import IntEnum, unique
from typing import Any

from ursuppe_agents.policies.provenance import LARGEST_SEED
from ursuppe_env.parsing import is_integer


@unique
class Seed(IntEnum):
    """A purpose, and the seed of its games."""

    #: The evaluations during a run, by which its best policy is chosen.
    SELECTION = 2**63
    #: The figures of that policy at the end of the run.
    REPORT = 2**63 + 1
    #: ``ursuppe evaluate``, unless it is given another.
    EVALUATION = 2**63 + 2

    #: The games in which best responses are chosen.
    BEST_RESPONSE_SELECTION = 2**62
    #: The games that say what the chosen ones win.
    BEST_RESPONSE_REPORT = 2**62 + 1
    #: The first batch of games that a critic of its own is fitted to; the others follow.
    CRITIC = 2**61 + 2**60


def checked_seeds(seeds: Any) -> tuple[int, ...]:
    """The seeds of several runs.

    Raises:
        ValueError: they are no list of different seeds.
    """
    are_seeds = isinstance(seeds, (list, tuple)) and all(
        is_integer(seed) and 0 <= seed <= LARGEST_SEED for seed in seeds
    )
    if not are_seeds or not seeds or len(set(seeds)) < len(seeds):
        raise ValueError(f"seeds is {seeds!r}; it must be a list of different integers from 0 to {LARGEST_SEED}")
    return tuple(seeds)
