"""Whether ratings explain the games: the wins that they predict at each table, against those that were seen.

The intervals of ratings say nothing of whether one number an agent is enough: with ever more games they shrink around
worths that may predict no table.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ursuppe_lab.arena.lineups import Lineup
from ursuppe_lab.arena.ratings import Ratings
from ursuppe_lab.arena.tournament import Tournament
from ursuppe_lab.reports.text import as_json, lineup_name, percent, printable
from ursuppe_lab.statistics import FEWEST_SEEDS, Interval, Resampling, intervals, shares
from ursuppe_lab.statistics.discoveries import adjusted, counts, p_value
from ursuppe_lab.statistics.ratios import Bootstrapped


class Cell(NamedTuple):
    """The wins of one agent at one table, with all its seats there."""

    table: Lineup  # the first of those that differ in the places alone
    agent: str
    games: int  # at the table
    observed: Interval  # the share of them that it won
    predicted: Interval  # the share of the worths of all seats that its own have
    difference: Interval  # observed minus predicted
    error: float | None  # standard deviation of the difference, by chance; None if there are too few seeds
    p: float | None  # of so large a difference by chance, adjusted for the number of cells; None likewise

    @property
    def is_off(self) -> bool:
        """Is the prediction shown to be wrong, among all of them?"""
        return counts(self.p)

    def __str__(self) -> str:
        return (
            f"{printable(self.agent)} at the table {lineup_name(self.table)} wins {percent(self.observed)}, predicted "
            f"{percent(self.predicted)}"
        )


@dataclass(frozen=True)
class Fit:
    """How the wins that ratings predict differ from those that were seen."""

    num_seeds: int  # S, that the games have
    # Those that are off first, and of them the farthest; one for each agent at each table, but only one at a table of
    # two agents, that of the one with fewer seats, because the other has the rest.
    cells: list[Cell]

    @cached_property
    def rmse(self) -> float:
        """Root mean square of the differences of all cells."""
        return _root_mean_square([cell.difference.estimate for cell in self.cells])

    @cached_property
    def noise(self) -> float | None:
        """What it would be by chance if the predictions were right; None if there are too few seeds to tell."""
        errors = [cell.error for cell in self.cells if cell.error is not None]
        return _root_mean_square(errors) if len(errors) == len(self.cells) else None

    @cached_property
    def off(self) -> list[Cell]:
        """The cells whose prediction is wrong, at a false discovery rate of 5 %; the farthest off first."""
        return [cell for cell in self.cells if cell.is_off]

    @property
    def is_wrong(self) -> bool:
        """Is it shown that the ratings do not explain the games?"""
        return bool(self.off)

    def __str__(self) -> str:
        """In a sentence or two."""
        cells = f"{len(self.cells):,} predicted shares of wins" if len(self.cells) > 1 else "1 predicted share of wins"
        seen = f"{100 * self.rmse:.1f} points"
        if self.noise is None:
            few = f"{self.num_seeds} {'seed is' if self.num_seeds == 1 else 'seeds are'} too few"
            return f"{cells}, off by {seen} (RMSE); {few} to tell a misfit from chance, {FEWEST_SEEDS} are needed."
        beside = f"off by {seen} (RMSE), by chance alone {100 * self.noise:.1f}"
        if not self.is_wrong:
            return f"No misfit of the ratings is shown: {cells}, {beside}."
        return (
            f"The ratings do not explain the games: {cells}, {beside}; {len(self.off):,} shown to be wrong. "
            f"Farthest off: {self.off[0]}. The intervals of the ratings say nothing of this."
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON; what too few seeds cannot tell is null."""
        return {
            "says": str(self),
            "rmse": self.rmse,
            "noise": self.noise,
            "is_wrong": None if self.noise is None else self.is_wrong,
            "off": len(self.off),
            "cells": [
                {name: as_json(value) for name, value in cell._asdict().items() if name != "error"}
                | {"is_off": cell.is_off}
                for cell in self.cells
            ],
        }


def fit_of(
    ratings: Ratings,
    tournament: Tournament,
    lineup: NDArray[np.int64],  # (n,) the number of each game's lineup; each lineup plays each seed
    winners: NDArray[np.int64],  # (n,) the number of the agent that won each game
    seeds: NDArray[np.int64],  # (n,) the seed of each game, counted from 0
    resampling: Resampling,  # of these seeds, as of the ratings
) -> Fit | None:
    """Compare what ratings predict with the games that they were fitted to; None: no table has two agents."""
    agents, lineups = tournament.agents, tournament.lineups
    tables: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for number, seated in enumerate(lineups):
        if len(set(seated)) > 1:
            tables.setdefault(tuple(sorted(Counter(seated).items())), []).append(number)
    num_seeds = tournament.num_seeds
    cells: list[Cell] = []
    for numbers in tables.values():
        seated = lineups[numbers[0]]
        seats = np.array([seated.count(agent) for agent in agents])
        shown = sorted(np.flatnonzero(seats), key=lambda k: (seats[k], seated.index(agents[k])))
        if len(shown) == 2:
            shown = shown[:1]
        here = np.isin(lineup, numbers)
        games = int(here.sum())
        per_seed = games / num_seeds
        won = np.stack([np.bincount(seeds[here], winners[here] == k, num_seeds) for k in shown], axis=1) / per_seed
        observed, observed_again = won.mean(axis=0), resampling.means(won)
        predicted = _shares(ratings.logarithms, seats)[shown]
        predicted_again = _shares(ratings.resampled, seats)[:, shown]
        difference, difference_again = observed - predicted, observed_again - predicted_again
        estimates = zip(
            shares(observed, observed_again, games),
            intervals(predicted, predicted_again),
            intervals(difference, difference_again),
            strict=True,
        )
        for column, (k, found) in enumerate(zip(shown, estimates, strict=True)):
            apart = Bootstrapped(float(difference[column]), difference_again[:, column])
            error = apart.error(num_seeds) if apart.has_resamples else None
            p = _p_of(apart, num_seeds, round(observed[column] * games), games, float(predicted[column]))
            cells.append(Cell(seated, agents[k], games, *found, error, p))
    if not cells:
        return None
    together = [cell._replace(p=p) for cell, p in zip(cells, adjusted([cell.p for cell in cells]), strict=True)]
    return Fit(num_seeds, sorted(together, key=lambda cell: (not cell.is_off, -abs(cell.difference.estimate))))


def _shares(logarithms: NDArray[np.float64], seats: NDArray[np.int64]) -> NDArray[np.float64]:
    """(..., K) the chance that one of an agent's seats wins, with so many seats each, (K,)."""
    worths = seats * np.exp(logarithms)
    return worths / worths.sum(axis=-1, keepdims=True)


def _p_of(difference: Bootstrapped, num_seeds: int, wins: int, games: int, predicted: float) -> float | None:
    """The p-value by seeds, whose games are not independent, or by games if that is larger.

    An agent that has never won has won equally often in each seed, which says nothing of how often it might have.
    """
    by_seeds = p_value(difference, num_seeds)
    if by_seeds is None:
        return None
    by_games = 2 * min(scipy.stats.binom.cdf(wins, games, predicted), scipy.stats.binom.sf(wins - 1, games, predicted))
    return max(by_seeds, min(float(by_games), 1.0))


def _root_mean_square(numbers: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))
