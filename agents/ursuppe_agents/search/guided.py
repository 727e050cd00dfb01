"""Search guided by a trained policy: its probabilities become priors, its critic contributes to values.

The search expands and evaluates decisions by itself (``leaves.py``), and goes on. Now and then the policy evaluates, in
one call of its network, the most visited decisions that it has not evaluated yet, and the tree is revised accordingly
(``revision.py``). So no simulation waits for the network, and none needs a virtual loss to keep it away from another
one's leaf: it finds a first evaluation there. And the network, which takes as long for a position as the search itself,
is not called for the many decisions that are visited once.

A call always has the same number of positions, from one tree: in the last digits, networks evaluate a position
differently in different batches, and a search must not depend on other searches.
"""

from threading import Lock

import numpy as np

from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_agents.search.evaluator import Evaluator
from ursuppe_agents.search.leaves import LeafEvaluator
from ursuppe_agents.search.revision import revise, select_unevaluated
from ursuppe_agents.search.tree import Tree, simulate
from ursuppe_env import Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.state import STATE, plain_memory

SIMULATIONS_PER_CALL = 32  # of the policy's network
_BATCH_SIZE = 8  # a quarter of the expanded decisions: all of them gain no more, and take longer


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
    """Simulations guided by a policy, in any number of threads.

    Args:
        evaluator: the policy.
        ruleset: of the games.
    """

    def __init__(self, evaluator: Evaluator, ruleset: Ruleset) -> None:
        self._evaluator = evaluator
        self._ruleset = ruleset
        self._lock = Lock()

    def simulate(self, tree: Tree, leaf_evaluator: LeafEvaluator, simulations: int) -> int:
        """The same as ``tree.simulate``, guided by the policy.

        Raises:
            ValueError: the policy cannot evaluate such games; the message says why.
        """
        done = 0
        while done < simulations:
            wanted = min(SIMULATIONS_PER_CALL, simulations - done)
            run = simulate(tree, leaf_evaluator, wanted)
            self._revise(tree, leaf_evaluator)
            done += run
            if run < wanted:
                break
        return done

    def _revise(self, tree: Tree, leaf_evaluator: LeafEvaluator) -> None:
        """Have the policy evaluate some decisions."""
        decisions = np.empty(_BATCH_SIZE, np.int64)
        decisions = decisions[: select_unevaluated(tree, decisions)]
        if len(decisions) == 0:
            return
        # As plain memory: NumPy copies whole records 20 times as fast as records field by field.
        positions = plain_memory(tree.games)[np.resize(decisions, _BATCH_SIZE)].view(STATE)
        games = trusted_games(positions, self._ruleset, threads=1)
        with self._lock:  # torch's settings are shared
            priors, values = self._evaluator.evaluate(games, np.arange(_BATCH_SIZE))
        revise(tree, leaf_evaluator, decisions, priors, values)
