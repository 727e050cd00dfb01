"""The agent that searches a tree."""

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock, local

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.search.policy_search import PolicySearch, evaluator_of
from ursuppe_agents.search.position_search import PositionSearch
from ursuppe_agents.search.tree import BYTES_PER_NODE, Search, Votes, begin_tree, new_tree
from ursuppe_agents.search.value_search import ValueSearch
from ursuppe_env import Games, Ruleset
from ursuppe_env.threads import available_memory
from ursuppe_env.validation import checked_decisions

_NODES_PER_SIMULATION = 3  # more than there are on average
_SIMULATIONS_PER_MS = 100  # more than there are
_FEWEST_NODES = 1000  # of a tree


class SearchAgent(Agent):
    """Monte-Carlo tree search (``ursuppe_agents.search.tree``) with the value function of ``greedy`` or with a policy.

    Args:
        generator: gives the searches their key.
        ms: milliseconds for a decision.
        sims: simulations for a decision, in place of ``ms``; then the same games give the same actions, whatever
            the machine and the threads.
        threads: how many trees are searched at once: of different rows, and with ``ms`` several of the same row where
            there are fewer rows than threads.
        policy: that gives priors and values (``ursuppe_agents.search.policy_search``): a file of ``ursuppe train``; or
            ``default``, that of the package for as many players as there are.

    Raises:
        OSError: the policy's file cannot be read.
        ValueError: a budget or ``threads`` is not positive, or more than there is memory for; or it is no policy.

    Attributes:
        evaluator: the policy; None: there is none.

    Every decision has trees of its own. What a search draws depends on the position and the agent's key, not on the
    real game's streams, on other rows, or on what was searched before. The action most visited is taken; with a
    policy, the likeliest one of the improved policy. Several trees of a row draw differently, and are added up.
    """

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        ms: float = 20.0,
        sims: int | None = None,
        threads: int = 1,
        policy: str | None = None,
    ) -> None:
        super().__init__(generator)
        for name, value in (("ms", ms), ("sims", sims), ("threads", threads)):
            if value is not None and not 0 < value < np.inf:
                raise ValueError(f"{name} of agent 'search' is {value!r}; it must be more than 0")
        self._ms = ms
        self._sims = sims
        self._threads = threads
        most_ms = sys.maxsize / _SIMULATIONS_PER_MS
        self._expected_sims = (
            int(min(ms, most_ms) * _SIMULATIONS_PER_MS) + ValueSearch.at_once if sims is None else sims
        )
        memory = available_memory()
        if _nodes_for(self._expected_sims) > memory // (BYTES_PER_NODE * threads):
            budget = f"ms={ms}" if sims is None else f"sims={sims}"
            most = memory // (BYTES_PER_NODE * _NODES_PER_SIMULATION)
            raise ValueError(
                f"agent 'search' has {budget} and threads={threads}; this machine has memory for at most {most:,} "
                f"simulations in all threads together, of which {_SIMULATIONS_PER_MS} are reckoned to a millisecond"
            )
        self._key = generator.bytes(16)
        self.evaluator = evaluator_of(policy) if policy is not None else None
        self._lock = Lock()  # of the evaluator
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search") if threads > 1 else None
        self._own = local()  # each thread's tree, and its search for a ruleset

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games."""
        rows = checked_decisions(rows, games.player)
        each = 1 if self._sims is not None else max(1, self._threads // max(1, len(rows)))
        searches = [(int(row), number) for row in rows for number in range(each)]

        def search(row_and_number: tuple[int, int]) -> Votes:
            return self._search(games, *row_and_number)

        trees = list(self._pool.map(search, searches) if self._pool else map(search, searches))
        actions = np.empty(len(rows), np.int64)
        for place, row in enumerate(rows):
            number = _elected(trees[place * each : (place + 1) * each])
            actions[place] = np.flatnonzero(games.copy([row]).legal()[0])[number]
        return actions

    def prepare(self, games: Games) -> None:
        """As of every agent; it takes one simulation, whatever the budget of a decision."""
        budget, self._sims = self._sims, 1
        self.act(games, np.zeros(1, np.int64))
        self._sims = budget

    def _search(self, games: Games, row: int, number: int) -> Votes:
        """Search the row's decision, in the tree of this number."""
        own, ruleset = self._own, games.ruleset_of(row)
        if not hasattr(own, "tree"):
            own.tree, own.ruleset = new_tree(_nodes_for(self._expected_sims)), None
        if own.ruleset != ruleset:
            own.search, own.ruleset = self._search_for(ruleset), ruleset
        begin_tree(own.tree, games.state[row : row + 1], self._key, number)
        self.spend_budget(partial(own.search.simulate, own.tree))
        return own.search.votes(own.tree)

    def _search_for(self, ruleset: Ruleset) -> Search:
        return ValueSearch(ruleset) if self.evaluator is None else PolicySearch(self.evaluator, ruleset, self._lock)

    def position_search(self, games: Games, row: int, number: int, simulations: int | None = None) -> PositionSearch:
        """A search of a row's decision that can be told to go on, and asked what it says of every action.

        Args:
            games: as they stand; left as they are.
            row: in which a player is about to act.
            number: of the search; others draw differently.
            simulations: that it has room for; None: for twice the budget of a decision.
        """
        state = games.state[row : row + 1]
        simulations = 2 * self._expected_sims if simulations is None else simulations
        simulations += 2 * int(state["num_legal"][0])  # one below each action, whatever the budget
        tree = new_tree(_nodes_for(simulations))
        begin_tree(tree, state, self._key, number)
        ruleset = games.ruleset_of(row)
        return PositionSearch(tree, ruleset, self._search_for(ruleset))

    def spend_budget(self, simulate: Callable[[int], int]) -> None:
        """Spend the budget of a decision; what runs so many simulations tells how many it could."""
        with np.errstate(over="ignore"):  # without the compiler: streams count modulo 2**64
            if self._sims is not None:
                simulate(self._sims)
                return
            deadline = time.perf_counter() + self._ms / 1000
            at_once = ValueSearch.at_once if self.evaluator is None else PolicySearch.at_once
            while True:
                began = time.perf_counter()
                done = simulate(at_once)
                now = time.perf_counter()
                if done < at_once or now + (now - began) / 2 > deadline:  # as near to it as possible
                    return


def _nodes_for(simulations: int) -> int:
    """Nodes of a tree with room for so many simulations."""
    return max(simulations * _NODES_PER_SIMULATION, _FEWEST_NODES)


def _elected(trees: Sequence[Votes]) -> int:
    """The number of the legal action with most votes of all trees together."""
    votes = np.sum([tree.votes for tree in trees], axis=0)
    return int(np.lexsort((trees[0].estimates, votes))[-1])
