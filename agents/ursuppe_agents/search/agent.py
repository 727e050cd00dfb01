"""The agent that searches a tree."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from threading import local
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.search.guided import LEAVES_PER_CALL, GuidedSearch, evaluator_of
from ursuppe_agents.search.leaves import new_leaf_evaluator
from ursuppe_agents.search.policy_tree import improve_policy
from ursuppe_agents.search.tree import Tree, new_tree, simulate
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.state import STATE
from ursuppe_env.validation import checked_decisions

_AT_ONCE = 4  # simulations between two looks at the clock
_NODES_PER_SIMULATION = 3  # more than there are on average
_SIMULATIONS_PER_MS = 100  # more than there are
_SEARCHES_PER_TREE = 3  # for which a tree has room, so that it can be used again
_TREES_KEPT = 32  # for the first so many rows of a batch; a tree of 20 ms has a few MB
_POSITION = slice(STATE.fields["legal"][1], None)  # type: ignore[index]  # the bytes of a record after its streams


class _Votes(NamedTuple):
    """Of a tree for the legal actions at its root, in the order of their ids."""

    votes: NDArray[np.float64]
    estimates: NDArray[np.float64]  # from before the search: they decide between equals


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
        self._evaluator = evaluator_of(policy) if policy is not None else None
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

        def search(row_and_number: tuple[int, int]) -> _Votes:
            return self._search(games, *row_and_number)

        trees = list(self._pool.map(search, searches) if self._pool else map(search, searches))
        actions = np.empty(len(rows), np.int64)
        for place, row in enumerate(rows):
            number = _elected(trees[place * each : (place + 1) * each])
            actions[place] = np.flatnonzero(games.copy([row]).legal()[0])[number]
        return actions

    def _keep_rulesets(self, rulesets: Sequence[Ruleset]) -> None:
        """Make what a search needs for each ruleset, and forget what was made for others."""
        self._guided = {
            ruleset: self._guided.get(ruleset) or GuidedSearch(self._evaluator, ruleset)
            for ruleset in rulesets
            if self._evaluator is not None
        }

    def _search(self, games: Games, row: int, number: int) -> _Votes:
        """Search the row's decision in the tree of this number."""
        ruleset = games.ruleset_of(row)
        tree = self._tree_of(row, number, ruleset)
        self._set_root(tree, games.state[row : row + 1], number)
        self._run_simulations(partial(self._simulation_for(ruleset), tree))
        root = int(tree.root[0])
        first = int(tree.first_edge[root])
        edges = slice(first, first + int(tree.num_edges[root]))
        if self._guided:
            improved = np.empty(edges.stop - first)
            improve_policy(tree, root, improved)
            return _Votes(improved, tree.priors[edges].copy())
        children = tree.children[edges]
        visit_counts = np.where(children >= 0, tree.visit_counts[children], 0)
        return _Votes(visit_counts.astype(np.float64), tree.advantages[edges].copy())

    def _run_simulations(self, simulate: Callable[[int], int]) -> None:
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
        leaf_evaluator = self._own.leaf_evaluator
        return lambda tree, simulations: simulate(tree, leaf_evaluator, simulations)

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
        position = _bytes(game)[0, _POSITION]
        used = int(tree.used[0])
        if used < len(tree.games) - self._expected_sims * _NODES_PER_SIMULATION:
            same = np.flatnonzero((_bytes(tree.games[:used])[:, _POSITION] == position).all(axis=1))
            if len(same):
                tree.root[0] = same[np.argmax(tree.visit_counts[same])]
                return
        tree.used[:] = (1, 0)
        tree.root[0] = 0
        tree.games[:1] = game
        tree.games["ruleset"][0] = 0  # the leaf evaluator has this one alone
        tree.games["draws"][0] = 0
        tree.visit_counts[0] = 0
        tree.num_pending[0] = 0
        tree.value_sums[0] = 0
        tree.num_edges[0] = 0
        salt = number.to_bytes(blake2b.SALT_SIZE, "little")
        digest = blake2b(position.tobytes(), key=self._key, salt=salt, digest_size=8).digest()
        tree.stream[0] = int.from_bytes(digest, "little")


def _elected(trees: Sequence[_Votes]) -> int:
    """The number of the legal action with most votes of all trees together."""
    votes = np.sum([tree.votes for tree in trees], axis=0)
    return int(np.lexsort((trees[0].estimates, votes))[-1])


def _bytes(states: NDArray[np.void]) -> NDArray[np.uint8]:
    """(n, size of a record) the records as plain memory."""
    return states.view(np.uint8).reshape(len(states), STATE.itemsize)
