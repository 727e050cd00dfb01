"""Revising a tree by a policy: its evaluation of a decision changes the decision's priors and value.

The policy evaluates decisions after they were expanded, and only those that are visited often. So the tree is revised:
the edges of the decision, and the values of all nodes from there up to the root.
"""

import numpy as np

from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.leaves import TEMPERATURE, set_priors
from ursuppe_agents.search.tree import backup, widen_root_priors
from ursuppe_env.rules.legal import legal_action

_CRITIC_WEIGHT = 0.6  # of the critic's value in that of a revised decision (benchmarks/guided_search.py)
_LEAST_SHARE = 1e-3  # of the likeliest action's probability: anything less counts as this


@compiled
def select_unevaluated(tree, chosen):
    """Write the most visited decisions below the root that no policy has evaluated into ``chosen`` (n,) int64.

    Returns how many there are; at most n.
    """
    root = tree.root[0]
    count = 0
    for node in range(root, tree.used[0]):  # whose parent has a lower number
        tree.is_in_subtree[node] = node == root or (
            tree.parents[node] >= root and tree.is_in_subtree[tree.parents[node]]
        )
        if not tree.is_in_subtree[node] or not tree.is_unevaluated[node]:
            continue
        place = count
        while place > 0 and tree.visit_counts[chosen[place - 1]] < tree.visit_counts[node]:
            if place < len(chosen):
                chosen[place] = chosen[place - 1]
            place -= 1
        if place < len(chosen):
            chosen[place] = node
            count = min(count + 1, len(chosen))
    return count


@compiled
def revise(tree, evaluator, decisions, priors, values):
    """Revise the tree by a policy's evaluation of decisions at or below the root.

    Args:
        tree: that they are in.
        evaluator: of the tree's leaves.
        decisions: (n,) int64 their nodes.
        priors: (n or more, A) the policy's probabilities of all actions.
        values: (n or more, P) each player's chance of winning, by its critic.
    """
    for place in range(len(decisions)):
        node = decisions[place]
        edges = slice(tree.first_edge[node], tree.first_edge[node] + tree.num_edges[node])
        _revise_actions(tree.games[node], tree.priors[edges], tree.advantages[edges], priors[place])
        for player in range(evaluator.rules[0]["players"]):
            evaluator.values[player] = _CRITIC_WEIGHT * (values[place, player] - tree.initial_values[node, player])
        backup(tree, evaluator, node, 0)
        tree.is_unevaluated[node] = False
    widen_root_priors(tree)


@compiled
def _revise_actions(game, priors, advantages, probabilities):
    """Revise the priors and advantages, (num_legal,), of a decision by a policy's probabilities, (A,).

    They are read as a softmax of advantages, which are added to those of the look-ahead.
    """
    likeliest = 0.0
    for number in range(len(priors)):
        likeliest = max(likeliest, probabilities[legal_action(game, number)])
    best = -np.inf
    for number in range(len(priors)):
        share = max(probabilities[legal_action(game, number)] / likeliest, _LEAST_SHARE)
        advantages[number] += TEMPERATURE * np.log(share)
        best = max(best, advantages[number])
    for number in range(len(priors)):
        advantages[number] -= best
    set_priors(priors, advantages)
