"""Tree search by a trained policy: its probabilities are the priors, its critic's chances of winning the values.

No look-ahead and no play-outs: the network knows more. But a call of it takes nearly as long for one position as for
several. So simulations run in groups. Each of a group selects a path to a leaf, and waits there; where the next ones
choose, it counts as a visit, and as partly lost, so that they rather go elsewhere. Then the network evaluates the
leaves in one call; each is expanded, and its values are backed up.

Actions are selected by PUCT for the player who decides (max^n). What is played in the end is not the action with most
visits, which are few and follow the priors for long, but the likeliest one of an improved policy: a softmax of the
logarithms of the priors plus the scaled values (Danihelka et al. 2022, "Policy improvement by planning with Gumbel").
"""

import numpy as np

from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.tree import NO_NODE, add_edges, back_up, child_of, draw_outcome, has_room, is_leaf
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED
from ursuppe_env.rules.ruleset import MAX_PLAYERS

_EXPLORATION = 0.15  # the constant of PUCT, in chances of winning
_LOSS = 0.25  # a simulation that waits counts as so much of one that was lost
_SCALE = 50.0  # how much chances of winning count against logarithms of priors at first
_SCALE_PER_VISIT = 1.0  # how much more they count with each visit of the action that has most
_LEAST_SHARE = 1e-4  # of the likeliest action's probability: anything less counts as this
_RESULTS = np.vstack([np.eye(MAX_PLAYERS), np.zeros(MAX_PLAYERS)])  # of games by winner; the last row: nobody wins


@compiled.announced("the agent search with a policy", seconds=12)
def select_leaves(tree, rules_array, leaves, most):
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
        leaf = _select_leaf(tree, rules)
        done += 1
        if tree.games[leaf]["player"] == FINISHED:
            back_up(tree, leaf, _RESULTS[int(tree.games[leaf]["winner"])], rules["players"])
            continue
        leaves[waiting] = leaf
        waiting += 1
        _add_pending(tree, leaf, 1)
        if leaf == tree.root[0]:
            break
    return waiting, done


@compiled
def expand_leaves(tree, rules_array, leaves, priors, values):
    """Expand leaves that the policy has evaluated, and back up what it says of them.

    Args:
        tree: that they are in.
        rules_array: (1,) the ruleset's record.
        leaves: (n,) int64, from ``select_leaves``.
        priors: (n or more, A) the policy's probabilities of all actions.
        values: (n or more, P) each player's chance of winning, by its critic.
    """
    for place in range(len(leaves)):
        leaf = leaves[place]
        if tree.num_edges[leaf] == 0:
            _expand(tree, leaf, priors[place], values[place], rules_array[0]["players"])
        _add_pending(tree, leaf, -1)
        back_up(tree, leaf, values[place], rules_array[0]["players"])


@compiled
def improve_policy(tree, node, improved):
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
def _select_leaf(tree, rules):
    """Walk from the root to a decision that is not expanded yet, or to the end of the game."""
    node = tree.root[0]
    while not is_leaf(tree, node):
        is_chance = tree.games[node]["player"] == CHANCE_PLAYER
        number = draw_outcome(tree, rules, node) if is_chance else _select_action(tree, node)
        node = child_of(tree, rules, node, number)
    return node


@compiled
def _select_action(tree, node):
    """The action with the highest PUCT score: its value to the player who decides, and an exploration bonus.

    The mean of the node counts as one more visit of each action.
    """
    player = int(tree.games[node]["player"])
    mean = tree.value_sums[node, player] / tree.visit_counts[node]
    exploration = _EXPLORATION * np.sqrt(float(tree.visit_counts[node] + tree.num_pending[node]))
    best = 0
    best_score = -np.inf
    for number in range(tree.num_edges[node]):
        edge = tree.first_edge[node] + number
        visits, pending, value = 1, 0, mean
        child = tree.children[edge]
        if child != NO_NODE:
            visits += tree.visit_counts[child]
            pending = tree.num_pending[child]
            value += tree.value_sums[child, player]
        score = value / (visits + _LOSS * pending) + exploration * tree.priors[edge] / (visits + pending)
        if score > best_score:
            best_score = score
            best = number
    return best


@compiled
def _expand(tree, node, probabilities, values, players):
    """Give a decision an edge for each legal action; the priors are the policy's probabilities, (A,)."""
    game = tree.games[node]
    count = int(game["num_legal"])
    add_edges(tree, node, count)
    for player in range(players):
        tree.initial_values[node, player] = values[player]
    first = tree.first_edge[node]
    likeliest = 0.0
    for number in range(count):
        likeliest = max(likeliest, probabilities[legal_action(game, number)])
    total = 0.0
    for number in range(count):
        tree.priors[first + number] = max(probabilities[legal_action(game, number)], _LEAST_SHARE * likeliest)
        total += tree.priors[first + number]
    for number in range(count):
        tree.priors[first + number] /= total


@compiled
def _add_pending(tree, node, simulations):
    """Add so many simulations to those that wait, at a node and its ancestors up to the root."""
    while True:
        tree.num_pending[node] += simulations
        if node == tree.root[0]:
            return
        node = tree.parents[node]
