"""A policy's say about decisions that a search has opened: it changes their priors, and what they are worth.

The policy is asked later than the decisions are opened, and only about those that are visited often. So what stands in
the tree is revised: edges of the decision, and the values of all nodes from there up to the root.
"""

import numpy as np

from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.leaves import TEMPERATURE, set_priors
from ursuppe_agents.search.tree import add_to_path, widen_root
from ursuppe_env.rules.legal import legal_action

_CRITIC_WEIGHT = 0.6  # of the critic's opinion in what a revised decision is worth (benchmarks/guided_search.py)
_LEAST_SHARE = 1e-3  # as likely as this beside the likeliest action is as good as never


@compiled
def choose_unasked(tree, chosen):
    """Write the most visited of the decisions below the root that no policy was asked about into ``chosen`` (n,) int64.

    Returns how many there are; at most n.
    """
    root = tree.root[0]
    count = 0
    for node in range(root, tree.used[0]):  # whose parent has a lower number
        tree.is_below[node] = node == root or (tree.parent[node] >= root and tree.is_below[tree.parent[node]])
        if not tree.is_below[node] or not tree.is_unasked[node]:
            continue
        place = count
        while place > 0 and tree.visits[chosen[place - 1]] < tree.visits[node]:
            if place < len(chosen):
                chosen[place] = chosen[place - 1]
            place -= 1
        if place < len(chosen):
            chosen[place] = node
            count = min(count + 1, len(chosen))
    return count


@compiled
def revise(tree, judge, decisions, priors, values):
    """Work a policy's opinion of decisions at or below the root into the tree.

    Args:
        tree: that they are in.
        judge: who valued them when they were opened.
        decisions: (n,) int64 their nodes.
        priors: (n or more, A) the policy's probabilities of all actions.
        values: (n or more, P) each player's chance of winning, by its critic.
    """
    for place in range(len(decisions)):
        node = decisions[place]
        edges = slice(tree.first_edge[node], tree.first_edge[node] + tree.num_edges[node])
        _revise_actions(tree.games[node], tree.prior[edges], tree.advantage[edges], priors[place])
        for player in range(judge.rules[0]["players"]):
            judge.values[player] = _CRITIC_WEIGHT * (values[place, player] - tree.opinion[node, player])
        add_to_path(tree, judge, node, 0)
        tree.is_unasked[node] = False
    widen_root(tree)


@compiled
def _revise_actions(game, priors, advantages, probabilities):
    """Work a policy's probabilities, (A,), into the priors and advantages, (num_legal,), of a decision.

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
