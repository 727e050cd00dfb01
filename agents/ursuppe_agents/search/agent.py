"""The agent that searches a tree."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import local

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.search.guided import LEAVES_PER_CALL, GuidedSearch, evaluator_of
from ursuppe_agents.search.leaves import LeafEvaluator, new_leaf_evaluator
from ursuppe_agents.search.position_search import PositionSearch
from ursuppe_agents.search.roots import Votes, begin_tree, positions, votes_of
from ursuppe_agents.search.tree import Tree, new_tree, simulate
from ursuppe_env import Games, Ruleset
from ursuppe_env.validation import checked_decisions

_AT_ONCE = 4  # simulations between two looks at the clock
_NODES_PER_SIMULATION = 3  # more than there are on average
_SIMULATIONS_PER_MS = 100  # more than there are
_SEARCHES_PER_TREE = 3  # for which a tree has room, so that it can be used again
_FEWEST_NODES = 1000  # of a tree over a position of its own
_TREES_KEPT = 32  # for the first so many rows of a batch; a tree of 20 ms has a few MB


class SearchAgent(Agent):
    """Monte-Carlo tree search (``ursuppe_agents.search.tree``) with the value function of ``greedy`` or with a policy.

    Args:
        generator: gives the searches their key.
        ms: milliseconds for a decision.
        sims: simulations for a decision, in place of ``ms``; then the same games give the same actions, whatever
            the machine and the threads.
        threads: how many trees are searched at once: of different rows, and with ``ms`` several of the same row where
            there are fewer rows than threads.
        policy: that gives priors and values (``ursuppe_agents.search.guided``): a file of ``ursuppe train``; or
            ``default``, that of the package for as many players as there are.

    Raises:
        OSError: the policy's file cannot be read.
        ValueError: a budget or ``threads`` is not positive, or it is no policy.

    Attributes:
        evaluator: the policy; None: there is none.

    What a search draws depends on the position and the agent's key, not on the real game's streams. The tree of a
    row is used again if the row's game has come to one of its positions. The action most visited is taken; with a
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
        self._expected_sims = int(ms * _SIMULATIONS_PER_MS) + _AT_ONCE if sims is None else sims
        self._key = generator.bytes(16)
        self.evaluator = evaluator_of(policy) if policy is not None else None
        self._at_once = _AT_ONCE if policy is None else LEAVES_PER_CALL
        self._trees: dict[tuple[int, int], Tree] = {}  # of rows, numbered within each
        self._searched_with: dict[tuple[int, int], Ruleset] = {}  # what the games in each tree are played with
        self._guided: dict[Ruleset, GuidedSearch] = {}
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search") if threads > 1 else None
        self._own = local()  # each thread's leaf_evaluator, and its tree for rows whose trees are not kept

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games."""
        rows = checked_decisions(rows, games.player)
        self._keep_rulesets(games.rulesets)
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

    def _keep_rulesets(self, rulesets: Sequence[Ruleset]) -> None:
        """Make what a search needs for each ruleset, and forget what was made for others."""
        self._guided = {
            ruleset: self._guided.get(ruleset) or GuidedSearch(self.evaluator, ruleset)
            for ruleset in rulesets
            if self.evaluator is not None
        }

    def _search(self, games: Games, row: int, number: int) -> Votes:
        """Search the row's decision in the tree of this number."""
        ruleset = games.ruleset_of(row)
        tree = self._tree_of(row, number, ruleset)
        self._set_root(tree, games.state[row : row + 1], number)
        self.spend_budget(partial(self._simulation_for(ruleset), tree))
        return votes_of(tree, bool(self._guided))

    def position_search(self, games: Games, row: int, number: int, simulations: int | None = None) -> PositionSearch:
        """A search of a row's decision that can be told to go on, and asked what it says of every action.

        Args:
            games: as they stand; left as they are.
            row: in which a player is about to act.
            number: of the search; others draw differently.
            simulations: that it has room for; None: for twice the budget of a decision.
        """
        ruleset, state = games.ruleset_of(row), games.state[row : row + 1]
        if self.evaluator is None:
            simulate = _simulation_with(new_leaf_evaluator(ruleset))
        else:
            simulate = GuidedSearch(self.evaluator, ruleset).simulate
        simulations = 2 * self._expected_sims if simulations is None else simulations
        simulations += 2 * int(state["num_legal"][0])  # one below each action, whatever the budget
        tree = new_tree(max(simulations * _NODES_PER_SIMULATION, _FEWEST_NODES))
        begin_tree(tree, state, self._key, number)
        return PositionSearch(tree, ruleset, simulate, self._at_once, self.evaluator is not None)

    def spend_budget(self, simulate: Callable[[int], int]) -> None:
        """Spend the budget of a decision; what runs so many simulations tells how many it could."""
        with np.errstate(over="ignore"):  # without the compiler: streams count modulo 2**64
            if self._sims is not None:
                simulate(self._sims)
                return
            deadline = time.perf_counter() + self._ms / 1000
            while True:
                began = time.perf_counter()
                done = simulate(self._at_once)
                now = time.perf_counter()
                if done < self._at_once or now + (now - began) / 2 > deadline:  # as near to it as possible
                    return

    def _simulation_for(self, ruleset: Ruleset) -> Callable[[Tree, int], int]:
        """What runs simulations in a tree of this ruleset's games, in this thread."""
        if self._guided:
            return self._guided[ruleset].simulate
        if getattr(self._own, "ruleset", None) != ruleset:
            self._own.ruleset = ruleset
            self._own.leaf_evaluator = new_leaf_evaluator(ruleset)
        return _simulation_with(self._own.leaf_evaluator)

    def _tree_of(self, row: int, number: int, ruleset: Ruleset) -> Tree:
        """The row's own tree of this number, emptied if it was for another ruleset; late rows share the thread's."""
        nodes = self._expected_sims * _NODES_PER_SIMULATION * _SEARCHES_PER_TREE
        if row < _TREES_KEPT:
            if (row, number) not in self._trees:
                self._trees[row, number] = new_tree(nodes)
            elif self._searched_with[row, number] != ruleset:
                self._trees[row, number].used[:] = 0
            self._searched_with[row, number] = ruleset
            return self._trees[row, number]
        if not hasattr(self._own, "tree"):
            self._own.tree = new_tree(nodes)
        self._own.tree.used[:] = 0
        return self._own.tree

    def _set_root(self, tree: Tree, game: NDArray[np.void], number: int) -> None:
        """Make the game's position the root: where it is in the tree, or as the first node of an empty one.

        What an empty tree will draw depends on its number too.
        """
        used = int(tree.used[0])
        if used < len(tree.games) - self._expected_sims * _NODES_PER_SIMULATION:
            same = np.flatnonzero((positions(tree.games[:used]) == positions(game)[0]).all(axis=1))
            if len(same):
                tree.root[0] = same[np.argmax(tree.visit_counts[same])]
                return
        begin_tree(tree, game, self._key, number)


def _simulation_with(leaf_evaluator: LeafEvaluator) -> Callable[[Tree, int], int]:
    return lambda tree, simulations: simulate(tree, leaf_evaluator, simulations)


def _elected(trees: Sequence[Votes]) -> int:
    """The number of the legal action with most votes of all trees together."""
    votes = np.sum([tree.votes for tree in trees], axis=0)
    return int(np.lexsort((trees[0].estimates, votes))[-1])
