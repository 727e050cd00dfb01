"""Many games at once, by number of games and of threads."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games

DECISIONS = 2**17  # in a sample
STEPS = 1024  # in a sample at most: with few games Python is the slow part
WARM_UP = 1000  # decisions a game, so that the games of a batch are spread over the course of a game
_MOST_FINISHED = 1 / 32  # share of finished games from which on they are reset


class Batches:
    """Time of 131,072 decisions; of steps with one game 1,024, with 64 games 65,536."""

    params = ([1, 64, 1024, 4096], [1])
    param_names = ("games", "threads")
    number = 1  # `setup` before each sample
    repeat = (5, 50, 1.0)
    rounds = 3

    def setup(self, games: int, threads: int) -> None:
        """Copy the games as they were prepared."""
        start, self.actions, self.resets = prepared(games, threads)
        self.games = start.copy()
        self.mask = self.games.legal()
        self.observation = self.games.observe()

    def time_play_random(self, games: int, threads: int) -> None:
        """``play_random``: choices, rules and restarts in compiled code."""
        self.games.play_random(DECISIONS // games, restart=True)

    def time_step_legal(self, games: int, threads: int) -> None:
        """``legal`` and ``step``, with actions prepared beforehand."""
        self._step(observe=False)

    def time_step_legal_observe(self, games: int, threads: int) -> None:
        """``observe`` as well."""
        self._step(observe=True)

    def time_step_observe_with_masks(self, games: int, threads: int) -> None:
        """Both in one pass."""
        self._step(observe=True, masks=self.mask)

    def _step(self, observe: bool, **together: NDArray[np.int8]) -> None:
        for actions, reset in zip(self.actions, self.resets, strict=True):
            if not together:
                self.games.legal(out=self.mask)
            if observe:
                self.games.observe(out=self.observation, **together)
            self.games.step(actions)
            if reset:
                self.games.reset(mask=self.games.finished)


class TwoThreads(Batches):
    """The same, with enough games for both."""

    params = ([4096], [2])


@cache
def prepared(games: int, threads: int) -> tuple[Games, list[NDArray[np.int64]], list[bool]]:
    """Games in full swing, random actions for them, and after which steps finished games are reset."""
    start = Games(games, seed=1, threads=threads)
    start.play_random(WARM_UP, restart=True)
    start.reset(mask=start.finished)
    ahead = start.copy()  # with the same dice
    actions, resets = [], []
    for _ in range(min(STEPS, DECISIONS // games)):
        actions.append(ahead.step_random())
        resets.append(bool(ahead.finished.mean() > _MOST_FINISHED))
        if resets[-1]:
            ahead.reset(mask=ahead.finished)
    return start, actions, resets
