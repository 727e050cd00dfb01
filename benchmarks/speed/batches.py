"""Many games at once, by number of games and of threads."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.cli.speed import Course, Effort

DECISIONS = 2**17  # in a sample
EFFORT = Effort(repetitions=1, decisions=DECISIONS, calls=1024)  # with few games Python is the slow part


class Batches:
    """Time of 131,072 decisions; of steps with one game 1,024, with 64 games 65,536."""

    params = ([1, 64, 1024, 4096], [1])
    param_names = ("games", "threads")
    number = 1  # `setup` before each sample
    repeat = (5, 50, 1.0)
    rounds = 3

    def setup(self, games: int, threads: int) -> None:
        """Copy the games as they were prepared."""
        self.course = course(games, threads, EFFORT)
        self.games = self.course.games.copy()
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
        for actions, reset in zip(self.course.actions, self.course.resets, strict=True):
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


course = cache(Course.prepare)
