"""Tree search by a trained policy: its probabilities are the priors, its critic's chances of winning the values.

No look-ahead and no play-outs: the network knows more. But a call of it takes nearly as long for one position as for
several. So simulations run in groups. Each of a group selects a path to a leaf, and waits there; where the next ones
choose, it counts as a visit, and as partly lost, so that they rather go elsewhere. Then the network evaluates the
leaves in one call; each is expanded, and its values are backed up.

Actions are selected by PUCT for the player who decides (max^n). What is played in the end is not the action with most
visits, which are few and follow the priors for long, but the likeliest one of an improved policy: a softmax of the
logarithms of the priors plus the scaled values (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").
"""

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.registry import agent_spec, make_agent
from ursuppe_agents.search import compiled
from ursuppe_agents.search.tree import (
    NO_NODE,
    RESULTS,
    Tree,
    Votes,
    back_up,
    edges_of,
    expand,
    has_room,
    select_leaf,
)
from ursuppe_env import Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import FINISHED
from ursuppe_env.rules.state import STATE, plain_memory

_EXPLORATION = 0.15  # the constant of PUCT, in chances of winning
_SCALE = 50.0  # how much chances of winning count against logarithms of priors at first
_SCALE_PER_VISIT = 1.0  # how much more they count with each visit of the action that has most
_LEAST_SHARE = 1e-4  # of the likeliest action's probability: anything less counts as this


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


class PolicySearch:
    """Searches trees of one ruleset's games by a policy.

    Args:
        evaluator: the policy.
        ruleset: of the games.
        lock: held while the policy evaluates: it need not know of threads.
    """

    at_once = 16  # leaves that the network evaluates in a call
    votes_by_visits = False  # but by the improved policy

    def __init__(self, evaluator: Evaluator, ruleset: Ruleset, lock: Lock) -> None:
        self._evaluator = evaluator
        self._ruleset = ruleset
        self._lock = lock

    def simulate(self, tree: Tree, simulations: int) -> int:
        done = 0
        leaves = np.empty(self.at_once, np.int64)
        while done < simulations:
            waiting, run = _select_leaves(tree, self._ruleset.record, leaves, simulations - done)
            if run == 0:
                break
            if waiting:
                priors, values = self._evaluations(tree, leaves[:waiting])
                _expand_leaves(tree, leaves[:waiting], priors, values)
            done += run
        return done

    def votes(self, tree: Tree) -> Votes:
        root = int(tree.root[0])
        priors = tree.priors[edges_of(tree, root)].copy()
        improved = np.empty(len(priors))
        _improve_policy(tree, root, improved)
        return Votes(improved, priors)

    def _evaluations(self, tree: Tree, leaves: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the policy says of these leaves."""
        # As plain memory: NumPy copies whole records 20 times as fast as records field by field.
        positions = plain_memory(tree.games)[leaves].view(STATE)
        games = trusted_games(positions, self._ruleset, threads=1)
        with self._lock:
            return self._evaluator.evaluate(games, np.arange(len(leaves)))


@compiled.announced("the agent search with a policy", seconds=12)
def _select_leaves(tree, rules_array, leaves, most):
    """Run simulations up to their leaves; those that end with the game are whole.

    Args:
        tree: with a root.
        rules_array: (1,) the ruleset's record.
        leaves: (n,) int64, written: decisions to be evaluated, one for each simulation that waits; the same one can be
            there several times.
        most: simulations at most.

    Returns:
        How many leaves there are, and how many simulations were run: fewer than both ``most`` and n only if the tree
        is full, or the root is to be evaluated first.
    """
    rules = rules_array[0]
    waiting, done = 0, 0
    while waiting < len(leaves) and done < most and has_room(tree):
        leaf = select_leaf(tree, rules, _EXPLORATION)
        done += 1
        if tree.games[leaf]["player"] == FINISHED:
            back_up(tree, leaf, RESULTS[int(tree.games[leaf]["winner"])], rules["players"])
            continue
        leaves[waiting] = leaf
        waiting += 1
        _add_pending(tree, leaf, 1)
        if leaf == tree.root[0]:
            break
    return waiting, done


@compiled
def _expand_leaves(tree, leaves, priors, values):
    """Expand leaves that the policy has evaluated, and back up what it says of them.

    Args:
        tree: that they are in.
        leaves: (n,) int64, from ``_select_leaves``.
        priors: (n, A) the policy's probabilities of all actions.
        values: (n, P) each player's chance of winning, by its critic.
    """
    for place in range(len(leaves)):
        leaf, players = leaves[place], values.shape[1]
        if tree.num_edges[leaf] == 0:
            edges = expand(tree, leaf)
            _write_priors(tree.games[leaf], priors[place], tree.priors[edges])
            tree.advantages[edges] = 0.0
            for player in range(players):
                tree.initial_values[leaf, player] = values[place, player]
        _add_pending(tree, leaf, -1)
        back_up(tree, leaf, values[place], players)


@compiled
def _improve_policy(tree, node, improved):
    """Write the probabilities of an expanded decision's actions by the improved policy into ``improved`` (num_legal,).

    An action that was not tried counts as all that were, by their priors, together with the decision's own evaluation.
    """
    player = int(tree.games[node]["player"])
    first = tree.first_edge[node]
    visits, most_visits = 0, 0
    prior, expected = 0.0, 0.0
    for number in range(len(improved)):
        child = tree.children[first + number]
        improved[number] = np.nan
        if child != NO_NODE and tree.visit_counts[child] > 0:
            improved[number] = tree.value_sums[child, player] / tree.visit_counts[child]
            visits += tree.visit_counts[child]
            most_visits = max(most_visits, tree.visit_counts[child])
            prior += tree.priors[first + number]
            expected += tree.priors[first + number] * improved[number]
    own = tree.initial_values[node, player]
    untried = own if visits == 0 else (own + visits * expected / prior) / (1 + visits)
    scale = _SCALE + _SCALE_PER_VISIT * most_visits
    highest = -np.inf
    for number in range(len(improved)):
        advantage = 0.0 if np.isnan(improved[number]) else improved[number] - untried
        improved[number] = np.log(tree.priors[first + number]) + scale * advantage
        highest = max(highest, improved[number])
    total = 0.0
    for number in range(len(improved)):
        improved[number] = np.exp(improved[number] - highest)
        total += improved[number]
    for number in range(len(improved)):
        improved[number] /= total


@compiled
def _write_priors(game, probabilities, priors):
    """Write the priors (num_legal,) of a decision's legal actions: the policy's probabilities, (A,), none too small."""
    likeliest = 0.0
    for number in range(len(priors)):
        priors[number] = probabilities[legal_action(game, number)]
        likeliest = max(likeliest, priors[number])
    total = 0.0
    for number in range(len(priors)):
        priors[number] = max(priors[number], _LEAST_SHARE * likeliest)
        total += priors[number]
    for number in range(len(priors)):
        priors[number] /= total


@compiled
def _add_pending(tree, node, simulations):
    """Add so many simulations to those that wait, at a node and its ancestors up to the root."""
    while True:
        tree.num_pending[node] += simulations
        if node == tree.root[0]:
            return
        node = tree.parents[node]
