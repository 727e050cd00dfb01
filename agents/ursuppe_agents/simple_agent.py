"""The two simplest agents: a random one, and a base for those who would rather not think of many games at once."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_agents.draws import bits_of
from ursuppe_env import Games
from ursuppe_env.validation import checked_decisions


class RandomAgent(Agent):
    """``random``: takes uniformly random legal actions."""

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        if rows.size == 0:
            return rows
        masks = games.copy(rows).legal()
        legal = np.nonzero(masks)[1]  # of all rows, one after the other
        counts = np.count_nonzero(masks, axis=1)
        drawn = (self.uniform(games, rows) * counts).astype(np.int64)
        return legal[np.cumsum(counts) - counts + drawn]


class SimpleAgent(Agent):
    """Plays one game at a time; a subclass implements ``choose``."""

    @abstractmethod
    def choose(self, game: Games, actions: list[str]) -> str:
        """Choose for the player who is about to act, ``game.player[0]``.

        Args:
            game: a copy of the game, a batch of one, with dice of its own: play on in it as you like.
            actions: the legal ones, two or more, as docs/rules.md writes them, such as ``"drift"``.
                ``game.actions.id(action, player)`` is what ``game.step`` takes.

        Returns:
            One of ``actions``.
        """

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ask ``choose`` about each of the games.

        Raises:
            Fault: it chose something else.
        """
        chosen = []
        rows = checked_decisions(rows, games.player)
        for row, stream in zip(rows.tolist(), bits_of(games, rows, self.key).tolist(), strict=True):
            game = games.copy([row], reseed=stream >> 1)
            player = int(game.player[0])
            ids = {game.actions.text(int(id), player): int(id) for id in np.flatnonzero(game.legal()[0])}
            action = self.choose(game, list(ids))
            if action not in ids:
                raise Fault(row, f"chose {action!r}; it must choose one of: {', '.join(ids)}")
            chosen.append(ids[action])
        return np.array(chosen, np.int64)
