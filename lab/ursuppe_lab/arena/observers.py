"""Observers of games while they are played."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games


class Observer:
    """Sees every step of a batch of games; a subclass overrides what it needs.

    An observer changes nothing in the games.
    """

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        """An agent has chosen; its actions are about to be taken.

        Args:
            games: as it saw them.
            rows: (n,) the games that it was asked about.
            actions: (n,) what it chose; perhaps illegal.
            seconds: how long it thought about all of them.
        """

    def forfeited(self, games: Games, rows: NDArray[np.int64]) -> None:
        """In these rows, (n,), an agent had no action of its own, and a random one is about to be taken."""

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        """The actions have been taken, and the games in these rows, (n,), stand where they lead to."""

    def round_over(self, games: Games, rows: NDArray[np.int64]) -> None:
        """The games in these rows, (n,), pause after a round; only those that were told to pause ever do."""


class ActionLog(Observer):
    """Keeps what is done.

    Attributes:
        ids: of the actions of each game.
    """

    def __init__(self, num_games: int) -> None:
        self.ids: list[list[int]] = [[] for _ in range(num_games)]

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            self.ids[row].append(action)


class Tally(Observer):
    """Counts the decisions of each seat, those forfeited, and how long they took.

    Attributes:
        decisions: (N, P) with two or more legal actions.
        forfeits: (N, P) of these, with a random action because the agent had none of its own.
        seconds: (N, P) of thinking; several games thought about at once share the time equally.
    """

    def __init__(self, num_games: int, players: int) -> None:
        self.decisions = np.zeros((num_games, players), np.int32)
        self.forfeits = np.zeros((num_games, players), np.int32)
        self.seconds = np.zeros((num_games, players), np.float32)

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        self._seats = games.state["player"][rows]
        self._share = seconds / len(rows)

    def forfeited(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.forfeits[rows, games.state["player"][rows]] += 1

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.decisions[rows, self._seats] += 1
        self.seconds[rows, self._seats] += self._share
