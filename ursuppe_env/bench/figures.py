"""What a measurement gives: figures, the goals they should reach, and the effort they take."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from ursuppe_env.counts import counted

Unit = str  # "decisions/s", "s", "times" or "numbers", or what the measurements of other packages give


@dataclass(frozen=True)
class Goal:
    """What a figure should reach: at least (speeds) or at most (times, sizes) this value."""

    value: float
    at_least: bool = True

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.value:,.10g}"

    def is_reached(self, value: float) -> bool:
        """Does the value reach it?"""
        return value >= self.value if self.at_least else value <= self.value


@dataclass(frozen=True)
class Figure:
    """One measured number: the values of all repetitions, and the goal where there is one."""

    name: str
    unit: Unit
    values: tuple[float, ...]
    goal: Goal | None = None
    batch: int | None = None
    threads: int | None = None

    @property
    def label(self) -> str:
        """The name with threads and batch, where they are given: ``2 threads against one: play, 4,096 games``."""
        threads = "" if self.threads is None else f"{self.threads} "
        return threads + self.name + ("" if self.batch is None else f", {counted(self.batch, 'game')}")

    @property
    def median(self) -> float:
        """The middle of the repetitions."""
        return median(self.values)

    @property
    def is_reached(self) -> bool | None:
        """Does the median reach the goal? None without a goal."""
        return None if self.goal is None else self.goal.is_reached(self.median)

    def as_dict(self) -> dict[str, Any]:
        """The figure for JSON."""
        return {
            "name": self.name,
            "batch": self.batch,
            "threads": self.threads,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "repetitions": len(self.values),
            "goal": None if self.goal is None else str(self.goal),
            "reached": self.is_reached,
        }


class Unavailable(Exception):
    """What is to be measured is not installed; the text says what is missing."""


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    repetitions: int
    decisions: int  # in one repetition, many games at once
    calls: int  # in one repetition at most, where Python is the slow part
    starts: int  # processes started to measure importing and the first game


Measure = Callable[[Effort], list[Figure]]  # may raise Unavailable

FULL = Effort(repetitions=7, decisions=1_000_000, calls=20_000, starts=5)
QUICK = Effort(repetitions=3, decisions=100_000, calls=1_000, starts=1)


def repeated(name: str, once: Callable[[], float], effort: Effort, goal: Goal | None = None) -> Figure:
    """The figure in decisions/s of what ``once`` measures."""
    return Figure(name, "decisions/s", tuple(once() for _ in range(effort.repetitions)), goal)
