"""The job that every trainer does, and the watch that is held on it."""

import time
from typing import NamedTuple

from ursuppe_training.config import SELF, TrainingConfig, read_config

THREADS = 2  # for all of them
ITERATIONS = 2  # rollouts with their updates, from nothing; the first one does not count
_ROLLOUT = 128  # decisions of each game; PufferLib's minibatches are of whole rows of them

#: Who learns, and who plays in the other seats: the same policy, which learns there as well, or an agent.
SEATS = {"every seat": SELF, "one seat": "random"}


class Times(NamedTuple):
    """Seconds of a rollout and of the update after it."""

    collecting: float
    updating: float


class Measured(NamedTuple):
    """What a trainer took for the job, one entry an iteration, and the weights that its network has."""

    times: list[Times]
    weights: int


class Watch:
    """Tells collecting and updating apart in a loop that does them by turns."""

    def __init__(self) -> None:
        self._began: list[float] = []  # collecting, updating, collecting, ...

    def collecting(self) -> None:
        """The trainer collects, from now on or still."""
        if len(self._began) % 2 == 0:
            self._began.append(time.perf_counter())

    def updating(self) -> None:
        """The trainer updates, from now on or still."""
        if len(self._began) % 2 == 1:
            self._began.append(time.perf_counter())

    def stop(self) -> list[Times]:
        """The last update is over; all times."""
        ends = [*self._began[1:], time.perf_counter()]
        seconds = [end - began for began, end in zip(self._began, ends, strict=True)]
        return [Times(*pair) for pair in zip(seconds[::2], seconds[1::2], strict=True)]


def job(seats: str) -> TrainingConfig:
    """The network, epochs and minibatches of ``standard``, with the cheapest opponents; one of ``SEATS``."""
    config = read_config("standard").changed({"opponents": {SEATS[seats]: 1.0}, "teachers": (), "rulesets": "given"})
    config = config.changed({"rollout": _ROLLOUT})
    return config.changed({"steps": ITERATIONS * decisions(config)})


def decisions(config: TrainingConfig) -> int:
    """That are learned from in an iteration."""
    return config.rollout * config.envs
