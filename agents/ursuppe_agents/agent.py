"""What an agent is: it plays any seats of many games at once."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ursuppe_agents.draws import uniform_of
from ursuppe_env import Games
from ursuppe_env.envs.aec import raw_env
from ursuppe_env.line import quoted
from ursuppe_env.teams import Teams
from ursuppe_env.threads import lent
from ursuppe_env.validation import checked_decisions


class Fault(ValueError):
    """An agent failed in one of the games that it was asked about; it may say so itself, by raising this in ``act``.

    Attributes:
        row: of the games.
        what: it did, in words that go on after its name.
        agent: its name, for those who know no other.
    """

    def __init__(self, row: int, what: str, agent: str = "the agent") -> None:
        super().__init__(row, what, agent)
        self.row = row
        self.what = what
        self.agent = agent

    def __str__(self) -> str:
        return f"{self.agent} {self.what} (row {self.row} of its games)"


class Agent(ABC):
    """Plays any seats of many games at once; a subclass implements ``act``.

    Args:
        generator: where its random choices come from, and nowhere else. Subclasses add their parameters after it,
            by keyword alone, each with its type (int, float, str or bool) and a default if there is a sensible one;
            ``ursuppe_agents.make_agent`` reads them from the signature.

    An agent changes nothing in the games, and does not read their random streams to learn the future. One that draws
    by ``uniform`` plays the same game whatever the games beside it.

    Attributes:
        generator: as given.
        key: 64 bits, from the generator: with the game and the position they give what ``uniform`` draws. Who plays a
            tournament in batches sets the same one in each of them.
    """

    deterministic: bool = False
    """Does the same position always get the same action? Then the generator is not used. A class attribute, or set
    by ``__init__`` where it depends on the parameters."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        try:
            self.key = int(generator.integers(2**64, dtype=np.uint64))
        except AttributeError:
            right = "it must be a random generator of NumPy, such as numpy.random.default_rng(0)"
            raise ValueError(f"generator is {quoted(generator)}; {right}") from None

    teams: Teams | None = None
    """Who plays together in the games that it plays; None: each seat for itself. Set by whoever gives it its seats
    (arena, environments, ``ursuppe play``, ``ursuppe record``), for agents that look at it."""

    forfeited: NDArray[np.int64] = np.empty(0, np.int64)
    """The rows of the last ``act`` in which it had no action of its own, and took a random one in its place."""

    @abstractmethod
    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose for the players who are about to act.

        Args:
            games: as they stand; left as they are.
            rows: (n,) the games to act in; in each of them ``games.player`` is about to act.

        Returns:
            (n,) a legal action for each of these rows.
        """

    def uniform(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n,) random numbers, 0 ... 1 without 1, for these rows, (n,), of the games.

        Each depends on the key, the game and where it stands alone.
        """
        return uniform_of(games, checked_decisions(rows, games.player), self.key)

    def prepare(self, games: Games) -> None:
        """Load and compile what decisions in such games need, so that the first one takes no longer than others.

        Args:
            games: a batch of one at any decision; left as it is.
        """
        self.act(games, np.zeros(1, np.int64))

    def games_over(self, games: Games, rows: NDArray[np.int64]) -> None:  # noqa: B027  # most agents need not know
        """Hear that these games, (n,) rows, in which it had a seat, are over.

        The arena tells it; what else lets agents play may not.
        """

    def __call__(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same as ``act``, so that an agent is an ``Opponent`` of ``ursuppe_env.envs``."""
        return self.act(games, rows)

    def act_in(self, env: AECEnv) -> int | None:
        """The action to ``step`` the AEC environment with: ``env.step(agent.act_in(env))``; None once it is over.

        Raises:
            ValueError: it is no environment of this game.
        """
        game = getattr(env, "unwrapped", None)
        if not isinstance(game, raw_env):
            raise ValueError(f"env is {env}; it must be an environment of ursuppe_v0")
        if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            return None
        self.teams = game.teams
        with lent(game.games):
            return int(self.act(game.games, np.zeros(1, np.int64))[0])
