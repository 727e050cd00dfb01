"""Observers of games while they are played."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games


class Observer:
    """Sees every step of a batch of games, in which it changes nothing; a subclass overrides what it needs."""

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        """In these rows, (n,), an agent has chosen these actions, (n,), perhaps illegal, in so many seconds in all."""

    def forfeited(self, games: Games, rows: NDArray[np.int64]) -> None:
        """In these rows, (n,), an agent had no action of its own, and a random one is about to be taken."""

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        """The actions have been taken, and the games in these rows, (n,), stand where they lead to."""

    def round_over(self, games: Games, rows: NDArray[np.int64]) -> None:
        """The games in these rows, (n,), pause after a round; only those that were told to pause ever do."""


class ActionLog(Observer):
    """Keeps what is done."""

    def __init__(self, num_games: int) -> None:
        self.ids: list[list[int]] = [[] for _ in range(num_games)]  # of the actions of each game

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            self.ids[row].append(action)


class Tally(Observer):
    """Counts the decisions of each seat, (N, P), those forfeited, and how long they took."""

    def __init__(self, num_games: int, players: int) -> None:
        self.decisions = np.zeros((num_games, players), np.int32)  # with two or more legal actions
        self.forfeits = np.zeros((num_games, players), np.int32)  # with a random action: the agent had none of its own
        self.seconds = np.zeros((num_games, players), np.float32)  # several games at once share the time equally

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        self._seats = games.state["player"][rows]
        self._share = seconds / len(rows)

    def forfeited(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.forfeits[rows, games.state["player"][rows]] += 1

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.decisions[rows, self._seats] += 1
        self.seconds[rows, self._seats] += self._share
