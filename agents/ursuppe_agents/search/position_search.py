"""A search of one position that looks at every action: what analysis needs, and playing does not."""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search.tree import Search, Tree, child_of, edges_of, visits_below
from ursuppe_env import Ruleset


class PositionSearch:
    """One tree over one position, to which simulations can be added at any time.

    A search that plays hardly visits actions that look bad. So there are two ways to go on: ``search``, where the agent
    would look, and ``spread``, where least has been seen. What is spread counts neither for the root's own value nor,
    without a policy, for the votes; it does for the values of the actions.

    Args:
        tree: with the position for its root, and nothing else.
        ruleset: of the game.
        search: of games with this ruleset.
    """

    def __init__(self, tree: Tree, ruleset: Ruleset, search: Search) -> None:
        self._tree = tree
        self._ruleset = ruleset
        self._search = search
        self._spread: NDArray[np.int64] | None = None  # (A,) simulations; None: the root's actions have no nodes yet

    def search(self, simulations: int) -> int:
        """Run simulations as the agent does; returns how many there was room for."""
        with np.errstate(over="ignore"):  # without the compiler: streams count modulo 2**64
            return self._search.simulate(self._tree, simulations)

    def spread(self, simulations: int) -> int:
        """Run simulations below the actions with fewest of them; after ``search``. Returns how many there was room for.

        Below an action they are run as if the game stood after it.
        """
        tree, done = self._tree, 0
        if self._spread is None:
            self._spread = np.zeros(int(tree.num_edges[0]), np.int64)
            for number in range(len(self._spread)):
                child_of(tree, self._ruleset.record[0], 0, number)
        try:
            while done < simulations:
                number = int(self.visits.argmin())
                tree.root[0] = tree.children[edges_of(tree, 0)][number]
                possible = self.search(min(self._search.at_once, simulations - done))
                if possible == 0:
                    break
                self._spread[number] += possible
                done += possible
        finally:
            tree.root[0] = 0
        return done

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
        """(A,) how much speaks for each action, in sum 1: the improved policy, or shares of the agent's own visits.

        An agent of one simulation visits no action: then the priors.
        """
        votes = self._search.votes(self._tree).votes
        if self._search.votes_by_visits and self._spread is not None:
            votes -= self._spread
        return votes / votes.sum() if votes.any() else self.priors
