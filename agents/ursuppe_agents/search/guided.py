"""Search guided by a trained policy: simulations in groups, whose leaves its network evaluates in one call."""

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_agents.search.policy_tree import expand_leaves, select_leaves
from ursuppe_agents.search.tree import Tree
from ursuppe_env import Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.state import STATE, plain_memory

LEAVES_PER_CALL = 16  # of the policy's network, at most


def evaluator_of(policy: str) -> Evaluator:
    """The policy in a file of ``ursuppe train``; or ``default``, that of the package for as many players as there are.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no policy, or the code of policies is not installed.
    """
    agent = make_agent(agent_spec("policy", model=policy), seed=0)
    if not isinstance(agent, Evaluator):
        raise ValueError(f"policy of agent 'search' is {policy!r}, which evaluates no positions")
    return agent


class GuidedSearch:
    """Simulations guided by a policy (``policy_tree.py``), in any number of threads.

    Args:
        evaluator: the policy.
        ruleset: of the games.
    """

    def __init__(self, evaluator: Evaluator, ruleset: Ruleset) -> None:
        self._evaluator = evaluator
        self._ruleset = ruleset
        self._rules = ruleset.record
        self._lock = Lock()

    def simulate(self, tree: Tree, simulations: int) -> int:
        """Run simulations from the root; returns how many were possible before the tree was full.

        Raises:
            ValueError: the policy cannot evaluate such games; the message says why.
        """
        done = 0
        leaves = np.empty(LEAVES_PER_CALL, np.int64)
        while done < simulations:
            waiting, run = select_leaves(tree, self._rules, leaves, simulations - done)
            if run == 0:
                break
            if waiting:
                expand_leaves(tree, self._rules, leaves[:waiting], *self._evaluations(tree, leaves[:waiting]))
            done += run
        return done

    def _evaluations(self, tree: Tree, leaves: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the policy says of these leaves."""
        # As plain memory: NumPy copies whole records 20 times as fast as records field by field.
        positions = plain_memory(tree.games)[leaves].view(STATE)
        games = trusted_games(positions, self._ruleset, threads=1)
        with self._lock:  # an evaluator need not know of threads
            return self._evaluator.evaluate(games, np.arange(len(leaves)))
