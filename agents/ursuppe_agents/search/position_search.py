"""A search of one position that looks at every action: what analysis needs, and playing does not."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search.roots import edges_of, visits_below, votes_of
from ursuppe_agents.search.tree import NO_NODE, Tree
from ursuppe_env import Ruleset
from ursuppe_env.games import trusted_games


class PositionSearch:
    """One tree over one position, to which simulations can be added at any time.

    A search that plays hardly visits actions that look bad. So there are two ways to go on: ``search``, where the agent
    would look, and ``spread``, where least has been seen. What is spread counts neither for the root's own value nor,
    without a policy, for the votes; it does for the values of the actions.

    Args:
        tree: with the position for its root, and nothing else.
        ruleset: of the game.
        simulate: runs so many simulations from the root of a tree, and tells how many were possible.
        at_once: simulations that are worth a call.
        is_guided: by a policy.
    """

    def __init__(
        self, tree: Tree, ruleset: Ruleset, simulate: Callable[[Tree, int], int], at_once: int, is_guided: bool
    ) -> None:
        self._tree = tree
        self._ruleset = ruleset
        self._simulate = simulate
        self._at_once = at_once
        self._is_guided = is_guided
        self._spread: NDArray[np.int64] | None = None  # (A,) simulations; None: the root's actions have no nodes yet

    def search(self, simulations: int) -> int:
        """Run simulations as the agent does; returns how many there was room for."""
        with np.errstate(over="ignore"):  # without the compiler: streams count modulo 2**64
            return self._simulate(self._tree, simulations)

    def spread(self, simulations: int) -> int:
        """Run simulations below the actions with fewest of them; after ``search``. Returns how many there was room for.

        Below an action they are run as if the game stood after it.
        """
        tree, done = self._tree, 0
        if self._spread is None:
            self._spread = np.zeros(int(tree.num_edges[0]), np.int64)
            self._add_children()
        try:
            while done < simulations:
                number = int(self.visits.argmin())
                tree.root[0] = tree.children[edges_of(tree, 0)][number]
                possible = self.search(min(self._at_once, simulations - done))
                if possible == 0:
                    break
                self._spread[number] += possible
                done += possible
        finally:
            tree.root[0] = 0
        return done

    def _add_children(self) -> None:
        """Give each action of the root its node."""
        tree, edges = self._tree, edges_of(self._tree, 0)
        missing = np.flatnonzero(tree.children[edges] == NO_NODE)
        if len(missing) == 0:
            return
        games = trusted_games(np.repeat(tree.games[:1], len(missing)), self._ruleset, threads=1, explicit_chance=True)
        games.step(np.flatnonzero(games.legal()[0])[missing])
        first = int(tree.used[0])
        nodes = slice(first, first + len(missing))
        tree.used[0] += len(missing)
        tree.games[nodes] = games.state
        tree.parents[nodes] = 0
        tree.visit_counts[nodes] = 0
        tree.num_pending[nodes] = 0
        tree.value_sums[nodes] = 0
        tree.num_edges[nodes] = 0
        tree.children[edges.start + missing] = np.arange(nodes.start, nodes.stop)

    # ------------------------------------------------------------------ what it says

    @property
    def chances(self) -> NDArray[np.float64]:
        """(P,) each player's chance of winning in the position."""
        return self._tree.value_sums[0, : self._ruleset.players] / self._tree.visit_counts[0]

    @property
    def chances_after(self) -> NDArray[np.float64]:
        """(A, P) the same after each legal action, in the order of their ids; NaN where nothing was looked at."""
        children = self._tree.children[edges_of(self._tree, 0)]
        visits = self.visits[:, np.newaxis]
        sums = self._tree.value_sums[children, : self._ruleset.players]
        return np.divide(sums, visits, out=np.full(sums.shape, np.nan), where=visits > 0)

    @property
    def visits(self) -> NDArray[np.int64]:
        """(A,) the simulations through each action."""
        return visits_below(self._tree, 0)

    @property
    def priors(self) -> NDArray[np.float64]:
        """(A,) how likely each action was before any search: the policy's, or those of the look-ahead; in sum 1."""
        return self._tree.priors[edges_of(self._tree, 0)].copy()

    @property
    def votes(self) -> NDArray[np.float64]:
        """(A,) how much speaks for each action, in sum 1: the improved policy, or shares of the agent's own visits."""
        votes = votes_of(self._tree, self._is_guided).votes
        if not self._is_guided and self._spread is not None:
            votes -= self._spread
        return votes / votes.sum()
