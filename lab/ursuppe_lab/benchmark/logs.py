"""Sets of games to learn from, played anew by anybody from agents and seeds, and games held out of them.

An agent that gives chances of winning (``ursuppe_agents.evaluator.Predictor``) is asked for them as rounds 2, 3 and 4
of the games held out begin, that is after rounds 1, 2 and 3.
"""

from itertools import chain

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from ursuppe_agents.evaluator import Predictor
from ursuppe_env import Games, Ruleset
from ursuppe_env.records.replay import replay_together
from ursuppe_lab.recording import Recording, played_games
from ursuppe_lab.statistics import Interval, bootstrap

_SMALL = 10  # the part of a set that its small version has: the first games of each table
_DIGITS = 5  # of a score: the sums of a network differ from machine to machine in later ones
_PREDICTED_IN = (2, 3, 4)  # rounds that begin
_BETWEEN_TABLES, _HELD_OUT = 10**6, 9 * 10**5  # seeds: from a table to the next; to its games held out


class Logs(BaseModel):
    """The sets of a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int  # of the first game; no two games have the same one
    games: int  # of each set; its tables play as many each
    held_out: int  # games of each set that nobody learns from
    sets: dict[str, tuple[tuple[str, ...], ...]]  # by name: its tables, of each the specs of the seats

    @property
    def agents(self) -> list[str]:
        """All that play in them."""
        return [*dict.fromkeys(chain.from_iterable(chain.from_iterable(self.sets.values())))]

    def recordings(self, name: str, ruleset: Ruleset, small: bool = False, held_out: bool = False) -> list[Recording]:
        """The games of a set, table by table; a tenth of them, or those that nobody learns from."""
        tables = self.sets[name]
        games = (self.held_out if held_out else self.games // _SMALL if small else self.games) // len(tables)
        before = chain.from_iterable([*self.sets.values()][: [*self.sets].index(name)])
        start = self.seed + _HELD_OUT * held_out + _BETWEEN_TABLES * len([*before])
        seeds = range(start, start + _BETWEEN_TABLES * len(tables), _BETWEEN_TABLES)
        return [Recording(games, ruleset, agents, seed) for agents, seed in zip(tables, seeds, strict=True)]

    def brier_scores(self, predictor: Predictor, ruleset: Ruleset) -> dict[str, Interval]:
        """How far predicted chances of winning are from who won, by set, with 95 % intervals by games held out.

        The Brier score: the squared differences of all seats in sum, 0 ... 2. Equal chances of P seats have 1 - 1/P.
        """
        found = {}
        for name in self.sets:
            of_tables = self.recordings(name, ruleset, held_out=True)
            scores = np.concatenate([_scores(predictor, recording) for recording in of_tables])
            score = bootstrap(scores, np.random.default_rng(self.seed))
            ends = (None if end is None else round(end, _DIGITS) for end in score[1:])
            found[name] = Interval(round(score.estimate, _DIGITS), *ends)
        return found


def _scores(predictor: Predictor, recording: Recording) -> NDArray[np.float64]:
    """The mean score of each game that reached round 2."""
    records = list(played_games(recording, range(recording.games)))
    asked: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []  # rows, and their chances
    reached = np.ones(len(records), np.int64)
    for moment in replay_together(records):
        games, rows = moment.games, moment.rows
        now = games.state["round"][rows].astype(np.int64)
        begins = rows[(now > reached[rows]) & np.isin(now, _PREDICTED_IN)]
        reached[rows] = np.maximum(reached[rows], now)
        if len(begins):
            asked.append((begins, _chances(predictor, games, begins)))
    rows, chances = (np.concatenate(parts) for parts in zip(*asked, strict=True))
    won = games.winner[rows, None] == np.arange(recording.ruleset.players)
    of_positions = np.square(chances - won).sum(axis=1)
    counts = np.bincount(rows, minlength=len(records))
    return (np.bincount(rows, of_positions, len(records)) / np.maximum(counts, 1))[counts > 0]


def _chances(predictor: Predictor, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.asarray(predictor.values(games, rows), np.float64)
    shape = len(rows), games.num_players
    if found.shape != shape or not (np.all(found >= 0) and np.allclose(found.sum(axis=1), 1, atol=1e-4)):
        raise ValueError(f"values of {type(predictor).__name__} must be {shape} chances, of each game in sum 1")
    return found
