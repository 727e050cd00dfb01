"""What an agent simulates at each decision, counted and held within a budget."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_agents.asking import chosen_actions
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games
from ursuppe_env.counting import counting
from ursuppe_lab.arena.matches import Matches
from ursuppe_lab.arena.play import COLUMNS

SIMULATED = "simulated"
#: Those of the arena, and how many decisions the agent simulated at each of its own; null where nobody counts.
COUNTED_COLUMNS = pl.Schema({**COLUMNS, SIMULATED: pl.List(pl.Int64)})


class Metered(Agent):
    """Asks an agent about one game at a time, and counts the decisions that it simulates at each of its own.

    The agent sees reseeded copies alone: the dice to come are none that the games will have. Nobody tells it that games
    are over.
    """

    def __init__(self, generator: np.random.Generator, agent: Agent, budget: int) -> None:
        super().__init__(generator)
        self.deterministic = agent.deterministic
        self.simulated: dict[int, list[int]] = defaultdict(list)  # by row of the games, how many at each decision
        self._agent, self._budget = agent, budget

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The agent's actions, (n,), in these rows, (n,); ``Fault`` if it crashes or simulates more than it may."""
        self._agent.key, self._agent.teams = self.key, self.teams
        shown = games.copy(reseed=self.key)
        actions, forfeited = np.empty(len(rows), np.int64), [self.forfeited[:0]]
        for place, row in enumerate(rows.tolist()):
            with counting() as count:
                actions[place] = chosen_actions(self._agent, shown, rows[place : place + 1])[0]
            if count.decisions > self._budget:
                raise Fault(row, f"simulated {count.decisions:,} decisions at one; the task allows {self._budget:,}")
            self.simulated[row].append(count.decisions)
            forfeited.append(self._agent.forfeited)
        self.forfeited = np.concatenate(forfeited)
        return actions


def with_simulated(rows: pl.DataFrame, matches: Matches) -> pl.DataFrame:
    """The rows of ``rows_of``, with the column of what was counted in their matches."""
    metered = [agent.simulated for agent in matches.agents.values() if isinstance(agent, Metered)]
    counts = [[*chain.from_iterable(simulated[row] for simulated in metered)] for row in range(len(rows))]
    return rows.with_columns(pl.Series(SIMULATED, counts if metered else [None] * len(rows), pl.List(pl.Int64)))


@dataclass(frozen=True)
class Cast:
    """Who is behind the names in the seats; it is picklable."""

    own: dict[str, str]  # specs of the agent that entered, by its names in the seats
    exploiters: dict[str, str]  # the same of who is trained against it, or knows it
    budget: int | None  # as of the task

    def agent(self, name: str, generator: np.random.Generator) -> Agent:
        """The agent of a name in the seats."""
        if name not in self.own:
            return make_agent(self.exploiters.get(name, name), generator)
        agent = make_agent(self.own[name], generator)
        return agent if self.budget is None else Metered(generator, agent, self.budget)
