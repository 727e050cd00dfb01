"""A trained policy that has its say in a search: about what to try, and about what positions are worth.

The search opens decisions and values them by itself (``leaves.py``), and goes on. Now and then the policy is asked, in
one call of its network, about the decisions visited most of those that it has not been asked about, and what it thinks
is worked into the tree (``revision.py``). So no walk down the tree waits for the network, and none needs to be kept
away from where another one has just been: it finds a first opinion there. And the network, which takes as long for a
position as the search itself, is not asked about the many decisions that are visited once.

A call always has the same number of positions, of one tree: networks judge a position a little differently among
others, in the last digits, and the same search is to be the same whatever else is thought about.
"""

from threading import Lock

import numpy as np

from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_agents.search.evaluator import Evaluator
from ursuppe_agents.search.leaves import Judge
from ursuppe_agents.search.revision import choose_unasked, revise
from ursuppe_agents.search.tree import Tree, simulate
from ursuppe_env import Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.state import STATE

SIMULATIONS_A_CALL = 32  # before the policy is asked again
_DECISIONS_A_CALL = 8  # a quarter of those opened: asking about all of them gains no more, and takes longer


def evaluator_of(policy: str) -> Evaluator:
    """The policy to ask: a file of ``ursuppe train``; or ``default``, the one that comes with the package.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no policy, or the code of policies is not installed.
    """
    agent = make_agent(agent_spec("policy", model=policy), seed=0)
    if not isinstance(agent, Evaluator):
        raise ValueError(f"policy of agent 'search' is {policy!r}, which judges no positions")
    return agent


class Guide:
    """Searches together with a policy, in any number of threads.

    Args:
        evaluator: the policy.
        ruleset: of the games.
    """

    def __init__(self, evaluator: Evaluator, ruleset: Ruleset) -> None:
        self._evaluator = evaluator
        self._ruleset = ruleset
        self._asking = Lock()

    def simulate(self, tree: Tree, judge: Judge, simulations: int) -> int:
        """The same as ``tree.simulate``, with the policy's say.

        Raises:
            ValueError: the policy cannot judge such games; the message says why.
        """
        done = 0
        while done < simulations:
            wanted = min(SIMULATIONS_A_CALL, simulations - done)
            run = simulate(tree, judge, wanted)
            self._ask(tree, judge)
            done += run
            if run < wanted:
                break
        return done

    def _ask(self, tree: Tree, judge: Judge) -> None:
        """Hear what the policy thinks of some decisions."""
        decisions = np.empty(_DECISIONS_A_CALL, np.int64)
        decisions = decisions[: choose_unasked(tree, decisions)]
        if len(decisions) == 0:
            return
        # As plain memory: NumPy copies whole records 20 times as fast as records field by field.
        positions = tree.games.view(f"V{STATE.itemsize}")[np.resize(decisions, _DECISIONS_A_CALL)].view(STATE)
        games = trusted_games(positions, self._ruleset, threads=1)
        with self._asking:  # torch's settings are shared
            priors, values = self._evaluator.evaluate(games, np.arange(_DECISIONS_A_CALL))
        revise(tree, judge, decisions, priors, values)
